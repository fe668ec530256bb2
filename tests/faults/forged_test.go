//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// forged publishes what no actor publishes: noise, parts of messages, experience of an actor
// that does not exist, results of matches that were never issued. Nothing of it may have an effect.
func forged(r *run, rng *rand.Rand) (string, func() error, error) {
	ctx, cancel := context.WithTimeout(context.Background(), recoverWithin)
	defer cancel()
	stranger := fmt.Sprintf("stranger-%x", rng.Uint32())
	var errs []error
	for range 20 {
		data, err := messages.Encode(&messages.Experience{
			Run: "run", Actor: stranger, Sequence: rng.Uint64(), EpisodesBefore: rng.Uint64(),
			Episodes: []*messages.Episode{{Seed: rng.Uint64(), Seats: []byte{0, 0}, History: []byte{9, 9}}},
			Agents:   []*messages.Agent{{Name: "main"}},
		})
		errs = append(errs, err)
		if rng.IntN(2) == 0 {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
		}
		errs = append(errs, r.bus.Publish(ctx, bus.Experience, stranger, data[:1+rng.IntN(len(data))]))
		match := fmt.Sprintf("forged-%x", rng.Uint64())
		if data, err = messages.Encode(&messages.Result{Run: "run", Match: &messages.Match{
			Schema: 1, Run: "run", Id: match, A: "main@1", B: "random", Sets: 10,
		}, OneA: &messages.Lineup{Sets: 10, Games: 20, ShareSum: 10, Wins: 20}}); rng.IntN(2) == 0 {
			data = data[:rng.IntN(len(data))]
		}
		errs = append(errs, err, r.bus.Publish(ctx, bus.Results, match+"."+stranger, data))
	}
	err := errors.Join(errs...)
	if err != nil && errors.As(err, new(*bus.UnacknowledgedError)) {
		err = nil // another fault's broker
	}
	time.Sleep(time.Second)
	return stranger, func() error {
		for _, what := range []string{"forged-", stranger} {
			if ladder, err := os.ReadFile(filepath.Join(r.league.host.disk, "run", "ladder.json")); err == nil &&
				strings.Contains(string(ladder), what) {
				return fmt.Errorf("%s is on the ladder", what)
			}
		}
		return nil
	}, err
}

// second starts a learner or a league in a copy of the run directory, on another host. It must
// refuse and name the one that is there; that one must not notice.
func second(r *run, rng *rand.Rand) (string, func() error, error) {
	first := []*role{r.learner, r.league}[rng.IntN(2)]
	folder := filepath.Join(r.spare.disk, fmt.Sprint(rng.Uint32()), "run")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(first.host.disk, "run"))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return first.name, nil, err
	}
	defer os.RemoveAll(filepath.Dir(folder))
	x := &role{host: r.spare, name: "second" + first.name, metrics: r.spare.address() + ":9400"}
	for _, arg := range first.args {
		x.args = append(x.args, strings.ReplaceAll(arg, filepath.Join(first.host.disk, "run"), folder))
	}
	x.start()
	defer x.kill()
	select {
	case <-x.exited:
	case <-time.After(20 * time.Second):
		return first.name, nil, fmt.Errorf("a second %s did not end within 20 s: %s", first.name, x.tail())
	}
	if code := x.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(x.output(), "already") {
		return first.name, nil, fmt.Errorf("a second %s ended with %v and says %s", first.name, x.cmd.ProcessState, x.tail())
	}
	return first.name, nil, nil
}
