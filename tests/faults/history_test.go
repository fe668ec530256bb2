//go:build linux

package faults

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"croupier/cluster"
	"croupier/messages/bus"
)

// Clients of the broker write down what they called and what came of it while brokers are
// killed, frozen and cut off. What they saw must be what one broker that never fails could
// have answered: compare-and-set and results once are checked for linearizability.

// clients is how many there are, each on a host of its own.
const clients = 4

func TestHistories(t *testing.T) {
	for _, brokers := range []int{1, 3} {
		t.Run(fmt.Sprint(brokers, " brokers"), func(t *testing.T) {
			hosts(t)
			t.Parallel()
			length := 10 * time.Second
			if *countFlag > 0 {
				length = 4 * time.Minute
			}
			history, final := record(t, brokers, length)
			checkHistory(t, history, final, brokers == 1)
		})
	}
}

// record has clients work while brokers suffer. It returns what they wrote down and what
// the broker has in the end.
func record(t *testing.T, brokers int, length time.Duration) ([]operation, *contents) {
	r := &run{network: newNetwork(t, *seedFlag), damaged: map[string]bool{}}
	public, secret, err := cluster.NewUser()
	require.NoError(t, err)
	r.seed = filepath.Join(t.TempDir(), "croupier.nk")
	require.NoError(t, os.WriteFile(r.seed, secret, 0o600))
	r.addBrokers(brokers, "--nkey", public)
	for _, b := range r.brokers {
		b.start()
	}
	t.Cleanup(r.tell)
	o := bus.NATSOptions{URL: r.url, Credentials: r.seed, Run: "history", Role: "test", Create: true,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Replicas: brokers}
	r.bus, err = bus.Connect(t.Context(), o)
	require.NoError(t, err)
	defer r.bus.Close()

	var working []*process
	var files []string
	for i := range clients {
		h := r.addHost(fmt.Sprintf("client%d", i+1), 64)
		w := work{URL: r.url, Seed: r.seed, Run: "history", File: filepath.Join(h.disk, "history"), Client: i, For: length}
		doc, err := json.Marshal(w)
		require.NoError(t, err)
		self, err := os.Executable()
		require.NoError(t, err)
		working = append(working, h.run(h.name, []string{"FAULTS_CLIENT=" + string(doc)}, self))
		files = append(files, w.File)
	}
	r.trouble(t, length)
	for _, p := range working {
		<-p.exited
		require.True(t, p.cmd.ProcessState.Success(), "%s: %v %s", p.name, p.cmd.ProcessState, p.output())
	}
	var history []operation
	for _, file := range files {
		history = append(history, readHistory(t, file)...)
	}
	require.NoError(t, within(recoverWithin, r.allHealthy))
	final, err := r.contents()
	require.NoError(t, err)
	return history, final
}

// trouble kills, freezes and cuts off one broker at a time.
func (r *run) trouble(t *testing.T, length time.Duration) {
	rng := rand.New(rand.NewPCG(*seedFlag, 3))
	pause := func() { time.Sleep(while(rng, 100*time.Millisecond, 3*time.Second)) }
	for end := time.Now().Add(length - 4*time.Second); time.Now().Before(end); {
		b := anyOf(rng, r.brokers)
		switch rng.IntN(4) {
		case 0:
			b.kill()
			pause()
			b.start()
		case 1:
			b.signal(syscall.SIGSTOP)
			pause()
			b.signal(syscall.SIGCONT)
		case 2:
			heal := b.host.between(&link{cut: true}, &link{cut: true})
			pause()
			heal()
		default:
			heal := b.host.between(&link{cut: rng.IntN(2) == 0, loss: 0.3}, &link{delay: 50 * time.Millisecond})
			pause()
			heal()
		}
		// The next one only when this one is back: one at a time is what must be survived.
		require.NoError(t, within(recoverWithin, r.allHealthy))
		pause()
	}
}

// readHistory returns the operations of one client: those that returned, and the last.
func readHistory(t *testing.T, path string) (out []operation) {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var o operation
		require.NoError(t, json.Unmarshal(lines.Bytes(), &o))
		if o.Return != 0 {
			out = out[:len(out)-1] // the line of its call
		}
		out = append(out, o)
	}
	return out
}

// contents is what the broker has: values of results by subject, curves in order.
type contents struct {
	results map[string]string
	curves  []string
}

func (r *run) contents() (*contents, error) {
	c := &contents{results: map[string]string{}}
	for _, stream := range []bus.Stream{bus.Results, bus.Curves} {
		messages, err := r.bus.Read(r.t.Context(), stream, 1)
		if err != nil {
			return nil, err
		}
		for m := range messages {
			if m == nil {
				break
			}
			if stream == bus.Curves {
				c.curves = append(c.curves, string(m.Data()))
			} else if _, twice := c.results[m.Subject()]; twice {
				return nil, errors.New("two results of " + m.Subject())
			} else {
				c.results[m.Subject()] = string(m.Data())
			}
		}
	}
	return c, nil
}

