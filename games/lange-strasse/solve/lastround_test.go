package solve

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/policy"
)

// plainTurn is the last turn of a game by plain recursion over its throws, without any of the solver's
// tables. Money is what the rules say, in units, for scores that all are half the target or more.
type plainTurn struct {
	turn   langestrasse.Turn
	before langestrasse.Standing
	known  map[[2]int][2]float64
}

// pay returns what the last two seats win if the turn makes the points; below 0 it is a strich.
func (p *plainTurn) pay(points int) (last, second float64) {
	scores, clean := p.before.Points, ^p.before.Strich
	if points < 0 {
		clean &^= 4
	} else {
		scores[2] += int32(points)
	}
	var money [3]float64
	place := func(seat int) (n int) {
		for other := range scores {
			if scores[other] > scores[seat] || scores[other] == scores[seat] && other < seat {
				n++
			}
		}
		return n
	}
	extra := 0.0
	if p.before.Round <= 10 {
		extra = 0.5
	}
	for seat := range scores {
		money[seat] = []float64{1.2 + 2*extra, -0.5 - extra, -0.7 - extra}[place(seat)]
	}
	for seat := range scores {
		if clean>>seat&1 == 1 {
			for other := range scores {
				money[other] -= 0.5
			}
			money[seat] += 1.5
		}
	}
	return money[2], money[1]
}

// roll returns what the last two seats win if the dice that the set leaves are rolled.
func (p *plainTurn) roll(points, set int) (last, second float64) {
	if points > 7000 {
		return p.pay(points) // so rare here that it makes no difference
	}
	key := [2]int{points, set}
	if v, ok := p.known[key]; ok {
		return v[0], v[1]
	}
	for _, throw := range p.turn.Throws(set) {
		best, other := math.Inf(-1), 0.0
		for _, m := range p.turn.Moves(set, throw.Index) {
			var a, b float64
			switch {
			case m.Stops():
				a, b = p.pay(points + int(m.Points))
			case m.Fills():
				a, b = p.roll(points+int(m.Points), 0)
			default:
				a, b = p.roll(points, int(m.Next))
			}
			if m.Action == langestrasse.Straight {
				won := float64(p.turn.StraightMoney(set)) / 100
				a, b = a+2*won, b-won
			}
			if a > best {
				best, other = a, b
			}
		}
		if math.IsInf(best, -1) {
			best, other = p.pay(-1)
		}
		last, second = last+throw.Probability*best, second+throw.Probability*other
	}
	p.known[key] = [2]float64{last, second}
	return last, second
}

// secondSeat is a position of the second seat with the points of the players.
func secondSeat(t *testing.T, kept, rolled string, turn int, points [3]int, clean, round int) *langestrasse.State {
	document := fmt.Sprintf(`{"kept_groups": %s, "available_dice": %s, "turn_score": %d, "turn_number": %d, "players": [`,
		kept, rolled, turn, round)
	for seat, score := range points {
		document += fmt.Sprintf(`{"score": %d, "strich": %t, "you": %t},`, score, seat != clean, seat == 1)
	}
	document = document[:len(document)-1] + "]}"
	s, _, err := newGame(t).(*langestrasse.Game).ParsePosition([]byte(document), nil)
	require.NoError(t, err)
	return s.(*langestrasse.State)
}

