//go:build linux

package faults

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/nn"
)

// What must hold of every run, whatever happened to its roles.

// results are those that somebody who follows the stream has seen.
type results struct {
	mutex sync.Mutex
	seen  map[uint64]published
}

type published struct{ subject, data string }

// follow reads the results as they come.
func follow(t testing.TB, b bus.Bus) *results {
	t.Helper()
	stream, err := b.Read(t.Context(), bus.Results, 1)
	require.NoError(t, err)
	r := &results{seen: map[uint64]published{}}
	go func() {
		for m := range stream {
			if m == nil {
				continue
			}
			r.mutex.Lock()
			r.seen[m.Sequence()] = published{m.Subject(), string(m.Data())}
			r.mutex.Unlock()
		}
	}()
	return r
}

// checkResults reads all results again: those that were seen are there unchanged, and no
// match has two that count.
func (r *run) checkResults() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stream, err := r.bus.Read(ctx, bus.Results, 1)
	if err != nil {
		return err
	}
	all, first := map[uint64]published{}, uint64(0)
	for m := range stream {
		if m == nil {
			break
		}
		if first == 0 {
			first = m.Sequence()
		}
		all[m.Sequence()] = published{m.Subject(), string(m.Data())}
	}
	if ctx.Err() != nil {
		return errors.New("the results cannot be read")
	}
	r.results.mutex.Lock()
	defer r.results.mutex.Unlock()
	for sequence, m := range r.results.seen {
		if sequence >= first && all[sequence] != m && !r.spoilt() { // those below were trimmed
			return fmt.Errorf("result %d (%s) was acknowledged and is lost or changed", sequence, m.subject)
		}
	}
	matches := map[string]uint64{}
	for sequence, m := range all {
		if other, twice := matches[m.subject]; twice {
			return fmt.Errorf("results %d and %d are both %s", other, sequence, m.subject)
		}
		matches[m.subject] = sequence
	}
	return nil
}

// spoilt reports whether a fault has changed the only copy of the results that the brokers had. The league's run
// directory has the other one.
func (r *run) spoilt() bool {
	for path := range r.damaged {
		if len(r.brokers) == 1 && strings.Contains(path, "_RESULTS/") {
			return true
		}
	}
	return false
}

// ledgers returns the learner's accounts by actor.
func (r *run) ledgers() (map[string]*messages.Ledger, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	entries, err := r.bus.State().Watch(ctx, messages.LedgerPrefix)
	if err != nil {
		return nil, err
	}
	out := map[string]*messages.Ledger{}
	for e := range entries {
		if e.Key == "" {
			return out, nil
		}
		l := &messages.Ledger{}
		if err := proto.Unmarshal(e.Value, l); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Key, err)
		}
		out[l.Actor] = l
	}
	return nil, errors.New("the ledgers cannot be read")
}

// produced is what a worker says in its journal (actor.Produced).
type produced struct {
	Actor             string
	Episodes, Batches uint64
	Closed            bool
}

// checkLedgers makes sure that every account adds up and none has more than was produced;
// once all actors have ended, that those which ended in order have all they produced in it.
func (r *run) checkLedgers(ended bool) error {
	ledgers, err := r.ledgers()
	if err != nil {
		return err
	}
	for _, l := range ledgers {
		if got := l.Consumed + l.Stale + l.Refused + l.Lost; got != l.Episodes {
			return fmt.Errorf("the account of %s does not add up: %v", l.Actor, l)
		}
	}
	for _, a := range r.actors {
		if err := r.checkJournals(filepath.Join(a.host.disk, "run"), ledgers, ended); err != nil {
			return err
		}
	}
	return nil
}

// checkJournals compares the journals of the actors in a run directory with the accounts.
func (r *run) checkJournals(folder string, ledgers map[string]*messages.Ledger, ended bool) error {
	files, err := filepath.Glob(filepath.Join(folder, "actors", "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if r.damaged[file] {
			continue
		}
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			continue // killed before its first line, and so before its first batch
		}
		var p produced
		if err := readJSON(file, &p); err != nil {
			return err
		}
		l := ledgers[p.Actor]
		switch {
		case l == nil:
			if ended && p.Closed && p.Episodes > 0 {
				return fmt.Errorf("%s produced %d and has no account", p.Actor, p.Episodes)
			}
		case l.Episodes > p.Episodes && (ended || p.Closed):
			return fmt.Errorf("%s: more in the account than was produced: %+v, %v", p.Actor, p, l)
		case ended && p.Closed && l.Episodes != p.Episodes:
			return fmt.Errorf("%s: %+v is not what is in the account, %v", p.Actor, p, l)
		}
	}
	return nil
}

