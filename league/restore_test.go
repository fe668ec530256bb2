package league

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/policy"
)

// part is something that a broker can lose.
type part int

const (
	state part = iota
	objects
	results
	someResults
)

// lose replaces the broker by one that has lost some of what it had.
func (c *cluster) lose(lost ...part) {
	without := map[part]bool{}
	for _, p := range lost {
		without[p] = true
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	old := c.bus
	c.bus = memory.New(bus.Options{})
	c.stop = append(c.stop, func() { c.bus.Close() })
	if !without[state] {
		entries, err := old.State().Watch(ctx, "")
		require.NoError(c.t, err)
		for e := range entries {
			if e.Key == "" {
				break
			}
			_, err := c.bus.State().Put(ctx, e.Key, e.Value)
			require.NoError(c.t, err)
		}
	}
	names, err := old.ListObjects(ctx)
	require.NoError(c.t, err)
	for _, name := range names {
		if data, err := old.GetObject(ctx, name); err == nil && !without[objects] {
			require.NoError(c.t, c.bus.PutObject(ctx, name, data))
		}
	}
	info, err := old.Info(ctx, bus.Results)
	require.NoError(c.t, err)
	keep := info.Last
	if without[someResults] {
		keep /= 3
	}
	in, err := old.Read(ctx, bus.Results, 1)
	require.NoError(c.t, err)
	for m := range in {
		if m == nil {
			break
		}
		if !without[results] && m.Sequence() <= keep {
			require.NoError(c.t, c.bus.Publish(ctx, bus.Results, m.Subject(), m.Data()))
		}
	}
	require.NoError(c.t, old.Close())
}

// flip changes a byte in the middle of a file.
func (c *cluster) flip(name string) {
	path := filepath.Join(c.dir, name)
	data, err := os.ReadFile(path)
	require.NoError(c.t, err)
	data[len(data)/2] ^= 4
	require.NoError(c.t, os.WriteFile(path, data, 0o644))
}

// cut leaves the first part of a file's lines, one of that many; 0: none.
func (c *cluster) cut(name string, parts int) {
	lines := strings.SplitAfter(c.read(name), "\n")
	require.Greater(c.t, len(lines), 4, "there is something to lose")
	kept := 0
	if parts > 0 {
		kept = len(lines) / parts
	}
	require.NoError(c.t, os.WriteFile(filepath.Join(c.dir, name), []byte(strings.Join(lines[:kept], "")), 0o644))
}

// read returns a file of the run directory.
func (c *cluster) read(name string) string {
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	require.NoError(c.t, err)
	return string(data)
}

// Whatever of its state the broker or the run directory has lost, the other has it: the ladder is the
// same to the last bit, every version has its weights, and no number is used again.
func TestRunDirectoryAndBrokerRestoreEachOther(t *testing.T) {
	for name, damage := range map[string]func(*cluster){
		"state":            func(c *cluster) { c.lose(state) },
		"objects":          func(c *cluster) { c.lose(objects) },
		"results":          func(c *cluster) { c.lose(results) },
		"some results":     func(c *cluster) { c.lose(someResults) },
		"all":              func(c *cluster) { c.lose(state, objects, results) },
		"flipped snapshot": func(c *cluster) { c.flip(snapshotName) },
		"flipped copy":     func(c *cluster) { c.flip(snapshotCopy) },
		"flipped copy alone": func(c *cluster) {
			c.flip(snapshotCopy)
			require.NoError(c.t, os.Remove(filepath.Join(c.dir, snapshotName)))
		},
		"no journal":     func(c *cluster) { require.NoError(c.t, os.Remove(filepath.Join(c.dir, journalName))) },
		"empty journal":  func(c *cluster) { c.cut(journalName, 0) },
		"halved journal": func(c *cluster) { c.cut(journalName, 2) },
		"journal of zeros": func(c *cluster) {
			path := filepath.Join(c.dir, journalName)
			require.NoError(c.t, os.WriteFile(path, make([]byte, len(c.read(journalName))), 0o644))
		},
		"flipped journal": func(c *cluster) { c.flip(journalName) },
		"flipped ladder":  func(c *cluster) { c.flip("ladder.json") },
		"flipped list":    func(c *cluster) { c.flip(rundir.MembersFile) },
		"flipped weights": func(c *cluster) { c.flip(rundir.VersionFile("main@2")) },
		"no population": func(c *cluster) {
			require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, rundir.VersionFolder)))
		},
		"list, and the state": func(c *cluster) { c.flip(rundir.VersionFile("main@2")); c.lose(state) },
	} {
		inCluster(t, func(c *cluster) {
			c.startActor()
			stop := c.start(c.options())
			for range 4 {
				c.learn()
				time.Sleep(30 * time.Second)
			}
			time.Sleep(5 * time.Minute) // the arena comes to rest
			require.NoError(t, stop())
			want := c.ladder()
			damage(c)

			stop = c.start(c.options())
			time.Sleep(time.Minute)
			require.Equal(t, want, c.ladder(), name)
			require.Equal(t, c.read(snapshotName), c.read(snapshotCopy), "%s: there are two copies again", name)
			for n := uint64(1); n <= 4; n++ {
				e, err := c.bus.State().Get(c.t.Context(), messages.MemberKey("main", n))
				require.NoError(t, err, name)
				m, err := decodeMember(e.Key, e.Value)
				require.NoError(t, err)
				data, err := c.bus.GetObject(c.t.Context(), m.Object)
				require.NoError(t, err, name)
				require.Equal(t, "weights "+string(rune('0'+n)), string(data), name)
				file, err := os.ReadFile(filepath.Join(c.dir, rundir.VersionFile(m.Name)))
				require.NoError(t, err, name)
				require.True(t, bytes.Equal(data, file), name)
			}
			c.learn()
			time.Sleep(time.Minute)
			require.Len(t, c.league.core.members, 5, name)
			require.Equal(t, "main@5", c.league.core.newest().Name, name)
			require.NoError(t, stop())
		})
	}
}