// Two positions whose values are known from programs outside this one. To stop in them is worth what
// plain recursion over the last turn finds.
func TestSecondSeatsLastTurnIsExact(t *testing.T) {
	for _, c := range []struct {
		state *langestrasse.State
		want  map[string]float64
		stops map[string]int32 // points of the turn
		best  string
	}{
		{
			secondSeat(t, "[[1]]", "[1, 1, 1, 3, 4]", 0, [3]int{10400, 9500, 9000}, -1, 9),
			map[string]float64{"keep 1-1-1, stop": 1.4267, "keep 1-1-1, roll": 0.4455, "keep 1-1, stop": -1.0780},
			map[string]int32{"keep 1-1-1, stop": 1100, "keep 1-1, stop": 300}, "keep 1-1-1, stop",
		},
		{ // 10,300 would win a race for more points, but lose to the last seat more often
			secondSeat(t, "[]", "[1, 2, 4, 4, 4, 6]", 800, [3]int{10200, 9100, 8900}, 1, 11),
			map[string]float64{"keep 1-4-4-4, stop": 1.7451, "keep 4-4-4, stop": 1.7262, "keep 4-4-4, roll": 1.5369},
			map[string]int32{"keep 1-4-4-4, stop": 1300, "keep 4-4-4, stop": 1200}, "keep 1-4-4-4, stop",
		},
		{ // a tie is the earlier seat's: 10,200 lose to 10,200
			secondSeat(t, "[[1]]", "[1, 1, 2, 3, 5]", 800, [3]int{10200, 9100, 8500}, -1, 11), nil,
			map[string]int32{"keep 1-1, stop": 1100, "keep 1-1-5, stop": 1150}, "keep 1-1-5, stop",
		},
	} {
		p := shipped(t)
		legal := c.state.LegalActions(nil)
		values, differences := make([]policy.Value, len(legal)), make([]policy.Value, len(legal))
		require.True(t, p.Settles(c.state))
		p.Values(c.state, legal, values)
		p.Differences(c.state, legal, 0, differences)
		for i, v := range values {
			name := c.state.ActionName(legal[i])
			require.True(t, v.Low == v.Mean && v.Mean == v.High, "%s is exact", name)
			require.True(t, differences[i].Low == differences[i].High, "%s is exact", name)
			if want, ok := c.want[name]; ok {
				require.InDelta(t, want, v.Mean, 1e-4, name)
			}
			if points, ok := c.stops[name]; ok {
				before := c.state.Standing()
				before.EndTurn(points, false)
				plain := plainTurn{turn: langestrasse.NewTurn(), before: before, known: map[[2]int][2]float64{}}
				_, second := plain.roll(0, 0)
				require.InDelta(t, second, v.Mean, 2e-4, name)
			}
		}
		require.Equal(t, c.best, c.state.ActionName(p.Choose(c.state, legal, nil)))
	}
}

// Only the last round is exact, and only from the second seat on.
func TestSettles(t *testing.T) {
	p := shipped(t)
	require.False(t, p.Settles(secondSeat(t, "[]", "[1, 2, 4, 4, 4, 6]", 0, [3]int{9950, 9100, 8900}, 1, 11)))
	require.True(t, p.Settles(secondSeat(t, "[]", "[1, 2, 4, 4, 4, 6]", 0, [3]int{9950, 9100, 8900}, -1, 200)),
		"the last round that there is")
	require.InDelta(t, 2e-5, p.Scale().Accuracy, 1e-9)
}

// lastRound draws a standing of a seat in the last round.
func lastRound(rng *engine.RNG, seat int8) langestrasse.Standing {
	s := langestrasse.Standing{Round: uint8(9 + rng.IntN(4)), Seat: seat, Strich: uint8(rng.IntN(8))}
	s.Points = [3]int32{int32(10000 + 50*rng.IntN(40)), int32(5000 + 50*rng.IntN(100)), int32(1500 + 50*rng.IntN(170))}
	if rng.IntN(10) == 0 {
		s.Points[0], s.Round = 9000, 200
	}
	return s
}

// Rows by classes of points, which are shared, have the values of the expectimax of the whole turn.
func TestLastTurnsAreTheExpectimax(t *testing.T) {
	rng, solver := engine.NewRNG(1, 1), newTurnSolver(newValues(untrained()))
	tables := lastTurns{known: map[kind]*lastTurnSolver{}}
	for range 25 {
		s := lastRound(rng, 2)
		want, got, rough := solver.solve(s, 0).values[0][0].of(2), tables.value(&s, false), tables.value(&s, true)
		for seat := range want {
			require.InDelta(t, want[seat], got[seat], 1e-5, "%+v", s)
			require.InDelta(t, want[seat], rough[seat], 0.1, "%+v", s)
		}
	}
	before := tables.rows
	require.Positive(t, before)
	tables.rows = lastTurnRows + 1
	again := langestrasse.Standing{Points: [3]int32{10000, 9000, 9000}, Round: 11, Seat: 2, Strich: 7}
	tables.value(&again, false)
	require.Less(t, tables.rows, before, "all rows were forgotten")
}

// What the first seat's turn takes for the second seat's last turn is close to what that is worth.
func TestFirstSeatKnowsTheSecondSeatsLastTurn(t *testing.T) {
	for _, s := range []langestrasse.Standing{
		{Points: [3]int32{9500, 9300, 8000}, Strich: 7, Round: 9},
		{Points: [3]int32{8000, 7500, 4000}, Strich: 2, Round: 12},
	} {
		solver, exactly := newTurnSolver(newValues(untrained())), newTurnSolver(newValues(untrained()))
		solver.solve(s, 0)
		for i := range 80 {
			if p := &solver.pending[i]; p.stage != secondLast || i%11 > 0 {
				continue
			}
			next := s
			paid, _ := next.EndTurn(int32(i)*Step, false)
			want := exactly.solve(next, 0).values[0][0].of(1)
			for seat := range want {
				require.InDelta(t, float32(paid[seat])/unit+want[seat], solver.pending[i].paid[seat], 0.03, "%+v", next)
			}
		}
	}
}
