package solve

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	game "croupier/games/bank"
	"croupier/policy"
)

func newGame(t testing.TB, players, rounds int, repoll bool) engine.Game {
	t.Helper()
	g, err := game.New([]byte(fmt.Sprintf(`{"players": %d, "rounds": %d, "repoll": %v}`, players, rounds, repoll)))
	require.NoError(t, err)
	return g
}

// solve returns an optimum, which is computed once for all tests.
func solve(t testing.TB, g engine.Game, size int) *Optimum {
	t.Helper()
	solve := sync.OnceValues(func() (*Optimum, error) { return Solve(context.Background(), g, size, nil) })
	once, _ := optima.LoadOrStore(fmt.Sprint(g.Rules(), size), solve)
	o, err := once.(func() (*Optimum, error))()
	require.NoError(t, err)
	return o
}

var optima sync.Map // of func() (*Optimum, error), by rules and size

// play plays games and returns the mean share of the win of a seat with the half width of
// its 95 % interval.
func play(t testing.TB, g engine.Game, games, seat int, seats ...policy.Policy) (mean, half float64) {
	t.Helper()
	mean, half, err := simulate(t.Context(), g, games, 1, seat, seats)
	require.NoError(t, err)
	return share(mean), half / 2
}

func bot(t testing.TB, g engine.Game, name string) policy.Policy {
	t.Helper()
	if name == "random" {
		return policy.Random{}
	}
	b, err := g.Bots().New(name)
	require.NoError(t, err)
	return policy.Bot(b)
}

// Level seats wait for each other for ever: nobody wins.
func TestTheGameIsADraw(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 2, repoll)
		o := solve(t, g, 500)
		value, bound := o.Value()
		require.Zero(t, value)
		require.Zero(t, bound)
		mean, half := play(t, g, 1000, 0, o.Policy(), o.Policy())
		require.Equal(t, 0.5, mean)
		require.Zero(t, half)
	}
}

func TestOptimumBeatsEveryBot(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 10, repoll)
		o := solve(t, g, MinSize)
		for _, name := range append(g.Bots().References, "random") {
			for seat := range 2 {
				seats := []policy.Policy{bot(t, g, name), bot(t, g, name)}
				seats[seat] = o.Policy()
				mean, half := play(t, g, 1000, seat, seats...)
				t.Logf("repoll %v, seat %d against %s: %.3f ± %.3f", repoll, seat, name, mean, half)
				require.Greater(t, mean-half, 0.5)
			}
		}
	}
}

// plain bounds what passing and banking are worth to the seat to move, by a recursion
// over the states of the game, which is cut off beyond a bank.
func plain(s *game.State, most int64, known map[game.Poll][2]float64) (low, high float64) {
	poll := s.Poll()
	if poll.Roll > 4 { // who is asked first changes with every roll
		poll.Roll = 3 + (poll.Roll+1)%2
	}
	if v, ok := known[poll]; ok {
		return v[0], v[1]
	}
	low, high = -1, 1
	switch {
	case s.Player() == engine.Terminal:
		var returns [2]float64
		s.Returns(returns[:])
		low, high = returns[0], returns[0]
	case poll.Bank > most:
	case s.Player() == engine.Chance:
		low, high = 0, 0
		for _, o := range s.Outcomes(nil) {
			l, h := plain(after(s, o.Index), most, known)
			low, high = low+o.Probability*l, high+o.Probability*h
		}
	default:
		better := func(a, b float64) float64 { return max(a, b) }
		if s.Player() == 1 {
			better = func(a, b float64) float64 { return min(a, b) }
		}
		l0, h0 := plain(after(s, game.Pass), most, known)
		l1, h1 := plain(after(s, game.Bank), most, known)
		low, high = better(l0, l1), better(h0, h1)
	}
	known[poll] = [2]float64{low, high}
	return low, high
}

func after(s *game.State, step int) *game.State {
	child := s.Clone().(*game.State)
	if err := child.Apply(step); err != nil {
		panic(err)
	}
	return child
}

// The bounds of every action in the last round overlap those of a plain recursion, and
// are not wider.
func TestValuesAgreeWithAPlainRecursion(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 2, repoll)
		p := solve(t, g, 500).Policy().(policy.Valuer)
		require.Equal(t, policy.Scale{Unit: "wins", Exact: true, Risk: "bust"}, p.Scale())
		for _, difference := range []int64{-30, 0, 1} {
			known := map[game.Poll][2]float64{}
			for _, poll := range []game.Poll{
				{Seat: 0, Roll: 1, Bank: 9, Active: 0b01, Asking: 0b01},
				{Seat: 0, Roll: 1, Bank: 70, Active: 0b11, Asking: 0b01},
				{Seat: 0, Roll: 2, Bank: 20, Active: 0b11, Asking: 0b11},
				{Seat: 0, Roll: 3, Bank: 25, Active: 0b01, Asking: 0b01},
				{Seat: 1, Roll: 4, Bank: 40, Active: 0b11, Asking: 0b10},
				{Seat: 1, Roll: 5, Bank: 31, Active: 0b11, Asking: 0b11},
				{Seat: 1, Roll: 7, Bank: 60, Active: 0b10, Asking: 0b10},
			} {
				if repoll && poll.Active == 0b11 { // seat 0 is asked first
					poll.Asking = 0b11 << poll.Seat & 0b11
				}
				poll.Round, poll.Totals[poll.Seat], poll.Totals[1-poll.Seat] = 1, 100+difference, 100
				s := g.NewState().(*game.State)
				s.SetPoll(poll)
				var v [2]policy.Value
				p.Values(s, []int{game.Pass, game.Bank}, v[:])
				for action, v := range v {
					low, high := plain(after(s, action), 100, known)
					if poll.Seat == 1 {
						low, high = -high, -low
					}
					require.LessOrEqual(t, v.Low, share(high)+1e-9, "%v: %+v, action %d", difference, poll, action)
					require.GreaterOrEqual(t, v.High, share(low)-1e-9, "%v: %+v, action %d", difference, poll, action)
					require.LessOrEqual(t, v.High-v.Low, share(high)-share(low)+1e-9)
					if poll.Roll < 3 || action == game.Bank {
						require.Zero(t, v.Risk)
					} else {
						require.Equal(t, 1.0/6, v.Risk)
					}
				}
			}
		}
	}
}

