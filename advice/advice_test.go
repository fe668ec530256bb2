package advice

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/pig"
	"croupier/games/standard"
	"croupier/policy"
)

// at returns a question about a position of a game under its default rules.
func at(t *testing.T, game, position string) Question {
	t.Helper()
	g, err := standard.Games.New(game, nil)
	require.NoError(t, err)
	s, notes, err := g.(engine.Positioned).ParsePosition([]byte(position), engine.NewRNG(1, 0))
	require.NoError(t, err)
	return Question{Game: g, State: s, Notes: notes}
}

func bot(t *testing.T, game, name string) Agent {
	t.Helper()
	g, err := standard.Games.New(game, nil)
	require.NoError(t, err)
	b, err := g.Bots().New(name)
	require.NoError(t, err)
	return Agent{Name: name, New: func() policy.Policy { return policy.Bot(b) }}
}

func ask(t *testing.T, q Question, agent Agent, o Options) *Answer {
	t.Helper()
	a, err := Advise(context.Background(), q, agent, o)
	require.NoError(t, err)
	_, err = json.Marshal(a)
	require.NoError(t, err, "an answer can be encoded as JSON")
	return a
}

// equilibrium gives its probabilities; the same bot behind policy.Bot does not.
type equilibrium struct{ kuhn.Equilibrium }

func (equilibrium) Reset() {}

// The opponent plays the equilibrium with alpha = 1/5, where a bet comes from a jack in 1
// of 4 cases: the first seat bets a king three times as often. So calling with a queen
// loses 1 on average, like folding. If both cards were equally likely, calling would win as
// often as not.
func TestBeliefFollowsFromWhatTheOthersDid(t *testing.T) {
	q := at(t, "kuhn", `{"card": "Q", "moves": ["bet"]}`)
	for name, agent := range map[string]Agent{
		"stochastic": {Name: "equilibrium", New: func() policy.Policy { return equilibrium{0.2} }},
		"bot":        bot(t, "kuhn", "equilibrium(0.2)"),
	} {
		a := ask(t, q, agent, Options{Samples: 20000, Seed: 3})
		require.Equal(t, -1.0, a.Actions[kuhn.Pass].Value, name)
		call := a.Actions[kuhn.Bet]
		require.InDelta(t, -1, call.Value, 2*(call.Value-call.Low), name)
		require.Less(t, call.High-call.Low, 0.2, name)
		require.False(t, a.Exact)
	}
	passive := bot(t, "kuhn", "always-pass")
	a := ask(t, q, passive, Options{Samples: 4000, Seed: 3})
	require.InDelta(t, 0, a.Actions[kuhn.Bet].Value, 0.1, "nobody would have bet, so all deals count equally")
	require.Contains(t, a.Notes[0], "always-pass would not have played like the other seats")
}

func TestPlayOutIsDeterministic(t *testing.T) {
	for game, position := range map[string]string{
		"pig":     `{"scores": [30, 40], "turn": 18, "seat": 1}`,
		"banluck": `{"seat": 0, "hand": ["7", "9"]}`,
	} {
		agent := Agent{Name: "random", New: func() policy.Policy { return policy.Random{} }}
		q := at(t, game, position)
		first := ask(t, q, agent, Options{Samples: 100, Seed: 7, Workers: 1})
		require.Equal(t, 100, first.Games)
		require.Equal(t, first, ask(t, q, agent, Options{Samples: 100, Seed: 7, Workers: 3}))
		require.NotEqual(t, first.Actions, ask(t, q, agent, Options{Samples: 100, Seed: 8}).Actions)
	}
}

