package tournament

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

var (
	entrants         = []string{"random", "bot", "main@1", "main@2", "main@3"}
	entrantStrengths = map[string]float64{"random": -0.9, "bot": 0.2, "main@1": -0.3, "main@2": 0.6, "main@3": 1.1}
)

func testTournament(workers int) Tournament {
	return Tournament{
		Spec: ratingtest.Spec(3), RulesHash: ratingtest.Rules, Run: "arena", Agents: entrants, Kind: ratingtest.Kind,
		Sets: 33, Workers: workers,
	}
}

func simulatedMatch(_ context.Context, m *messages.Match) (*messages.Result, error) {
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: entrantStrengths, RNG: engine.NewRNG(m.FirstSet, 0)}
	return s.Play(m), nil
}

func TestTournamentDoesNotDependOnWorkers(t *testing.T) {
	defer goleak.VerifyNone(t)
	one, err := testTournament(0).Play(t.Context(), simulatedMatch)
	require.NoError(t, err)
	four, err := testTournament(4).Play(t.Context(), simulatedMatch)
	require.NoError(t, err)
	require.Equal(t, one, four)
	require.Len(t, one.Payoff, 20)
	for _, p := range one.Payoff {
		require.EqualValues(t, 99, p.Games)
	}
	for _, a := range one.Agents {
		require.False(t, a.Best, "nobody has passed a gate")
	}
}

func TestSetsFor(t *testing.T) {
	require.EqualValues(t, 667, SetsFor(ratingtest.Spec(3), 2000))
	require.EqualValues(t, 1000, SetsFor(ratingtest.Spec(2), 2000))
	require.EqualValues(t, 1, SetsFor(ratingtest.Spec(8), 1))
}

func TestTournamentThatFails(t *testing.T) {
	defer goleak.VerifyNone(t)
	broken := errors.New("network is broken")
	var calls atomic.Int32
	_, err := testTournament(2).Play(t.Context(), func(context.Context, *messages.Match) (*messages.Result, error) {
		calls.Add(1)
		return nil, broken
	})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "against")
	require.LessOrEqual(t, calls.Load(), int32(4), "the rest is not played")

	_, err = testTournament(1).Play(t.Context(), func(ctx context.Context, m *messages.Match) (*messages.Result, error) {
		r, err := simulatedMatch(ctx, m)
		r.OneA.Games++
		return r, err
	})
	require.ErrorContains(t, err, "result of")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = testTournament(1).Play(ctx, simulatedMatch)
	require.ErrorIs(t, err, context.Canceled)
}

func TestImpossibleTournaments(t *testing.T) {
	for want, spoil := range map[string]func(*Tournament){
		"at least two": func(o *Tournament) { o.Agents = o.Agents[:1] },
		"named twice":  func(o *Tournament) { o.Agents = []string{"random", "random"} },
		"agent 2":      func(o *Tournament) { o.Agents = []string{"random", ""} },
		"0 sets":       func(o *Tournament) { o.Sets = 0 },
		"in a match":   func(o *Tournament) { o.MatchSets = rating.MaxMatchSets + 1 },
	} {
		o := testTournament(1)
		spoil(&o)
		_, err := o.Play(t.Context(), simulatedMatch)
		require.ErrorContains(t, err, want)
	}
}