// checkCheckpoints loads every checkpoint of the manifest.
func (r *run) checkCheckpoints() error {
	folder := filepath.Join(r.learner.host.disk, "run", "checkpoints")
	var manifest struct {
		Checkpoints []struct{ File, SHA256 string }
	}
	if err := readJSON(filepath.Join(folder, "manifest.json"), &manifest); err != nil {
		return err
	}
	if len(manifest.Checkpoints) == 0 {
		return errors.New("no checkpoint is listed")
	}
	for _, c := range manifest.Checkpoints {
		file := filepath.Join(folder, c.File)
		if r.damaged[file] {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != c.SHA256 {
			return fmt.Errorf("checkpoint %s is not what the manifest says", c.File)
		}
		if _, _, err := nn.DecodeTensors(data); err != nil {
			return fmt.Errorf("checkpoint %s: %w", c.File, err)
		}
	}
	return nil
}

// temporary matches what durable.WriteFile leaves when it is interrupted.
var temporary = regexp.MustCompile(`^\..+\.[0-9]+(\.tmp)?$`)

// checkFiles makes sure that no temporary file is left in any run directory.
func (r *run) checkFiles() error {
	var left []string
	for _, role := range r.roles[len(r.brokers):] {
		err := filepath.WalkDir(role.host.disk, func(path string, d os.DirEntry, err error) error {
			if err == nil && temporary.MatchString(d.Name()) {
				left = append(left, role.name+strings.TrimPrefix(path, role.host.disk))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("temporary files are left: %v", left)
	}
	return nil
}

// panicked matches what a Go program writes before it ends by a mistake of its own.
var panicked = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|.*level=ERROR.*invariant.*)$`)

// checkLogs makes sure that no role has ended in a panic.
func (r *run) checkLogs() error {
	for _, role := range r.roles {
		if m := panicked.FindString(role.output()); m != "" {
			return fmt.Errorf("%s: %s", role.name, m)
		}
	}
	return nil
}

// use is what a process holds.
type use struct{ goroutines, descriptors, megabytes float64 }

func (r *run) uses() (map[string]use, error) {
	out := map[string]use{}
	for _, role := range r.roles {
		goroutines, err := role.value("go_goroutines")
		descriptors, err2 := role.value("process_open_fds")
		bytes, err3 := role.value("process_resident_memory_bytes")
		if err := errors.Join(err, err2, err3); err != nil {
			return nil, err
		}
		out[role.name] = use{goroutines, descriptors, bytes / (1 << 20)}
	}
	return out, nil
}

// checkUses makes sure that no role holds much more than it did at first.
func (r *run) checkUses(at map[string]use) error {
	return within(10*time.Second, func() error {
		now, err := r.uses()
		if err != nil {
			return err
		}
		for name, u := range now {
			a := at[name]
			if u.goroutines > 2*a.goroutines+60 || u.descriptors > 2*a.descriptors+60 || u.megabytes > 3*a.megabytes+200 {
				return fmt.Errorf("%s holds %.0f goroutines, %.0f descriptors and %.0f MB, at first %.0f, %.0f and %.0f", name,
					u.goroutines, u.descriptors, u.megabytes, a.goroutines, a.descriptors, a.megabytes)
			}
		}
		return nil
	})
}

// check is the oracle after every fault.
func (r *run) check(at map[string]use) error {
	// A manifest whose bytes were flipped is whole again with the next checkpoint.
	checkpoints := within(15*time.Second, r.checkCheckpoints)
	return errors.Join(r.checkLedgers(false), checkpoints, r.checkLogs(), r.checkUses(at))
}

// end ends the run in good order and checks everything that can be said then.
func (r *run) end() error {
	var errs []error
	for _, a := range r.actors {
		a.signal(15)
	}
	for _, a := range r.actors {
		errs = append(errs, a.ended())
	}
	// What a learner had fetched when it was killed comes again after the lease.
	errs = append(errs, within(45*time.Second, func() error { return r.checkLedgers(true) }))
	errs = append(errs, r.settled())
	for _, x := range append(r.peers, r.learner, r.league, r.web) {
		errs = append(errs, x.stop())
	}
	errs = append(errs, r.checkResults(), r.checkCheckpoints(), r.checkFiles(), r.checkLogs(), r.recomputed())
	r.bus.Close()
	for _, b := range r.brokers {
		errs = append(errs, b.stop())
	}
	return errors.Join(errs...)
}

// settled waits until a league says that it has read and rated all results: its ladder has them.
func (r *run) settled() error {
	return within(2*recoverWithin, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		info, err := r.bus.Info(ctx, bus.Results)
		if err != nil {
			return err
		}
		entries, err := r.bus.Roles().Watch(ctx, messages.LeagueRole+".")
		if err != nil {
			return err
		}
		var words string
		var results float64
		for e := range entries {
			if e.Key == "" {
				break
			}
			var s messages.Status
			if err := proto.Unmarshal(e.Value, &s); err != nil {
				return err
			}
			if s.Values["results"] >= results { // of leagues that were killed there is a last one, too
				words, results = s.State, s.Values["results"]
			}
		}
		if words != "running" || results != float64(info.Last) {
			return fmt.Errorf("the league is %q and has settled %.0f of %d results", words, results, info.Last)
		}
		return nil
	})
}

// recomputed lets a league make the ladder again, of its journal and the results alone as long as the
// broker has all of them, else of the copy of its snapshot, and compares it with what the league has left.
func (r *run) recomputed() error {
	folder := filepath.Join(r.league.host.disk, "run")
	ladder := filepath.Join(folder, "ladder.json")
	before, err := os.ReadFile(ladder)
	if err != nil {
		return err
	}
	info, err := r.bus.Info(context.Background(), bus.Results)
	if err != nil {
		return err
	}
	err = errors.Join(os.Remove(filepath.Join(folder, "league.json")), os.Remove(ladder))
	if info.First == 1 && !r.spoilt() {
		err = errors.Join(err, os.Remove(filepath.Join(folder, "league-copy.json")))
	}
	if err != nil {
		return err
	}
	r.league.start()
	var after []byte
	err = within(recoverWithin, func() error {
		after, err = os.ReadFile(ladder)
		if err == nil && string(after) != string(before) {
			err = fmt.Errorf("the ladder is not what its results make:\n%s\n%s", before, after)
		}
		return err
	})
	return errors.Join(err, r.league.stop())
}