// From the middle of a game the optimum wins against itself what its values say, and each
// action it takes is among the best.
func TestValuesAreWhatIsPlayed(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 3, repoll)
		p := solve(t, g, 500).Policy().(policy.Valuer)
		s, legal, rng := g.NewState().(*game.State), []int{game.Pass, game.Bank}, engine.NewRNG(1, engine.ChanceStream)
		for _, poll := range []game.Poll{
			{Seat: 0, Round: 1, Roll: 3, Bank: 40, Totals: [game.MaxSeats]int64{300, 250}, Active: 0b11, Asking: 0b11},
			{Seat: 1, Round: 2, Roll: 4, Bank: 90, Totals: [game.MaxSeats]int64{300, 250}, Active: 0b11, Asking: 0b10},
			{Seat: 1, Round: 0, Roll: 4, Bank: 60, Totals: [game.MaxSeats]int64{55, 0}, Active: 0b10, Asking: 0b10},
		} {
			s.SetPoll(poll)
			var v [2]policy.Value
			p.Values(s, legal, v[:])
			chosen := v[p.Choose(s, legal, nil)]
			require.GreaterOrEqual(t, chosen.High, max(v[0].Low, v[1].Low)-1e-12)
			const games = 1000 // ± 0.063 of the win, four standard errors
			sum := 0.0
			play := engine.Play{State: s, Chance: rng, Choose: func(_ int, legal []int) int { return p.Choose(s, legal, nil) }}
			for range games {
				s.SetPoll(poll)
				require.NoError(t, play.ToEnd())
				var returns [2]float64
				s.Returns(returns[:])
				sum += share(returns[poll.Seat])
			}
			t.Logf("repoll %v, %+v: %.4f..%.4f, played %.4f", repoll, poll, chosen.Low, chosen.High, sum/games)
			require.InDelta(t, chosen.Mean, sum/games, 4*0.5/math.Sqrt(games)+chosen.High-chosen.Low)
		}
	}
}

func TestSolveRefuses(t *testing.T) {
	_, _, err := SolveTables(t.Context(), newGame(t, 3, 10, true))
	require.EqualError(t, err, "solver: bank: the optimum is computed for 2 players, this game has 3")
	_, err = Solve(t.Context(), newGame(t, 2, 10, true), MaxSize+1, nil)
	require.ErrorContains(t, err, "size is 4001, not in 250..4000")
}

func TestBoundsTighten(t *testing.T) {
	g := newGame(t, 2, 3, false)
	small, large := solve(t, g, MinSize), solve(t, g, 2*MinSize)
	for finished := range 4 {
		for difference := -MinSize; difference <= MinSize; difference++ {
			l0, h0 := small.Bounds(finished, difference)
			l1, h1 := large.Bounds(finished, difference)
			require.LessOrEqual(t, l0, l1+1e-12)
			require.LessOrEqual(t, l1, h1+1e-12)
			require.LessOrEqual(t, h1, h0+1e-12)
		}
	}
}

// The rows say what the plan does, bank by bank.
func TestPlansSayWhatIsDone(t *testing.T) {
	o := solve(t, newGame(t, 2, 2, false), MinSize)
	rows := o.Plans()
	require.Len(t, rows, 2*2*3*stages*(2*MinSize+1))
	for _, row := range rows {
		role := map[string]role{"lone": lone, "first": first, "second": second}[row.Role]
		inside := map[int]bool{}
		for _, r := range row.Banks {
			for bank := r.From; bank <= mostBank(row.Stage, MinSize) && (r.To == 0 || bank <= r.To); bank++ {
				inside[bank] = true
			}
		}
		plan := o.races[row.Seat].rounds[row.Round-1].plan
		for bank := 1; bank <= mostBank(row.Stage, MinSize); bank++ {
			if plan.banks(role, row.Stage, row.Difference, bank) != inside[bank] {
				require.Fail(t, "the plan does something else", "%+v, bank %d", row, bank)
			}
		}
	}
	require.Len(t, solve(t, newGame(t, 2, 5, true), MinSize).Plans(), stages*(2*MinSize+1))
}

func TestPlansAreRows(t *testing.T) {
	row := Row{Seat: 1, Round: 2, Role: "lone", Stage: 3, Difference: -10, Banks: []Range{{45, 52}, {60, 0}}}
	require.Equal(t, []string{"1", "2", "lone", "3", "-10", "45-52 60-"}, row.Cells())
	require.Len(t, row.Cells(), len(Columns))
}