// How many games are played depends on their length, not on the machine, unless the time runs out.
func TestSamplesFollowFromTheLengthOfGames(t *testing.T) {
	q := at(t, "pig", `{"scores": [99, 99], "turn": 2, "seat": 0}`)
	o := DefaultOptions()
	o.Workers = 1
	a := ask(t, q, bot(t, "pig", "hold(20)"), o)
	require.Equal(t, defaultSamples, a.Games)
	o.Workers = 3
	require.Equal(t, a, ask(t, q, bot(t, "pig", "hold(20)"), o))
	require.Equal(t, pig.Hold, a.Best)
	require.Equal(t, 1.0, a.Actions[pig.Hold].Value)
	require.Zero(t, *a.Actions[pig.Hold].Risk)
	require.InDelta(t, 1.0/6, *a.Actions[pig.Roll].Risk, 0.02, "a 1 before the hold")
	require.InDelta(t, 0.15, a.Actions[pig.Roll].Loss, 0.03, "the other seat may fail as well")
	require.Less(t, a.Actions[pig.Roll].P, 1e-6)
	o.Steps = 1
	require.Equal(t, minSamples, ask(t, q, bot(t, "pig", "hold(20)"), o).Games)
	o = DefaultOptions()
	o.Budget = time.Nanosecond
	a = ask(t, q, bot(t, "pig", "hold(20)"), o)
	require.Equal(t, minSamples, a.Games)
	require.Contains(t, a.Notes[0], "the time of 1ns was used up after 64 of 4096 games")
	require.Equal(t, ask(t, q, bot(t, "pig", "hold(20)"), Options{Samples: minSamples, Seed: 1}).Actions, a.Actions)
}

// knower is a Valuer with given values.
type knower struct {
	policy.Random
	scale  policy.Scale
	values []policy.Value
}

func (k knower) Scale() policy.Scale { return k.scale }

func (k knower) Values(_ engine.State, legal []int, dst []policy.Value) {
	copy(dst[:len(legal)], k.values)
}

// An interval above 0 is not yet proof where rare results are large.
func TestTooFewGamesAreSaid(t *testing.T) {
	a := &Answer{Unit: "points", Decimals: 0, Best: 1, Actions: []Action{
		{Action: 0, Name: "pass", Value: 65, Loss: 64, LossLow: 38, LossHigh: 91, P: 0.33},
		{Action: 1, Name: "bid 100", Value: 130, P: 1},
	}}
	require.Equal(t, "Bid 100 seems best with about 130 points, 64 (38 to 91) more than pass, "+
		"but this number of games is too small to be certain.",
		a.reason())
}

func TestValuersAreAsked(t *testing.T) {
	q := at(t, "pig", `{"scores": [0, 0], "turn": 0, "seat": 0}`)
	exact := func(mean, risk float64) policy.Value {
		return policy.Value{Mean: mean, Low: mean, High: mean, Risk: risk}
	}
	for _, test := range []struct {
		scale  policy.Scale
		values []policy.Value
		best   int
		loss   [2]float64
		reason string
	}{
		{policy.Scale{Unit: "wins", Exact: true, Risk: "bust"}, []policy.Value{exact(0.5306, 0.25), exact(0.4694, 0)}, 0,
			[2]float64{0, 0.0612},
			"Roll is worth 0.5306 win probability, 0.0612 more than hold; risk (bust): 25.0 % against 0.0 %."},
		{policy.Scale{Unit: "points", Exact: true}, []policy.Value{exact(2, 0), exact(2, 0)}, 0, [2]float64{0, 0},
			"Roll 50.0 % of the time, hold 50.0 %: they are worth the same, 2.000 points."},
		{policy.Scale{Unit: "ct"}, []policy.Value{{Mean: 1, Low: 0, High: 2}, {Mean: 5, Low: 4, High: 6}}, 1,
			[2]float64{4, 0},
			"Hold is worth about 5.0 ct, 4.0 (2.0 to 6.0) more than roll."},
		{policy.Scale{Unit: "ct"}, []policy.Value{{Mean: 5, Low: 4, High: 6}, {Mean: 5, Low: 4, High: 6}}, 0,
			[2]float64{0, 0},
			"Roll seems best with about 5.0 ct, but cannot be distinguished from hold."},
		{policy.Scale{Unit: "ct"}, []policy.Value{{Mean: 4.5, Low: 4, High: 5}, {Mean: 5, Low: 4, High: 6}}, 1,
			[2]float64{0.5, 0},
			"Hold seems best with about 5.00 ct, but whether it is better than roll is not certain: by 0.50 (0.00 to 2.00)."},
		{policy.Scale{Unit: "wins", Exact: true, Risk: "bust", Accuracy: 0.002},
			[]policy.Value{exact(0.5306, 0.2501), exact(0.5289, 0.2502)}, 0, [2]float64{0, 0},
			"Roll 50.0 % of the time, hold 50.0 %: they are worth the same, 0.53 win probability."},
		{policy.Scale{Unit: "wins", Exact: true},
			[]policy.Value{{Mean: 0.5, Low: 0.4, High: 0.6}, {Mean: 0.6, Low: 0.5, High: 0.7}}, 1, [2]float64{0.1, 0},
			"Hold and roll are worth the same within the bounds, 0.6000 win probability."},
		{policy.Scale{Unit: "wins", Exact: true}, []policy.Value{exact(0.50001, 0), exact(0.5, 0)}, 0, [2]float64{0, 0.00001},
			"Roll is worth 0.5000 win probability, hardly more than hold."},
	} {
		agent := Agent{Name: "k", New: func() policy.Policy { return knower{scale: test.scale, values: test.values} }}
		a := ask(t, q, agent, DefaultOptions())
		require.Equal(t, test.best, a.Best)
		require.Equal(t, test.reason, a.Reason)
		require.Equal(t, test.scale.Exact, a.Exact)
		require.Zero(t, a.Games)
		for i, loss := range test.loss {
			require.InDelta(t, loss, a.Actions[i].Loss, 1e-12)
			require.Equal(t, test.scale.Risk != "", a.Actions[i].Risk != nil)
		}
	}
}