// A number that only a file in the run directory has is not used again either.
func TestNumbersAreNotUsedAgain(t *testing.T) {
	inCluster(t, func(c *cluster) {
		folder := filepath.Join(c.dir, rundir.VersionFolder)
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "main@7.safetensors"), []byte("of another time"), 0o644))
		stop := c.start(c.options())
		c.learn()
		time.Sleep(5 * time.Second)
		require.NoError(t, stop())
		require.Equal(t, "main@8", c.league.core.newest().Name)
		data, err := os.ReadFile(filepath.Join(folder, "main@7.safetensors"))
		require.NoError(t, err)
		require.Equal(t, "of another time", string(data))
	})
}

// A state that is intact and of another run, of other rules or of another program is not replaced by one that begins
// from nothing: the league does not start, and changes nothing. A damaged one is put aside before it is replaced.
func TestNoStateIsThrownAway(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		time.Sleep(time.Minute)
		require.NoError(t, stop())
		before := map[string]string{snapshotName: c.read(snapshotName), snapshotCopy: c.read(snapshotCopy),
			journalName: c.read(journalName)}
		other := ratingtest.Game{Is: ratingtest.Spec(3), Variant: 1}
		for want, change := range map[string]func(o *Options){
			`of run "run" with`: func(o *Options) { o.Run = "rqn" },
			fmt.Sprintf(`not "run" with %x`, engine.RulesHash(other)): func(o *Options) { o.Game = other },
		} {
			o := c.options()
			change(&o)
			_, err := New(o)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, filepath.Join(c.dir, snapshotName)+" is not the state of this run")
		}
		for name, content := range before {
			require.Equal(t, content, c.read(name), name)
		}

		c.flip(snapshotName)
		damaged := c.read(snapshotName)
		stop = c.start(c.options())
		time.Sleep(time.Minute)
		require.NoError(t, stop())
		require.Equal(t, damaged, c.read(snapshotName+rundir.DamagedSuffix+"1"))
		require.Equal(t, c.read(snapshotCopy), c.read(snapshotName))
	})
}

// A state that a newer program wrote is intact, whatever this one makes of it.
func TestAStateOfANewerProgramIsKept(t *testing.T) {
	c := newTestCore(testConfig(), 2, false)
	for _, state := range []string{`{"schema":99}`, `{"schema":3,"news":1}`} {
		sum := sha256.Sum256([]byte(state))
		document := fmt.Sprintf(`{"sha256":"%x","state":%s}`, sum, state)
		_, err := c.readSnapshot([]byte(document))
		require.ErrorAs(t, err, &foreignError{}, state)
		_, err = c.readSnapshot([]byte(strings.Replace(document, `"schema"`, `"schemb"`, 1)))
		require.Error(t, err)
		require.NotErrorIs(t, err, foreignError{}, state)
		require.ErrorContains(t, err, "checksum")
	}
}

// Whenever a league ends, the run directory has the weights of every version that its ladder names.
func TestTheLaddersVersionsAreInTheRunDirectory(t *testing.T) {
	named := 0
	for delay := time.Duration(0); delay < 3*period; delay += period / 10 {
		inCluster(t, func(c *cluster) {
			c.startActor()
			stop := c.start(c.options())
			c.learn()
			time.Sleep(delay)
			require.NoError(t, stop())
			ladder, err := ReadLadder(c.dir)
			if errors.Is(err, ErrNoLadder) {
				return
			}
			require.NoError(t, err)
			for _, a := range ladder.Agents {
				_, version, err := policy.CutTemperature(a.Name)
				require.NoError(t, err)
				if _, _, isVersion := messages.ParseMemberName(version); isVersion {
					require.FileExists(t, filepath.Join(c.dir, rundir.VersionFile(version)), "after %v", delay)
					named++
				}
			}
		})
	}
	require.Positive(t, named)
}
