package solve

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/nightly"
	"croupier/policy"
)

// Tables that were kept make the same players, to the last bit, and none of other rules.
func TestTablesPlayAsTheOptimum(t *testing.T) {
	for _, g := range []engine.Game{newGame(t, 2, 10, true), newGame(t, 2, 2, false)} {
		solved, tables, err := SolveTables(t.Context(), g)
		require.NoError(t, err)
		kept, err := OptimalOf(g, tables)
		require.NoError(t, err)
		first, second := solved().(policy.Valuer), kept().(policy.Valuer)
		rng, s := engine.NewRNG(5, engine.ChanceStream), g.NewState()
		decisions := 0
		// Each decision compares all bits of all values: 50 decisions suffice, and the nightly list has more.
		for range nightly.Cases(9, 20) {
			for s.Reset(); s.Player() != engine.Terminal; {
				if s.Player() == engine.Chance {
					require.NoError(t, s.Apply(s.SampleChance(rng)))
					continue
				}
				legal := s.LegalActions(nil)
				want, got := make([]policy.Value, len(legal)), make([]policy.Value, len(legal))
				first.Values(s, legal, want)
				second.Values(s, legal, got)
				require.Equal(t, want, got)
				decisions++
				require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
			}
		}
		require.Greater(t, decisions, 50)
		_, err = OptimalOf(newGame(t, 2, 7, false), tables)
		require.ErrorIs(t, err, errOtherRules)
		tables.Changes[0] = tables.Changes[0][1:]
		_, err = OptimalOf(g, tables)
		require.ErrorIs(t, err, errOtherRules)
	}
}

// The answer for people says what a lead is worth; where that does not depend on the rounds left, in one sentence.
func TestAnswerForPeople(t *testing.T) {
	seat, played, within := 1, -0.25, 0.01
	for _, test := range []struct {
		answer *Answer
		of     *Optimum
		want   []string
	}{
		{&Answer{Players: 2, Rounds: 10, Repoll: true}, solve(t, newGame(t, 2, 10, true), agentSize),
			[]string{"bank for 2, 10 rounds with repoll, in 2.0 s",
				"With a lead of 1 to 200 points, and whatever the number of rounds left"}},
		{&Answer{Players: 2, Rounds: 2}, solve(t, newGame(t, 2, 2, false), agentSize), []string{"without repoll", "200"}},
		{&Answer{Players: 3, Rounds: 10, Against: "random", Seat: &seat, Played: &played, PlayedWithin: &within}, nil,
			[]string{"best response of seat 2 to random: value 0.0000", "share of the win 0.5000",
				"played           -0.2500 ± 0.0100"}},
	} {
		var out strings.Builder
		require.NoError(t, test.answer.Render(&out, test.of, 2*time.Second))
		for _, want := range test.want {
			require.Contains(t, out.String(), want)
		}
	}
}
