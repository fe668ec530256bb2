package advice

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/pig"
	"croupier/games/standard"
	"croupier/internal/stat"
	"croupier/policy"
)

// holder values holding at the turn's points and rolling at 2.
func holder() policy.Policy { return turnValuer{} }

type turnValuer struct{ policy.Random }

func (turnValuer) Scale() policy.Scale { return policy.Scale{Unit: "points", Exact: true} }

func (turnValuer) Values(s engine.State, legal []int, dst []policy.Value) {
	for i, action := range legal {
		v := 2.0
		if action == pig.Hold {
			v = float64(s.(*pig.State).Turn())
		}
		dst[i] = policy.Value{Mean: v, Low: v, High: v}
	}
}

func TestReviewTellsWhatWasLost(t *testing.T) {
	g, err := standard.Games.New("pig", []byte("target: 10"))
	require.NoError(t, err)
	rec := &history.Record{Game: "pig", History: []int{
		pig.Hold,                           // seat 0: 2 less than rolling
		pig.Roll, 4, pig.Roll, 4, pig.Hold, // seat 1: with 5 it rolls, 3 less than holding
	}}
	r := NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions())
	var seen []Decision
	show := func(d *Decision) error { seen = append(seen, *d); return nil }
	require.NoError(t, r.Review(context.Background(), rec, show))
	require.NoError(t, r.Review(context.Background(), rec, show))
	require.Equal(t, 2, r.Games)
	require.True(t, r.Exact)
	require.Equal(t, "points", r.Unit)
	require.Equal(t, []SeatReview{
		{Seat: 0, Decisions: 2, Mistakes: 2, LossPerDecision: 2, LossLow: 2, LossHigh: 2, Accuracy: 0},
		{Seat: 1, Decisions: 6, Mistakes: 2, LossPerDecision: 1, LossLow: 1, LossHigh: 1, Accuracy: 100 * (1 - 6.0/26)},
	}, r.Seats(), "seat 1 could have lost 2, 3 and 8 in each game")
	require.Len(t, seen, 8)
	worst := seen[6]
	require.Equal(t, 3.0, worst.spread)
	worst.shortfall, worst.spread, worst.key, worst.odd = stat.Interval{}, 0, "", false
	require.Equal(t, `{"scores":[0,0],"turn":5,"seat":1}`, string(worst.Position))
	half := 0.5
	require.Equal(t, Decision{
		GameIndex: 1, Step: 3, Seat: 1, Position: worst.Position, Line: "0 >0 | 5", Taken: pig.Roll, TakenName: "roll",
		Best: pig.Hold, BestName: "hold", Value: 2,
		Alternatives: []Alternative{{pig.Roll, "roll", 3, &half}, {pig.Hold, "hold", 0, &half}},
		Loss:         3, LossLow: 3, LossHigh: 3, Mistake: true, Reason: "Hold is worth 5.000 points, 3.000 more than roll.",
	}, worst)
}

// A part of a game is judged like that part in the review of the whole game.
func TestReviewOfAPart(t *testing.T) {
	g, err := standard.Games.New("pig", []byte("target: 10"))
	require.NoError(t, err)
	rec := &history.Record{Game: "pig", History: []int{pig.Hold, pig.Roll, 4, pig.Roll, 4, pig.Hold}}
	decisions := func(span Span) (list []Decision) {
		r := NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions())
		r.Span = span
		require.NoError(t, r.Review(context.Background(), rec, func(d *Decision) error {
			list = append(list, *d)
			return nil
		}))
		return list
	}
	whole := decisions(Span{})
	require.Len(t, whole, 4)
	require.Equal(t, whole[1:3], decisions(Span{From: 1, To: 5}))
	require.Equal(t, whole[3:], decisions(Span{From: 5}))
}

func TestReviewRefusesWhatIsNoGame(t *testing.T) {
	g, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	r := NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions())
	for _, steps := range [][]int{{pig.Hold}, {7}, {pig.Roll, 9}} {
		err := r.Review(context.Background(), &history.Record{Game: "pig", History: steps},
			func(*Decision) error { return nil })
		var wrong *history.Error
		require.ErrorAs(t, err, &wrong, "%v", steps)
		require.Equal(t, len(steps)-1, min(wrong.Step, len(steps)-1))
	}
	require.Zero(t, r.Games)
}

