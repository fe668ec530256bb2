package league

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/league/rating"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
)

// recomputed returns a core that has the population, and of the run directory the journal alone.
func recomputed(t *testing.T, w *world, entries []entry) *core {
	c := newTestCore(testConfig(), 3, false)
	for _, p := range w.promoted {
		mustStep(t, c, promotionKnown{p})
	}
	for _, m := range w.members {
		mustStep(t, c, memberKnown{m})
	}
	require.Zero(t, c.replay(entries))
	return c
}

// A league whose snapshot is lost knows by the journal which matches are under way and which results it
// has refused: reading all results again gives the ladder that there was.
func TestRecomputationWithoutSnapshotDecidesAlike(t *testing.T) {
	w := asked(t, false)
	k := w.core.Key("main@1", "random")
	unasked := arrival(1, w.sim.Play(w.core.Match(k, rating.Span{First: 500, End: 505}, 0)))
	_, err := outcome(t, w.core, unasked)
	require.ErrorContains(t, err, "were not requested")
	counted := arrival(2, w.sim.Play(w.queue[0]))
	_, err = outcome(t, w.core, counted)
	require.NoError(t, err)
	unread := arrival(3, w.sim.Play(w.queue[1]))
	unread.quarantined = true
	again, err := outcome(t, w.core, unread)
	require.ErrorContains(t, err, string(messages.ReasonQuarantined))
	require.Len(t, again, 1, "somebody else is to play them")

	entries := w.core.remains()
	c := recomputed(t, w, entries)
	unread.quarantined = false // lifted meanwhile
	for _, e := range []resultArrived{unasked, counted, unread} {
		mustStep(t, c, e)
	}
	require.Equal(t, document(t, ladderOf(t, w.core)), document(t, ladderOf(t, c)))

	late := arrival(4, w.sim.Play(again[0]))
	for _, c := range []*core{w.core, c} {
		_, err = outcome(t, c, late)
		require.NoError(t, err, "it was asked for before the loss")
	}
	require.Equal(t, document(t, ladderOf(t, w.core)), document(t, ladderOf(t, c)))
}

// publish sends a result of an actor.
func (c *cluster) publish(actor string, r *messages.Result) {
	data, err := messages.Encode(r)
	require.NoError(c.t, err)
	require.NoError(c.t, c.bus.Publish(c.t.Context(), bus.Results, messages.ResultSubject(r.Match.Id, actor), data))
	time.Sleep(time.Second)
}

// An actor whose results are refused again and again is quarantined for all; nothing of it counts any
// more, be it right or wrong, and after a kill without the snapshot and a lift neither.
func TestAnActorWithBadResultsIsQuarantined(t *testing.T) {
	inCluster(t, func(c *cluster) {
		t, ctx := c.t, c.t.Context()
		o := c.options()
		o.Conduct = conduct.Config{Offences: 2, Window: time.Minute}
		stop := c.start(o)
		c.learn()
		time.Sleep(3 * time.Second)
		consumer, err := c.bus.Consume(ctx, bus.Matches, "actors", "")
		require.NoError(t, err)
		batch, err := consumer.Fetch(ctx, 3, time.Second)
		require.NoError(t, err)
		require.Len(t, batch, 3)
		sim := newWorld(t, testConfig(), 3, 1).sim
		var results []*messages.Result
		for _, m := range batch {
			match := &messages.Match{}
			require.NoError(t, messages.Decode(m.Data(), match))
			results = append(results, sim.Play(match))
		}
		for _, r := range results[:2] {
			sum := r.OneA.ShareSum
			r.OneA.ShareSum++
			c.publish("liar", r)
			r.OneA.ShareSum = sum
		}
		records, err := conduct.List(ctx, c.bus.State())
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, "liar", records[0].Actor)
		require.Equal(t, messages.LeagueRole, records[0].By)
		c.publish("liar", results[2])
		require.EqualValues(t, 3, c.value("croupier_league_results_total", outcomeRefused))
		require.Zero(t, c.value("croupier_league_results_total", outcomeApplied))
		c.publish("honest", results[0])
		require.EqualValues(t, 1, c.value("croupier_league_results_total", outcomeApplied))
		require.NoError(t, stop())
		want := c.ladder()

		require.NoError(t, conduct.Lift(ctx, c.bus.State(), "liar"))
		for _, name := range []string{snapshotName, snapshotCopy} {
			require.NoError(t, os.Remove(filepath.Join(c.dir, name)))
		}
		stop = c.start(c.options())
		time.Sleep(3 * time.Second)
		require.Equal(t, want, c.ladder())
		require.Contains(t, c.log.String(), "refused before")
		require.NoError(t, stop())
	})
}

// An actor that takes matches and brings nothing costs the others next to nothing: they are given matches by name.
func TestAThiefOfMatchesDoesNotStopTheRating(t *testing.T) {
	alone, _ := resultsWithThief(t, false)
	robbed, stolen := resultsWithThief(t, true)
	t.Logf("%d results alone, %d next to a thief of %d matches", alone, robbed, stolen)
	require.Greater(t, alone, uint64(100))
	require.Greater(t, stolen, 50)
	require.GreaterOrEqual(t, float64(robbed), 0.8*float64(alone))
}

// resultsWithThief returns how many results an honest actor brings within five minutes, and how many matches a thief
// takes from the queue, if there is one, which says that it is there.
func resultsWithThief(t *testing.T, theft bool) (results uint64, stolen int) {
	inCluster(t, func(c *cluster) {
		ctx, cancel := context.WithCancel(c.t.Context())
		c.stop = append(c.stop, cancel)
		if theft {
			go c.steal(ctx, &stolen)
		}
		c.pace = 250 * time.Millisecond
		c.startActor()
		o := c.options()
		o.Config.MaxSets = 1 << 20
		o.Config.Precision = 1e-6
		stop := c.start(o)
		c.learn()
		time.Sleep(5 * time.Minute)
		info, err := c.bus.Info(ctx, bus.Results)
		require.NoError(c.t, err)
		results = info.Last
		require.NoError(c.t, stop())
		if theft {
			require.Contains(c.t, c.log.String(), "gets fewer\" actor=thief")
			require.NotContains(c.t, c.log.String(), "gets fewer\" actor=actor-0")
		}
	})
	return results, stolen
}

// steal takes all matches that it can get from the queue, and brings none.
func (c *cluster) steal(ctx context.Context, stolen *int) {
	thief, err := c.bus.Consume(ctx, bus.Matches, "actors", "")
	for err == nil && ctx.Err() == nil {
		_, err = c.bus.Roles().Put(ctx, messages.RoleKey(messages.ActorRole, "thief"), []byte("here"))
		got, _ := thief.Fetch(ctx, 8, time.Second)
		for _, m := range got {
			if m.Ack(ctx) == nil {
				*stolen++
			}
		}
	}
}
