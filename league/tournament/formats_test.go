package tournament

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// field is a tournament of that many agents; the first is the strongest, and what they get follows
// from their strengths.
func field(n int, f Format) (Tournament, func(context.Context, *messages.Match) (*messages.Result, error)) {
	t := Tournament{Spec: ratingtest.Spec(2), RulesHash: ratingtest.Rules, Run: "arena", Kind: ratingtest.Kind, Sets: 30,
		Workers: 2, Format: f}
	theta := map[string]float64{}
	for i := range n {
		name := fmt.Sprintf("agent-%03d", i)
		t.Agents = append(t.Agents, name)
		theta[name] = -float64(i) / 2
	}
	return t, func(_ context.Context, m *messages.Match) (*messages.Result, error) {
		s := &ratingtest.Simulation{Spec: t.Spec, Theta: theta, RNG: engine.NewRNG(m.FirstSet, 0)}
		return s.Play(m), nil
	}
}

func playField(t *testing.T, n int, f Format) *messages.Ladder {
	t.Helper()
	tournament, play := field(n, f)
	ladder, err := tournament.Play(t.Context(), play)
	require.NoError(t, err)
	again, err := tournament.Play(t.Context(), play)
	require.NoError(t, err)
	require.Equal(t, ladder, again)
	return ladder
}

func TestGauntlet(t *testing.T) {
	ladder := playField(t, 7, Gauntlet{2})
	require.Len(t, ladder.Payoff, 2*2*5)
	for _, p := range ladder.Payoff {
		require.NotEqual(t, p.A <= "agent-001", p.B <= "agent-001", "%s among %s", p.A, p.B)
	}
	require.Empty(t, ladder.Rounds)
}

func TestSwiss(t *testing.T) {
	for _, n := range []int{2, 5, 8, 33, 100} {
		rounds := SwissRounds(n)
		ladder := playField(t, n, Swiss{rounds})
		require.Len(t, ladder.Rounds, rounds)
		met, rests := map[[2]string]bool{}, map[string]int{}
		for _, round := range ladder.Rounds {
			seen := map[string]bool{}
			for _, m := range round {
				require.False(t, seen[m.A] || seen[m.B], "once in a round")
				seen[m.A], seen[m.B] = true, true
				if m.B == "" {
					rests[m.A]++
					continue
				}
				require.False(t, met[[2]string{m.A, m.B}] || met[[2]string{m.B, m.A}], "%d agents: %s and %s again", n, m.A, m.B)
				met[[2]string{m.A, m.B}] = true
				require.EqualValues(t, 60, m.Games)
			}
			delete(seen, "")
			require.Len(t, seen, n)
		}
		for name, times := range rests {
			require.Equal(t, 1, times, name)
		}
		if n >= 33 {
			require.LessOrEqual(t, ladder.Agents[0].Name, "agent-001", "strong ones are above")
		}
	}
}

func TestKnockOut(t *testing.T) {
	for _, n := range []int{2, 3, 8, 13} {
		ladder := playField(t, n, KnockOut{})
		lost := map[string]bool{}
		for _, round := range ladder.Rounds {
			for _, m := range round {
				require.False(t, lost[m.A] || lost[m.B], "an agent that has lost is out")
				if m.PointsA == 1 {
					lost[m.B] = true
				} else if m.PointsA == 0 {
					lost[m.A] = true
				}
			}
		}
		require.Len(t, lost, n-1)
	}
	first := playField(t, 8, KnockOut{}).Rounds[0]
	require.Equal(t, []string{"agent-000", "agent-007"}, []string{first[0].A, first[0].B}, "the strongest are kept apart")
}

// TestKnockOutOfEquals: agents that always play the same draw for ever, and the first goes through.
func TestKnockOutOfEquals(t *testing.T) {
	c := &course{agents: []string{"a", "b"}, sets: 5, results: rating.NewResults(
		ratingtest.Spec(2), "arena", ratingtest.Rules, rating.Sequential{})}
	for range levelMeetings {
		list := KnockOut{}.round(c)
		require.Len(t, list, 1)
		c.past = append(c.past, messages.Round{{A: "a", B: "b", PointsA: 0.5}})
	}
	require.Empty(t, KnockOut{}.round(c))
}

