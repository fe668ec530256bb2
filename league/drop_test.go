package league

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
)

// thinned are the options of a league that drops whom it can.
func (c *cluster) thinned() Options {
	o := c.options()
	o.Config.Population, o.Config.LadderMembers, o.Config.Pool, o.Config.KeepMembers = 1, 1, 1, 1
	return o
}

// listed returns the run directory's list of members.
func (c *cluster) listed() messages.MemberList {
	doc, err := os.ReadFile(filepath.Join(c.dir, rundir.MembersFile))
	require.NoError(c.t, err)
	list, damaged := messages.ParseMembers(doc)
	require.Zero(c.t, damaged)
	return list
}

// requireOnly reports that the broker and the run directory have these members, and nothing of any other.
func (c *cluster) requireOnly(members []*messages.Member, why string) {
	var keys, objects, files []string
	for _, m := range members {
		keys = append(keys, messages.MemberKey("main", m.Order))
		objects = append(objects, m.Object)
		files = append(files, m.Name+".safetensors")
	}
	entries, err := c.bus.State().Watch(c.t.Context(), messages.MemberPrefix)
	require.NoError(c.t, err)
	var there []string
	for e := range entries {
		if e.Key == "" {
			break
		}
		there = append(there, e.Key)
	}
	require.ElementsMatch(c.t, keys, there, why)
	stored, err := c.bus.ListObjects(c.t.Context())
	require.NoError(c.t, err)
	stored = slices.DeleteFunc(stored, func(name string) bool { return !strings.HasPrefix(name, messages.MemberObjects) })
	require.ElementsMatch(c.t, objects, stored, why)
	found, err := filepath.Glob(filepath.Join(c.dir, rundir.VersionFolder, "*.safetensors"))
	require.NoError(c.t, err)
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	require.ElementsMatch(c.t, files, found, why)
}

// play trains some versions and lets the arena come to rest.
func (c *cluster) play(versions int) {
	for range versions {
		c.learn()
		time.Sleep(time.Minute)
	}
	time.Sleep(5 * time.Minute)
}

// Weights of members that are dropped go from the broker and from the run directory, what they came to stays;
// whatever a kill in between leaves of them is removed at the next start, and no number is used again.
func TestDroppedMembersAreGone(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.thinned())
		c.play(12)
		list := c.listed()
		require.NotEmpty(t, list.Dropped)
		require.Len(t, list.Kept, len(c.league.core.members))
		require.Equal(t, 12, len(list.Kept)+len(list.Dropped))
		c.requireOnly(list.Kept, "dropped")
		for _, m := range list.Dropped {
			require.Positive(t, m.Games, m.Name)
			require.Less(t, m.Low, m.High)
		}
		require.NoError(t, stop())
		want := c.ladder()

		gone := list.Dropped[0].Member
		data := []byte("weights " + string(rune('0'+gone.Order)))
		sum := sha256.Sum256(data)
		require.Equal(t, gone.Sha256, sum[:])
		value, err := messages.Encode(gone)
		require.NoError(t, err)
		orphan := messages.MemberObject("main", 12, sha256.Sum256([]byte("never frozen")))
		for _, left := range []string{"key", "object", "file", "orphan"} {
			var err error
			switch left {
			case "key":
				_, err = c.bus.State().Put(t.Context(), messages.MemberKey("main", gone.Order), value)
			case "object":
				err = c.bus.PutObject(t.Context(), gone.Object, data)
			case "file":
				err = os.WriteFile(filepath.Join(c.dir, rundir.VersionFile(gone.Name)), data, 0o644)
			case "orphan":
				err = c.bus.PutObject(t.Context(), orphan, []byte("never frozen"))
			}
			require.NoError(t, err, left)
			stop = c.start(c.thinned())
			time.Sleep(time.Minute)
			c.requireOnly(list.Kept, left)
			require.Equal(t, len(list.Dropped), len(c.listed().Dropped), left)
			require.Equal(t, document(t, want), document(t, c.ladder()), left)
			require.NoError(t, stop())
		}
		stop = c.start(c.thinned())
		c.play(1)
		require.Equal(t, "main@13", c.league.core.newest().Name)
		require.NoError(t, stop())
	})
}

