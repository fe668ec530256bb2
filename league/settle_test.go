package league

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/league/rating"
	"croupier/messages"
)

// asked returns a world with matches that wait for results.
func asked(t *testing.T, audits bool) *world {
	w := newWorld(t, testConfig(), 3, 1)
	w.core.audits = audits
	w.step(caughtUp{})
	w.learn(0)
	w.tick()
	require.NotEmpty(t, w.queue)
	return w
}

// outcome hands the core a result and returns the outcome of it, and the matches asked for.
func outcome(t *testing.T, c *core, e event) (asked []*messages.Match, err error) {
	err = errors.New("not settled")
	for _, effect := range mustStep(t, c, e) {
		switch effect := effect.(type) {
		case settled:
			err = effect.err
		case publishMatch:
			asked = append(asked, effect.match)
		}
	}
	return asked, err
}

// A refused result does not keep its match from being played: the sets are asked for again, and a result
// of whichever attempt is counted, once.
func TestRefusedResultIsAskedForAgain(t *testing.T) {
	for name, spoil := range map[string]func(*messages.Result){
		"returns":     func(r *messages.Result) { r.OneA.ShareSum++ },
		"no evidence": func(r *messages.Result) { r.Returns = nil },
		"weights":     func(r *messages.Result) { r.Match.ASha256 = bytes.Repeat([]byte{9}, 32) },
		"run":         func(r *messages.Result) { r.Run = "other" },
		"rules":       func(r *messages.Result) { r.Match.RulesHash[0]++ },
	} {
		w := asked(t, false)
		m := w.queue[0]
		good := w.sim.Play(m)
		bad := proto.CloneOf(good)
		spoil(bad)
		e := arrival(1, bad)
		e.subject = messages.ResultSubject(m.Id, "liar-0")
		again, err := outcome(t, w.core, e)
		var refusal *messages.Refusal
		require.ErrorAs(t, err, &refusal, name)
		require.Len(t, again, 1, name)
		require.Equal(t, m.FirstSet, again[0].FirstSet)
		require.Equal(t, m.Id+"-1", again[0].Id)
		e.sequence++
		e.subject = messages.ResultSubject(m.Id, "liar-1")
		more, err := outcome(t, w.core, e)
		require.Error(t, err)
		require.Empty(t, more, "an old attempt asks for nothing")

		_, err = outcome(t, w.core, arrival(3, good))
		require.NoError(t, err, "%s: a result of the first attempt is as good", name)
		later := w.sim.Play(again[0])
		_, err = outcome(t, w.core, arrival(4, later))
		require.ErrorIs(t, err, rating.ErrDuplicate, name)
	}
}

// No actor can enter results for which the league has not asked.
func TestResultsOfMatchesThatWereNotIssuedAreRefused(t *testing.T) {
	w := asked(t, false)
	k := w.core.Key("main@1", "random")
	r := w.sim.Play(w.core.Match(k, rating.Span{First: 500, End: 505}, 0))
	asked, err := outcome(t, w.core, arrival(1, r))
	require.ErrorContains(t, err, "were not requested")
	require.Empty(t, asked)
	m := proto.CloneOf(w.queue[0])
	m.Attempt, m.Id = 7, w.queue[0].Id+"-7"
	_, err = outcome(t, w.core, arrival(2, w.sim.Play(m)))
	require.ErrorContains(t, err, "were not requested")
	require.Empty(t, w.core.Pairs)
}

// A league that has lost its list of matches takes what was under way when it started, for as long as that can be.
func TestWhatWasUnderWayWhenTheJournalWasLostCounts(t *testing.T) {
	w := asked(t, false)
	k := w.core.Key("main@1", "random")
	w.core.forgot, w.core.now = true, w.core.config.MatchTimeout-1
	_, err := outcome(t, w.core, arrival(1, w.sim.Play(w.core.Match(k, rating.Span{First: 500, End: 505}, 0))))
	require.NoError(t, err)
	w.core.now++
	_, err = outcome(t, w.core, arrival(2, w.sim.Play(w.core.Match(k, rating.Span{First: 505, End: 510}, 0))))
	require.ErrorContains(t, err, "were not requested")
}

// A result counts after its audit; of several the first in the stream, whose audit finds nothing.
func TestAudit(t *testing.T) {
	w := asked(t, true)
	m := w.queue[0]
	r := w.sim.Play(m)
	require.Contains(t, mustStep(t, w.core, arrival(5, r)), audit{5, r})
	second := proto.CloneOf(r)
	other := arrival(6, second)
	other.subject = messages.ResultSubject(m.Id, "actor-9")
	require.Empty(t, mustStep(t, w.core, other), "it waits for the first")
	require.Zero(t, w.core.position().Sequence, "both are to be read again after a crash")

	wrong := messages.Refuse(messages.ReasonReturns, "other games")
	effects := mustStep(t, w.core, audited{sequence: 5, err: wrong})
	require.Contains(t, effects, audit{6, second})
	_, err := outcome(t, w.core, audited{sequence: 6})
	require.NoError(t, err)
	require.EqualValues(t, 6, w.core.position().Sequence)
	require.EqualValues(t, m.Sets, w.core.Pair(m.A, m.B).Total().Sets)
}

// A match that somebody has acknowledged without a result is asked for again soon; what is still in the queue, or has
// only just left it, is not.
func TestMatchesThatVanishAreAskedForAgain(t *testing.T) {
	w := asked(t, false)
	kept, taken := w.queue[0], w.queue[1]
	queued := map[string]bool{}
	for _, m := range w.queue {
		queued[m.Id] = m != taken
	}
	look := func() (asked []*messages.Match) {
		w.core.now += lookEvery
		for _, e := range mustStep(t, w.core, queueSeen{ids: queued}) {
			if p, ok := e.(publishMatch); ok {
				asked = append(asked, p.match)
			}
		}
		return asked
	}
	require.Empty(t, look(), "its result may be on the way")
	require.Empty(t, look())
	again := look()
	require.Len(t, again, 1)
	require.Equal(t, taken.FirstSet, again[0].FirstSet)
	require.EqualValues(t, 1, again[0].Attempt)
	require.Empty(t, look())
	require.Empty(t, look())
	require.Len(t, look(), 1, "it has vanished again")
	queued[kept.Id] = false
	require.Empty(t, look())
	_, err := outcome(t, w.core, arrival(1, w.sim.Play(kept)))
	require.NoError(t, err, "it has brought its result")
	require.NotContains(t, look(), kept)
}
