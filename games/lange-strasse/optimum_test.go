package langestrasse

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The lines satisfy Bellman's equation beyond the table: the best of all moves, over all
// throws, gives the line again.
func TestLinesAreTheValueBeyondTheTable(t *testing.T) {
	o := TurnOptimum()
	for _, beyond := range []int{0, 50, 400, 5000, 1_000_000} {
		at := len(o.values)*step + beyond
		for set := range o.tables.sets {
			want, got := o.lines[set].at(at), o.rolled(at, set)
			require.InEpsilon(t, want.points, got.points, 1e-10, "%d points, %+v", at, o.tables.sets[set])
			require.InDelta(t, want.strich, got.strich, 1e-9)
		}
	}
}

// The table ends where it must: at its last t the lines hold, further down they do not.
func TestTableIsAsLongAsNeeded(t *testing.T) {
	o := TurnOptimum()
	last := len(o.values) - 1
	require.InEpsilon(t, o.lines[0].at(last*step).points, o.values[last][0].points, 1e-10)
	require.Greater(t, o.values[last/2][0].points, o.lines[0].at(last/2*step).points)
}

// As points at risk grow, the value of a turn grows by at most as much and is convex, and a
// strich is never likelier with more to lose.
func TestValueGrowsWithThePointsAtRisk(t *testing.T) {
	o := TurnOptimum()
	for set := range o.tables.sets {
		for row := 2; row < len(o.values); row++ {
			a, b, c := o.values[row-2][set], o.values[row-1][set], o.values[row][set]
			require.GreaterOrEqual(t, c.points-b.points, b.points-a.points-1e-6, "row %d, set %d", row, set)
			require.LessOrEqual(t, c.points-b.points, step+1e-6)
			require.LessOrEqual(t, c.strich, b.strich+1e-6)
		}
	}
}

// No move is worth more than the chosen one, and the chosen one is worth at least what
// stopping gives.
func TestChoiceIsTheBestMove(t *testing.T) {
	o := TurnOptimum()
	var choices []uint16 // nodes that are no strich
	for node := range len(o.tables.first) - 1 {
		if len(o.tables.at(uint16(node))) > 0 {
			choices = append(choices, uint16(node))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		node := rapid.SampledFrom(choices).Draw(t, "node")
		points := step * rapid.IntRange(0, 1200).Draw(t, "steps")
		moves := o.tables.at(node)
		best, v := o.choose(points, node)
		require.Contains(t, moves, best)
		for _, m := range moves {
			require.LessOrEqual(t, o.value(points, m).points, v.points+same)
			if m.Stops() {
				require.GreaterOrEqual(t, v.points, float64(points+int(m.Points))-same)
			}
		}
	})
}

// largest returns the largest expected sum of gains over a turn among all strategies. gain is
// what a move at a roll of the set counts.
func largest(t *tables, gain func(s set, m Move) float64) float64 {
	values := make([]float64, len(t.sets))
	for range 100 {
		for i := len(t.sets) - 1; i >= 0; i-- {
			sum := 0.0
			for _, roll := range t.odds[t.left[i]] {
				best := 0.0
				for _, m := range t.at(t.base[i] + uint16(roll.Index)) {
					v := gain(t.sets[i], m)
					if !m.Stops() {
						v += values[m.Next]
					}
					best = max(best, v)
				}
				sum += roll.Probability * best
			}
			values[i] = sum
		}
	}
	return values[0]
}

// A turn has one more throw than moves if it ends in a strich, and otherwise as many.
func TestNobodyPlaysTurnsOfMoreSteps(t *testing.T) {
	moves := largest(sharedTables(), func(set, Move) float64 { return 1 })
	require.InDelta(t, 4.776, moves, 0.001)
	require.Less(t, 2*moves+1, 10.6)
	require.Less(t, seats*lastRound*(2*moves+1), 0.65*maxHistory)
}

// Money of Lange Strassen in a turn, from both others together.
func TestNobodyEarnsMoreWithLangeStrassen(t *testing.T) {
	units := largest(sharedTables(), func(s set, m Move) float64 {
		switch {
		case m.Action != Straight:
			return 0
		case s.super:
			return 2. * superMoney / unit
		}
		return 2. * StraightMoney / unit
	})
	require.InDelta(t, 0.0707, units, 0.0001)
}