// With hidden cards a seat is judged by what it knew: a queen that calls the equilibrium's
// bet has lost nothing, whether or not the other had the king.
func TestReviewJudgesByWhatTheSeatKnew(t *testing.T) {
	g, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	var losses [2]float64
	for i, card := range []int{0, 2} {
		r := NewReviewer(g, Agent{Name: "equilibrium", New: func() policy.Policy { return equilibrium{0.2} }},
			Options{Samples: 2000, Seed: 5})
		rec := &history.Record{Game: "kuhn", History: []int{card, 1, 1, 1}}
		require.NoError(t, r.Review(context.Background(), rec, func(d *Decision) error {
			if d.Seat == 1 {
				losses[i] = d.Loss
			}
			return nil
		}))
	}
	require.Equal(t, losses[0], losses[1])
	require.InDelta(t, 0, losses[0], 0.2)
}

// recorded plays games with a policy in all seats.
func recorded(t *testing.T, g engine.Game, games int, agent Agent) (list []*history.Record) {
	t.Helper()
	s, rng := g.NewState(), engine.NewRNG(4, engine.ActionStream)
	for range games {
		seats := make([]policy.Policy, g.Spec().Seats)
		for seat := range seats {
			seats[seat] = agent.New()
			seats[seat].Reset()
		}
		rec := &history.Record{Game: g.Spec().Name}
		play := engine.Play{State: s, Chance: rng, Choose: func(seat int, legal []int) int {
			return seats[seat].Choose(s, legal, rng)
		}}
		for s.Reset(); s.Player() != engine.Terminal; {
			step, err := play.Step()
			require.NoError(t, err)
			rec.History = append(rec.History, step)
		}
		list = append(list, rec)
	}
	return list
}

// An agent has no reason to call its own decisions mistakes: not if it always does the same,
// although the playouts say that something else would be better, and not if it mixes.
func TestNobodyChargesItself(t *testing.T) {
	random := Agent{Name: "random", New: func() policy.Policy { return policy.Random{} }}
	noisy := Agent{Name: "noisy", New: func() policy.Policy {
		return policy.Bot(engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int {
			if rng.IntN(10) == 0 {
				return legal[len(legal)-1]
			}
			return legal[0]
		}))
	}}
	for _, test := range []struct {
		game, rules string
		games       int
		samples     int
		agent       Agent
		always      bool // does the same
	}{
		{"bank", "players: 3", 3, 256, bot(t, "bank", "threshold(100)"), true},
		{"bank", "players: 3", 2, 256, noisy, false},
		{"bank", "players: 2", 2, 256, random, false},
		{"pig", "target: 30", 3, 256, random, false},
		{"lange-strasse", "{}", 1, 16, bot(t, "lange-strasse", "threshold(500)"), true},
		{"tysiac-hand", "{}", 3, 256, bot(t, "tysiac-hand", "heuristic"), false},
		{"kuhn", "{}", 200, 256, random, false},
	} {
		g, err := standard.Games.New(test.game, []byte(test.rules))
		require.NoError(t, err)
		r := NewReviewer(g, test.agent, Options{Samples: test.samples, Seed: 1})
		decisions, mistakes, lost := 0, 0, 0.0
		for _, rec := range recorded(t, g, test.games, test.agent) {
			require.NoError(t, r.Review(t.Context(), rec, func(*Decision) error { return nil }))
		}
		for _, s := range r.Seats() {
			decisions, mistakes, lost = decisions+s.Decisions, mistakes+s.Mistakes, lost+s.LossPerDecision
			require.True(t, 0 <= s.Accuracy && s.Accuracy <= 100)
			if test.always {
				require.Equal(t, SeatReview{Seat: s.Seat, Decisions: s.Decisions, Accuracy: 100}, s,
					"an agent that always does the same loses nothing against itself")
			}
		}
		require.Positive(t, decisions)
		require.LessOrEqual(t, float64(mistakes), 0.05*float64(decisions), "%s by %s", test.game, test.agent.Name)
		t.Logf("%s by %s: %d mistakes in %d decisions, mean loss %.4f",
			test.game, test.agent.Name, mistakes, decisions, lost/float64(len(r.Seats())))
	}
}

// The judge finds what it would not have done: in Pig with 2 points in the turn, holding.
func TestReviewFindsMistakes(t *testing.T) {
	g, err := standard.Games.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	judge := bot(t, "pig", "hold(20)")
	timid := Agent{Name: "timid", New: func() policy.Policy {
		return policy.Bot(engine.BotFunc(func(s engine.State, legal []int, _ *engine.RNG) int {
			if s.(*pig.State).Turn() > 0 || s.Player() == 1 {
				return pig.Hold
			}
			return pig.Roll
		}))
	}}
	r := NewReviewer(g, judge, ReviewOptions())
	for _, rec := range recorded(t, g, 1, timid) {
		require.NoError(t, r.Review(t.Context(), rec, func(*Decision) error { return nil }))
	}
	seats := r.Seats()
	require.Greater(t, seats[1].Mistakes, seats[1].Decisions/2, "seat 1 never rolls: %+v", seats)
	require.Less(t, seats[1].Accuracy, 10.0)
	require.Greater(t, seats[0].Accuracy, seats[1].Accuracy+20)
}