// differencer knows that the errors of its values are common to all actions.
type differencer struct{ knower }

func (d differencer) Differences(_ engine.State, legal []int, base int, dst []policy.Value) {
	for i := range legal {
		mean := d.values[base].Mean - d.values[i].Mean
		dst[i] = policy.Value{Mean: mean, Low: mean - 0.1, High: mean + 0.1}
	}
	dst[base] = policy.Value{}
}

func TestIntervalsOfDifferences(t *testing.T) {
	q := at(t, "pig", `{"scores": [0, 0], "turn": 0, "seat": 0}`)
	values := knower{
		scale:  policy.Scale{Unit: "ct"},
		values: []policy.Value{{Mean: 4.5, Low: 4, High: 5}, {Mean: 5, Low: 4, High: 6}},
	}
	apart := ask(t, q, Agent{New: func() policy.Policy { return values }}, DefaultOptions())
	require.Equal(t, [2]float64{0, 2}, [2]float64{apart.Actions[0].LossLow, apart.Actions[0].LossHigh})
	best := apart.Actions[1]
	require.Equal(t, [2]float64{0, 1}, [2]float64{best.LossLow, best.LossHigh}, "the other may be better")
	require.InDelta(t, 0.26, apart.Actions[0].P, 0.01, "0.65 standard errors")
	common := ask(t, q, Agent{New: func() policy.Policy { return differencer{values} }}, DefaultOptions())
	require.InDelta(t, 0.4, common.Actions[0].LossLow, 1e-12)
	require.InDelta(t, 0.6, common.Actions[0].LossHigh, 1e-12)
	require.Zero(t, common.Actions[1].LossHigh)
	require.Less(t, common.Actions[0].P, 1e-9)
	require.Equal(t, "Hold is worth about 5.00 ct, 0.50 (0.40 to 0.60) more than roll.", common.Reason)
}

// settler computes its values in some positions.
type settler struct {
	knower
	settles bool
}

func (s settler) Settles(engine.State) bool { return s.settles }

// An agent that estimates values may know them exactly in a position: there the answer is exact, within
// the accuracy of the agent. Elsewhere the accuracy means nothing.
func TestValuesAreExactWhereTheAgentSaysSo(t *testing.T) {
	q := at(t, "pig", `{"scores": [30, 40], "turn": 18, "seat": 1}`)
	values := knower{
		scale:  policy.Scale{Unit: "units", Accuracy: 0.001},
		values: []policy.Value{{Mean: 0.5, Low: 0.5, High: 0.5}, {Mean: 0.4995, Low: 0.4995, High: 0.4995}},
	}
	for settles, accuracy := range map[bool]float64{true: 0.001, false: 0} {
		a := ask(t, q, Agent{New: func() policy.Policy { return settler{values, settles} }}, DefaultOptions())
		require.Equal(t, settles, a.Exact)
		require.Equal(t, accuracy, a.ValueError)
		require.Equal(t, settles, a.Actions[1].Loss == 0, "the difference is within the accuracy")
		require.Equal(t, settles, len(a.Notes) == 0, "estimates without errors are noted: %v", a.Notes)
	}
}

