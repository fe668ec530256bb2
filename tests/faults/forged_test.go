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
	nobody := fmt.Sprintf("nobody-%x", rng.Uint32())
	var errs []error
	for range 20 {
		data, err := messages.Encode(&messages.Experience{
			Run: "run", Actor: nobody, Sequence: rng.Uint64(), EpisodesBefore: rng.Uint64(),
			Episodes: []*messages.Episode{{Seed: rng.Uint64(), Seats: []byte{0, 0}, History: []byte{9, 9}}},
			Agents:   []*messages.Agent{{Name: "main"}},
		})
		errs = append(errs, err)
		if rng.IntN(2) == 0 {
			data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
		}
		errs = append(errs, r.bus.Publish(ctx, bus.Experience, nobody, data[:1+rng.IntN(len(data))]))
		match := fmt.Sprintf("forged-%x", rng.Uint64())
		if data, err = messages.Encode(&messages.Result{Run: "run", Match: &messages.Match{
			Schema: 1, Run: "run", Id: match, A: "main@1", B: "random", Sets: 10,
		}, OneA: &messages.Lineup{Sets: 10, Games: 20, ShareSum: 10, Wins: 20}}); rng.IntN(2) == 0 {
			data = data[:rng.IntN(len(data))]
		}
		errs = append(errs, err, r.bus.Publish(ctx, bus.Results, match+"."+nobody, data))
	}
	err := errors.Join(errs...)
	if err != nil && errors.As(err, new(*bus.UnacknowledgedError)) {
		err = nil // another fault's broker
	}
	time.Sleep(time.Second)
	return nobody, func() error {
		for _, what := range []string{"forged-", nobody} {
			if ladder, err := os.ReadFile(filepath.Join(r.league.host.disk, "run", "ladder.json")); err == nil &&
				strings.Contains(string(ladder), what) {
				return fmt.Errorf("%s is on the ladder", what)
			}
		}
		return nil
	}, err
}

// second starts a second process of a role on another host. A learner or a league, in a copy of the run
// directory, must refuse and name the one that is there, which must not notice.
func second(r *run, rng *rand.Rand) (string, func() error, error) {
	first := []*role{r.learner, r.league, r.actors[0]}[rng.IntN(3)]
	if first == r.actors[0] {
		return r.namesake(first)
	}
	folder := filepath.Join(r.spare.disk, fmt.Sprint(rng.Uint32()), "run")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(first.host.disk, "run"))); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return first.name, nil, err
	}
	defer os.RemoveAll(filepath.Dir(folder))
	x := r.startSecond(first, folder)
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

// startSecond starts the role a second time, on the spare host and in another folder.
func (r *run) startSecond(first *role, folder string) *role {
	x := &role{host: r.spare, name: "second" + first.name, metrics: r.spare.address() + ":9400"}
	for _, arg := range first.args {
		x.args = append(x.args, strings.ReplaceAll(arg, filepath.Join(first.host.disk, "run"), folder))
	}
	x.start()
	return x
}

// namesake starts a second actor with the key of one, and so of its name. It plays, and the learner tells the
// games of the two apart: all that it has produced is in the accounts once it has ended.
func (r *run) namesake(first *role) (string, func() error, error) {
	folder := filepath.Join(r.spare.disk, fmt.Sprint(first.starts, time.Now().UnixNano()), "run")
	x := r.startSecond(first, folder)
	defer x.kill()
	plays := within(recoverWithin, func() error {
		decisions, err := x.value("croupier_actor_decisions_total")
		if err == nil && decisions == 0 {
			err = fmt.Errorf("a second %s does not play", first.name)
		}
		return err
	})
	if err := errors.Join(plays, x.stop()); err != nil {
		return first.name, nil, fmt.Errorf("%w: %s", err, x.tail())
	}
	return first.name, func() error {
		defer os.RemoveAll(filepath.Dir(folder))
		return within(recoverWithin, func() error {
			ledgers, err := r.ledgers()
			if err != nil {
				return err
			}
			return r.checkJournals(folder, ledgers, true)
		})
	}, nil
}