// Nothing is removed of a member before what it came to is written.
func TestNobodyIsDroppedWithoutATrace(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		c.play(8)
		require.NoError(t, stop())
		kept := c.listed().Kept

		path := filepath.Join(c.dir, rundir.MembersFile)
		require.NoError(t, os.Remove(path))
		stop = c.start(c.thinned())
		require.NoError(t, os.Mkdir(path, 0o755)) // nothing can be written there
		time.Sleep(time.Minute + period/2)
		synctest.Wait()
		require.Contains(t, c.log.String(), "no member dropped")
		stored, err := c.bus.ListObjects(t.Context())
		require.NoError(t, err)
		for _, m := range kept {
			require.Contains(t, stored, m.Object)
		}
		require.NoError(t, os.Remove(path))
		time.Sleep(time.Minute)
		require.NoError(t, stop())
		require.Equal(t, 8, len(c.listed().Kept)+len(c.listed().Dropped))
		require.Less(t, len(c.listed().Kept), len(kept))
	})
}

// A broker that takes nothing while members are dropped is rid of them later.
func TestDroppingWaitsForTheBroker(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		c.play(8)
		require.NoError(t, stop())
		o := c.thinned()
		deaf := &stubborn{Bus: c.bus}
		deaf.deaf.Store(true)
		o.Bus = deaf
		stop = c.start(o)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NotEmpty(t, c.listed().Dropped)
		require.Contains(t, c.log.String(), "not removed yet")
		deaf.deaf.Store(false)
		time.Sleep(time.Minute)
		c.requireOnly(c.listed().Kept, "later")
		require.NoError(t, stop())
	})
}

// stubborn deletes no objects.
type stubborn struct {
	bus.Bus
	deaf atomic.Bool
}

func (b *stubborn) DeleteObject(ctx context.Context, name string) error {
	if b.deaf.Load() {
		return errors.New("no answer")
	}
	return b.Bus.DeleteObject(ctx, name)
}

// Results that are refused leave next to nothing in the journal; the broker is rid of them all the same.
func TestRefusedResultsDoNotFillTheBroker(t *testing.T) {
	inCluster(t, func(c *cluster) {
		o := c.options()
		o.Config.ResultBytes = 64 << 10
		stop := c.start(o)
		c.learn()
		time.Sleep(5 * time.Second)
		largest := uint64(0)
		for i := range 200 {
			junk := make([]byte, 4<<10)
			require.NoError(t, c.bus.Publish(t.Context(), bus.Results, messages.ResultSubject(fmt.Sprintf("m%d", i), "liar"),
				junk))
			time.Sleep(time.Second)
			info, err := c.bus.Info(t.Context(), bus.Results)
			require.NoError(t, err)
			largest = max(largest, info.Bytes)
		}
		require.Less(t, largest, uint64(2*64<<10))
		require.NoError(t, stop())
		require.Less(t, len(c.league.core.refusals), 40)
	})
}

// A ladder of a thousand agents does not go out every second, but it does go out, and fits a message.
func TestLargeLaddersGoOutLessOften(t *testing.T) {
	inCluster(t, func(c *cluster) {
		l, err := New(c.options())
		require.NoError(t, err)
		ladder := &messages.Ladder{Game: "test", Agents: []messages.LadderAgent{}, Payoff: []messages.Payoff{}}
		for i := range 1000 {
			ladder.Agents = append(ladder.Agents, messages.LadderAgent{Name: messages.MemberName("main", uint64(i+1)),
				Kind: "network"})
			for j := range min(i, 30) {
				ladder.Payoff = append(ladder.Payoff, messages.Payoff{A: ladder.Agents[i].Name, B: ladder.Agents[j].Name})
			}
		}
		file := filepath.Join(c.dir, LadderFile)
		began, written, files := time.Now(), 0, int64(0)
		for second := range 100 {
			l.showNext(ladder)
			require.NoError(t, l.showLadder(began.Add(time.Duration(second)*time.Second), false))
			if doc := l.outbox.values[messages.LadderKey]; doc != nil {
				require.LessOrEqual(t, len(doc), messages.MaxMessage)
				written += len(doc)
				delete(l.outbox.values, messages.LadderKey)
			}
			if info, err := os.Stat(file); err == nil {
				files += info.Size()
				require.NoError(t, os.Remove(file))
			}
		}
		require.Positive(t, written)
		require.LessOrEqual(t, written, 100*ladderRate+messages.MaxMessage)
		doc, err := ladder.JSON()
		require.NoError(t, err)
		require.Positive(t, files)
		require.LessOrEqual(t, files, int64(100*ladderRate+len(doc)))
		l.showNext(ladder)
		require.NoError(t, l.showLadder(began, true), "at once, at the end")
		all, err := ReadLadder(c.dir)
		require.NoError(t, err)
		require.Len(t, all.Payoff, len(ladder.Payoff), "the run directory has all of it")
	})
}
