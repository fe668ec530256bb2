package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
)

func TestShapingRefuses(t *testing.T) {
	hand := testGame(t, "tysiac-hand", "")
	require.EqualError(t, Shaping{"meld": 1}.Check(hand),
		`shaping.meld: unknown term; those of tysiac-hand are valid_meld, wasted_bomb, precise_contract`)
	require.EqualError(t, Shaping{"meld": 1}.Check(testGame(t, "pig", "")), `shaping.meld: unknown term; pig has none`)
	zero := 0.0
	require.EqualError(t, Shaping{"valid_meld": 1 / zero}.Check(hand), "shaping.valid_meld: +Inf is not a finite number")
	require.NoError(t, Shaping{"valid_meld": 0.01, "wasted_bomb": -0.05}.Check(hand))

	o := testOptions(t)
	o.Config.Shaping = Shaping{"meld": 1}
	_, err := New(o)
	require.EqualError(t, err, `learner: shaping.meld: unknown term; kuhn has none`)
}

// The same games give the same sequences with and without shaping, results included;
// rewards are at the decisions of the seats that earned them, and nowhere else.
func TestShapingChangesRewardsAlone(t *testing.T) {
	o := testOptions(t)
	o.Game = testGame(t, "tysiac-hand", "")
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{8}})
	o.Config.PPO.Samples = 100_000
	a := playingActor(t, o, "actor-1", 5)
	x := a.batch(20_000)
	ingested := func(w Shaping) *rollout {
		o := testOptions(t)
		o.Game, o.Layout, o.Config.PPO.Samples, o.Config.Shaping = a.game, a.network.Layout, 100_000, w
		g := testIngestion(t, o, 5)
		deliver(t, o, g, "actor-1", encode(t, x))
		return rolloutOf(g)
	}
	plain := ingested(nil)
	weights := Shaping{"valid_meld": 0.01, "wasted_bomb": -0.05, "precise_contract": 0.5}
	shaped := ingested(weights)
	require.Equal(t, plain.sequences, shaped.sequences)
	require.Equal(t, plain.actions, shaped.actions)
	require.Equal(t, plain.observations, shaped.observations)
	require.Equal(t, make([]float32, plain.len()), plain.rewards)

	// Replay the games directly: what each seat earned in each game.
	game := o.Game.(engine.Shaper)
	terms, s, r := game.Shapings(), game.NewState(), 0
	fired := make([]int, len(terms))
	for _, e := range x.Episodes {
		s.Reset()
		want, decided := make([]float32, 2), make([]bool, 2)
		for i := range len(e.History) {
			step := messages.StepAt(e.History, 1, i)
			if seat := s.Player(); seat >= 0 {
				decided[seat] = decided[seat] || len(s.LegalActions(nil)) > 1
				for _, event := range game.Shape(s, step, nil) {
					if decided[event.Seat] {
						want[event.Seat] += float32(weights[terms[event.Term].Name])
					}
					fired[event.Term]++
				}
			}
			require.NoError(t, s.Apply(step))
		}
		for seat := range 2 {
			if !decided[seat] {
				continue
			}
			q := shaped.sequences[r]
			sum := float32(0)
			for _, reward := range shaped.rewards[q.first : q.first+q.length] {
				sum += reward
			}
			require.InDelta(t, want[seat], sum, 1e-6)
			r++
		}
	}
	require.Len(t, shaped.sequences, r)
	for i, n := range fired {
		require.Positive(t, n, terms[i].Name)
	}
}

// dice is a game of which only the shaping terms are used.
type dice struct {
	engine.Game
	events []engine.Shaped
}

func (d dice) Shapings() []engine.Shaping {
	return []engine.Shaping{{Name: "first"}, {Name: "second"}}
}

func (d dice) Shape(_ engine.State, _ int, buf []engine.Shaped) []engine.Shaped {
	return append(buf, d.events...)
}

// shaperOf returns the shaper of a game with weights, under a discount.
func shaperOf(game engine.Game, w Shaping, gamma float64) *shaper {
	c := DefaultConfig()
	c.Shaping, c.Gamma = w, gamma
	return newShaper(c, game)
}

// TestRewardsStandAtTheNewestSample: seat 0 has decided twice since its sample, seat 1 has
// not chosen anything yet.
func TestRewardsStandAtTheNewestSample(t *testing.T) {
	h := shaperOf(dice{events: []engine.Shaped{{Term: 0, Seat: 0}, {Term: 1, Seat: 1}, {Term: 1, Seat: 0}}},
		Shaping{"first": 1, "second": 0.25}, 0.5)
	seats := []record{{decisions: decisions{rewards: make([]float32, 2), spans: []int32{1, 3}}, newest: 1}, {newest: none}}
	h.reward(nil, 0, seats)
	require.Equal(t, []float32{0, 1.25 * 0.5 * 0.5}, seats[0].rewards)
	require.Nil(t, shaperOf(dice{}, Shaping{"first": 0}, 1), "nothing has a weight")
	require.Nil(t, shaperOf(dice{}, nil, 1))
}
