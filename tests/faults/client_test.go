//go:build linux

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"croupier/messages/bus"
)

// least is how many updates, and how many results, of each client succeed: on a busy machine that takes longer than the
// time for which it was to work.
const least = 6

// work is what a client of the broker does: a process on a host of its own that uses the bus
// as roles do and writes down each call and what came of it.
type work struct {
	URL, Seed, Run, File string
	Client               int
	For                  time.Duration
}

// What a client calls.
const (
	readKey   = "read"   // State.Get
	updateKey = "update" // State.Update
	result    = "result" // Publish to Results
	curve     = "curve"  // Publish to Curves
)

// What came of a call.
const (
	done    = "done"
	taken   = "taken"
	absent  = "absent"
	unknown = "unknown" // it may have happened, or may happen later
)

// operation is a call and its return, in nanoseconds of the machine's monotonic clock.
type operation struct {
	Client   int
	Kind     string
	Name     string // key or subject
	Value    string // written or read
	Revision uint64 // expected by an update
	Call     int64
	Return   int64 `json:",omitempty"` // 0: there was none
	Outcome  string
	Got      uint64 `json:",omitempty"` // revision read or made
}

func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// client works until its time is over and [least] is done, and returns the exit status.
func client(doc string) int {
	var w work
	err := json.Unmarshal([]byte(doc), &w)
	if err == nil {
		err = w.do()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (w *work) do() error {
	file, err := os.OpenFile(w.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	b, err := bus.Connect(context.Background(), bus.NATSOptions{URL: w.URL, Credentials: w.Seed, Run: w.Run,
		Role: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return err
	}
	defer b.Close()
	rng := rand.New(rand.NewPCG(uint64(w.Client), 7))
	known := map[string]operation{} // by key, what was read last
	log := json.NewEncoder(file)
	did := map[string]int{}
	for n, end := 0, time.Now().Add(w.For); time.Now().Before(end) || min(did[updateKey], did[result]) < least; n++ {
		o := w.next(rng, n, known)
		if err := log.Encode(o); err != nil {
			return err
		}
		perform(b, &o)
		o.Return = monotonic()
		if o.Outcome == done {
			did[o.Kind]++
		}
		if err := log.Encode(o); err != nil {
			return err
		}
		if o.Kind == readKey || o.Kind == updateKey {
			known[o.Name] = o
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
	}
	return nil
}

// next draws an operation. Values are unique.
func (w *work) next(rng *rand.Rand, n int, known map[string]operation) operation {
	o := operation{Client: w.Client, Value: fmt.Sprintf("%d-%d", w.Client, n), Outcome: unknown}
	switch rng.IntN(6) {
	case 0, 1:
		o.Kind, o.Name, o.Value = readKey, fmt.Sprintf("test.%d", rng.IntN(4)), ""
	case 2, 3:
		o.Kind, o.Name = updateKey, fmt.Sprintf("test.%d", rng.IntN(4))
		o.Revision = known[o.Name].Got
	case 4: // somebody else publishes this one, too
		o.Kind, o.Name = result, fmt.Sprintf("m-%d.actor", n/3)
	default:
		o.Kind, o.Name = curve, fmt.Sprintf("client%d", w.Client)
	}
	o.Call = monotonic()
	return o
}

// perform makes the call and notes its outcome.
func perform(b bus.Bus, o *operation) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	var err error
	switch o.Kind {
	case readKey:
		var e bus.Entry
		e, err = b.State().Get(ctx, o.Name)
		o.Value, o.Got = string(e.Value), e.Revision
	case updateKey:
		o.Got, err = b.State().Update(ctx, o.Name, []byte(o.Value), o.Revision)
	case result:
		err = b.Publish(ctx, bus.Results, o.Name, []byte(o.Value))
	case curve:
		err = b.Publish(ctx, bus.Curves, o.Name, []byte(o.Value))
	}
	switch {
	case err == nil:
		o.Outcome = done
	case errors.Is(err, bus.ErrTaken):
		o.Outcome = taken
	case errors.Is(err, bus.ErrNotFound):
		o.Outcome = absent
	}
}