// TestDuel: of tests between equals and of tests with a true gain, as many err as they say, or fewer.
func TestDuel(t *testing.T) {
	d := Duel{Gain: 0.2, Error: 0.05, Most: 4000}
	passes := func(gain float64) (n int) {
		for seed := range uint64(200) {
			tournament, _ := field(2, d)
			theta := map[string]float64{tournament.Agents[0]: gain, tournament.Agents[1]: 0}
			ladder, err := tournament.Play(t.Context(), func(_ context.Context, m *messages.Match) (*messages.Result, error) {
				s := &ratingtest.Simulation{Spec: tournament.Spec, Theta: theta, RNG: engine.NewRNG(m.FirstSet, seed)}
				return s.Play(m), nil
			})
			require.NoError(t, err)
			require.NotEmpty(t, ladder.Test.Verdict)
			require.Equal(t, ladder.Test.Sets, ladder.Agents[0].Games/2)
			if ladder.Test.Verdict == string(rating.Passed) {
				require.GreaterOrEqual(t, ladder.Test.Evidence, ladder.Test.Threshold)
				n++
			}
		}
		return n
	}
	require.LessOrEqual(t, passes(0), 20, "5 % of 200, and three standard deviations")
	require.GreaterOrEqual(t, passes(math.Log(2)), 180)
}

// TestShortDuel: a test of fewer sets than it takes for a verdict ends at the last one, and neither has passed.
func TestShortDuel(t *testing.T) {
	for _, most := range []uint64{1, duelLeast - 1, duelLeast, duelLeast + 1} {
		tournament, _ := field(2, Duel{Gain: 1, Error: 0.05, Most: most})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		theta := map[string]float64{tournament.Agents[0]: 3, tournament.Agents[1]: 0}
		ladder, err := tournament.Play(ctx, func(_ context.Context, m *messages.Match) (*messages.Result, error) {
			s := &ratingtest.Simulation{Spec: tournament.Spec, Theta: theta, RNG: engine.NewRNG(m.FirstSet, 1)}
			return s.Play(m), nil
		})
		cancel()
		require.NoError(t, err, "%d sets", most)
		require.Equal(t, most, ladder.Test.Sets)
		want := rating.Failed
		if most >= duelLeast {
			want = rating.Passed
		}
		require.Equal(t, string(want), ladder.Test.Verdict, "%d sets", most)
	}
}

func TestFormatsThatDoNotSuit(t *testing.T) {
	for says, f := range map[string]Format{
		"the first 3 of 3 agents cannot meet the others": Gauntlet{3},
		"3 agents play 1 to 3 rounds, not 4":             Swiss{4},
		"a test is between two agents, not 3":            Duel{0.1, 0.05, 100},
	} {
		tournament, play := field(3, f)
		_, err := tournament.Play(t.Context(), play)
		require.ErrorContains(t, err, says)
	}
	for says, d := range map[string]Duel{"the gain 2 is not": {2, 0.05, 100}, "the error 0.7 is not": {0.1, 0.7, 100}} {
		tournament, play := field(2, d)
		_, err := tournament.Play(t.Context(), play)
		require.ErrorContains(t, err, says)
	}
}

// TestTournamentGoesOn: with results of earlier, whichever they are, the ladder is the same.
func TestTournamentGoesOn(t *testing.T) {
	for _, f := range []Format{RoundRobin{}, Swiss{4}, KnockOut{}} {
		tournament, play := field(9, f)
		whole, err := tournament.Play(t.Context(), play)
		require.NoError(t, err)
		var known sync.Map // *messages.Result by match
		tournament.Keep = func(r *messages.Result) error { known.Store(r.Match.Id, r); return nil }
		tournament.Known = func(m *messages.Match) *messages.Result {
			r, _ := known.Load(m.Id)
			result, _ := r.(*messages.Result)
			return result
		}
		var ladder *messages.Ladder
		var calls atomic.Int32
		for cancelled := false; !cancelled || ladder == nil; cancelled = true {
			ctx, cancel := context.WithCancel(t.Context())
			ladder, err = tournament.Play(ctx, func(ctx context.Context, m *messages.Match) (*messages.Result, error) {
				if calls.Add(1) == 20 {
					cancel()
				}
				return play(ctx, m)
			})
			cancel()
			if !cancelled {
				require.ErrorIs(t, err, context.Canceled)
			}
		}
		require.Equal(t, whole, ladder)
	}
}

// A tournament of games shows its ladder while it is played, and what it shows last but a second is near the end.
func TestTournamentShowsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tournament, play := field(5, RoundRobin{})
		var shown []uint64
		tournament.Show = func(l *messages.Ladder) error {
			games := uint64(0)
			for _, p := range l.Payoff {
				games += p.Games
			}
			shown = append(shown, games)
			return nil
		}
		ladder, err := tournament.Play(t.Context(), func(ctx context.Context, m *messages.Match) (*messages.Result, error) {
			time.Sleep(500 * time.Millisecond)
			return play(ctx, m)
		})
		require.NoError(t, err)
		require.Greater(t, len(shown), 3)
		require.IsIncreasing(t, shown)
		require.Len(t, ladder.Payoff, 20)
	})
}