// A seat that is never wrong is charged with a mistake in at most 5 % of its games: of p-values that
// are uniform, the smallest is often below 5 %, but not below its share of that.
func TestChargesAreCorrectedForTheirNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	found := 0
	const trials = 4000
	for range trials {
		var made []*Decision
		for range 40 {
			made = append(made, &Decision{Seat: rng.IntN(2), P: rng.Float64(), odd: true})
		}
		own := 0
		for _, d := range made {
			own += 1 - d.Seat
		}
		charged(0, own, made)
		if slices.ContainsFunc(made, func(d *Decision) bool { return d.Mistake }) {
			found++
		}
	}
	require.InDelta(t, 0.05*trials, found, 3*math.Sqrt(0.05*0.95*trials))
	all := []*Decision{{P: 0.02, odd: true}, {P: 0.001, odd: true}, {P: 0.03}, {P: 0.04, odd: true}}
	charged(0, len(all), all)
	require.Equal(t, []bool{false, true, false, false}, []bool{all[0].Mistake, all[1].Mistake, all[2].Mistake,
		all[3].Mistake})
}

// The interval of the mean loss of a seat holds the true one in 95 of 100 reviews or more: in games
// that are won or lost, two more samples count for each spread.
func TestIntervalOfTheMeanLoss(t *testing.T) {
	const trials, decisions = 400, 40
	rng := rand.New(rand.NewPCG(5, 0))
	covered, within := 0, 0
	for range trials {
		r, lost := &Reviewer{}, 0.0
		sums := seatSums{below: map[string]float64{}, above: map[string]float64{}}
		for i := range decisions {
			c := truths[rng.IntN(len(truths))]
			if c.spec != winSpec {
				c = truths[0]
			}
			c.samples = 64
			g := sampled(c.spec, len(c.values), c.samples, func(x []float64) float64 { return c.draw(rng, c.values, x) })
			g.habit = mixture(rng, len(c.values))
			taken := rng.IntN(len(c.values))
			sums.add(&Decision{shortfall: g.shortfall(g.means(all), taken), key: strconv.Itoa(i)})
			lost += (g.of(c.values, habitual) - c.values[taken]) / decisions
		}
		r.sums = []seatSums{sums}
		s := r.Seats()[0]
		if s.LossLow <= lost && lost <= s.LossHigh {
			covered++
		}
		if s.LossPerDecision <= lost {
			within++
		}
	}
	require.GreaterOrEqual(t, float64(covered)/trials, 0.935)
	t.Logf("covered %d, below the truth %d of %d", covered, within, trials)
}

// mixture draws probabilities of actions, every other time those of an agent that does not mix.
func mixture(rng *rand.Rand, actions int) []float64 {
	habit, sum := make([]float64, actions), 0.0
	if rng.IntN(2) == 0 {
		habit[rng.IntN(actions)] = 1
		return habit
	}
	for i := range habit {
		habit[i] = rng.Float64()
		sum += habit[i]
	}
	for i := range habit {
		habit[i] /= sum
	}
	return habit
}

// A second question about a position of a review gets the same answer, also where cards are hidden.
func TestReviewsAndAdviceAgree(t *testing.T) {
	for game, judge := range map[string]string{
		"bank": "leader-chaser", "bank-cards": "blocker", "banluck": "baseline", "kuhn": "equilibrium(0.2)",
		"leduc": "tight", "pig": "keep-pace", "tysiac-hand": "heuristic",
	} {
		plenty := game != "bank-cards" // its games are long
		g, err := standard.Games.New(game, nil)
		require.NoError(t, err)
		agent, o, number := bot(t, game, judge), Options{Samples: 4, Seed: 2}, 1
		if plenty {
			o.Samples, number = 64, 4
		}
		checked := 0
		for _, rec := range recorded(t, g, number, agent) {
			require.NoError(t, NewReviewer(g, agent, o).Review(t.Context(), rec, func(d *Decision) error {
				if checked++; checked > 20 {
					return nil
				}
				a := ask(t, at(t, game, string(d.Position)), agent, o)
				taken := a.Of(d.Taken)
				require.Equal(t, [4]float64{d.Loss, d.LossLow, d.LossHigh, d.P},
					[4]float64{taken.Loss, taken.LossLow, taken.LossHigh, taken.P}, "%s %s", game, d.Position)
				require.Equal(t, d.Reason, a.Reason)
				return nil
			}))
		}
		require.Positive(t, checked, game)
	}
}