// register is a key or the place of a result. Revision 0: nothing was written; unread: what
// a call wrote whose revision no process learnt.
type register struct {
	revision uint64
	value    string
}

const unread = math.MaxUint64

// model reports what one broker that never fails may answer.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		by := map[string]int{}
		for _, o := range history {
			name := o.Input.(operation).Name
			if _, ok := by[name]; !ok {
				by[name] = len(parts)
				parts = append(parts, nil)
			}
			parts[by[name]] = append(parts[by[name]], o)
		}
		return parts
	},
	Init: func() any { return register{} },
	Step: func(state, input, _ any) (bool, any) {
		s, o := state.(register), input.(operation)
		switch o.Kind {
		case readKey:
			return s.read(o)
		case updateKey:
			return s.update(o)
		}
		return s.publish(o)
	},
	DescribeOperation: func(input, _ any) string { return fmt.Sprintf("%+v", input) },
}

func (s register) read(o operation) (bool, any) {
	switch o.Outcome {
	case unknown:
		return true, s
	case absent:
		return s.revision == 0, s
	}
	if s.revision == unread {
		s.revision = o.Got
	}
	return s == register{o.Got, o.Value}, s
}

func (s register) update(o operation) (bool, any) {
	fits := s.revision == o.Revision
	switch o.Outcome {
	case taken:
		return !fits, s
	case unknown:
		if fits {
			s = register{unread, o.Value}
		}
		return true, s
	}
	return fits && o.Got > o.Revision, register{o.Got, o.Value}
}

func (s register) publish(o operation) (bool, any) {
	free := s.revision == 0
	if o.Outcome == taken {
		return !free && s.value != o.Value, s
	}
	if free {
		return true, register{1, o.Value}
	}
	return o.Outcome == unknown || s.value == o.Value, s
}

// checkHistory checks what clients saw. With three brokers a read may come from one that is
// behind: it must be something that was written, and is left out of the rest.
func checkHistory(t *testing.T, history []operation, final *contents, reads bool) {
	t.Helper()
	count := map[string]int{}
	var checked []porcupine.Operation
	written := map[string]bool{"": true}
	for _, o := range history {
		count[o.Kind+" "+o.Outcome]++
		written[o.Value] = written[o.Value] || o.Kind == updateKey && o.Outcome != taken
	}
	for _, o := range history {
		if o.Outcome == unknown || o.Return == 0 {
			o.Return = math.MaxInt64
		}
		if o.Kind == readKey && !reads {
			require.True(t, o.Outcome == unknown || written[o.Value], "%+v was never written", o)
			continue
		}
		if o.Kind != curve {
			checked = append(checked, porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Call, Output: o.Outcome,
				Return: o.Return})
		}
	}
	t.Logf("%d operations: %v", len(history), count)
	require.GreaterOrEqual(t, count[updateKey+" "+done], clients*least)
	require.GreaterOrEqual(t, count[result+" "+done], clients*least)
	for name, value := range final.results {
		checked = append(checked, porcupine.Operation{ClientId: clients, Call: math.MaxInt64 - 1, Return: math.MaxInt64,
			Input: operation{Kind: result, Name: name, Value: value, Outcome: done}, Output: done})
	}
	verdict, info := porcupine.CheckOperationsVerbose(model, checked, 2*time.Minute)
	if verdict != porcupine.Ok {
		path := filepath.Join(os.TempDir(), fmt.Sprintf("croupier-history-%d.html", *seedFlag))
		require.NoError(t, porcupine.VisualizePath(model, info, path))
		t.Fatalf("the history is not linearizable (%s); seed %d; see %s", verdict, *seedFlag, path)
	}
	checkCurves(t, history, final.curves)
}

// checkCurves makes sure that every acknowledged message is in the stream, once, in the
// order of its client, and no other that was not sent.
func checkCurves(t *testing.T, history []operation, stream []string) {
	t.Helper()
	at := map[string]int{}
	for i, value := range stream {
		_, twice := at[value]
		require.False(t, twice, "%s is in the stream twice", value)
		at[value] = i
	}
	last := map[int]int{}
	slices.SortStableFunc(history, func(a, b operation) int { return int(min(1, max(-1, a.Call-b.Call))) })
	for _, o := range history {
		if o.Kind != curve {
			continue
		}
		i, there := at[o.Value]
		if o.Outcome == done {
			require.True(t, there, "%+v was acknowledged and is lost", o)
			require.GreaterOrEqual(t, i, last[o.Client], "%+v is out of order", o)
			last[o.Client] = i
		}
		delete(at, o.Value)
	}
	require.Empty(t, at, "nobody sent these")
}