// Options that somebody has chosen are not without effect in silence.
func TestIdleOptionsAreNoted(t *testing.T) {
	q := at(t, "pig", `{"scores": [30, 40], "turn": 18, "seat": 1}`)
	o := Options{Samples: 2, Seed: 1, Given: []string{"--samples", "--seed"}}
	knows := Agent{Name: "knower", New: func() policy.Policy {
		return knower{scale: policy.Scale{Exact: true}, values: make([]policy.Value, 2)}
	}}
	require.Equal(t, "--samples, --seed: without effect, as no games are played out: knower knows what actions are worth",
		ask(t, q, knows, o).Notes[0])
	require.Empty(t, ask(t, q, Agent{Name: "random", New: func() policy.Policy { return policy.Random{} }}, o).Notes)
	require.Empty(t, ask(t, q, knows, DefaultOptions()).Notes, "nobody has chosen them")
}

// memory counts its decisions and chooses by their number.
type memory struct{ decisions *int }

func (m memory) Reset() { *m.decisions = 0 }

func (m memory) Choose(_ engine.State, legal []int, _ *engine.RNG) int {
	*m.decisions++
	return legal[*m.decisions%len(legal)]
}

// explainer also gives reasons.
type explainer struct{ knower }

func (explainer) Explain(_ engine.State, legal []int) []string {
	return []string{"There is a choice.", fmt.Sprintf("It is between %d actions.", len(legal))}
}

func TestExplanationsFollowTheReason(t *testing.T) {
	q := at(t, "pig", `{"scores": [30, 40], "turn": 18, "seat": 1}`)
	values := knower{
		scale:  policy.Scale{Unit: "wins", Exact: true},
		values: []policy.Value{{Mean: 0.5}, {Mean: 0.25}},
	}
	plain := ask(t, q, Agent{New: func() policy.Policy { return values }}, DefaultOptions())
	told := ask(t, q, Agent{New: func() policy.Policy { return explainer{values} }}, DefaultOptions())
	require.Equal(t, plain.Reason+" There is a choice. It is between 2 actions.", told.Reason)
}

func TestRecurrentAgentsSeeThePast(t *testing.T) {
	agent := Agent{Name: "memory", Recurrent: true, New: func() policy.Policy { return memory{new(int)} }}
	// The second decision of a seat holds (2 % 2 = 0 is roll, 1 is hold).
	q := at(t, "pig", `{"scores": [0, 0], "turn": 6, "seat": 0}`)
	o := Options{Samples: 8, Seed: 1}
	blank := ask(t, q, agent, o)
	require.Contains(t, blank.Notes[0], "memory has a memory, and a position holds only the present")
	q.History = []int{pig.Roll, 5}
	warm := ask(t, q, agent, o)
	require.Empty(t, warm.Notes)
	require.NotEqual(t, blank.Actions, warm.Actions)
}

func TestAdviseRefuses(t *testing.T) {
	g, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	random := Agent{Name: "random", New: func() policy.Policy { return policy.Random{} }}
	over := g.NewState()
	for range 99 {
		for over.Player() != engine.Terminal && over.Scores(nil)[0] < 100 {
			step := pig.Roll
			if over.Player() == engine.Chance {
				step = 5
			} else if over.(*pig.State).Turn() >= 100 {
				step = pig.Hold
			}
			require.NoError(t, over.Apply(step))
		}
	}
	_, err = Advise(context.Background(), Question{Game: g, State: over}, random, DefaultOptions())
	require.ErrorIs(t, err, ErrNoDecision)
	q := at(t, "pig", `{"scores": [0, 0], "turn": 0, "seat": 0}`)
	for _, o := range []Options{{Samples: -1}, {Samples: maxSamples + 1}, {}, {Steps: 1, Budget: -1}} {
		_, err = Advise(context.Background(), q, random, o)
		require.Error(t, err, "%+v", o)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Advise(stopped, q, random, Options{Samples: 10})
	require.ErrorIs(t, err, context.Canceled)
}
