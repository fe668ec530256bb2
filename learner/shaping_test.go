package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/nn"
)

func TestShapingRefuses(t *testing.T) {
	hand := testGame(t, "tysiac-hand", "")
	require.EqualError(t, train.Shaping{"meld": 1}.Check(hand),
		`shaping.meld: unknown term; those of tysiac-hand are valid_meld, wasted_bomb, precise_contract`)
	require.EqualError(t, train.Shaping{"meld": 1}.Check(testGame(t, "pig", "")),
		`shaping.meld: unknown term; pig has none`)
	zero := 0.0
	require.EqualError(t, train.Shaping{"valid_meld": 1 / zero}.Check(hand),
		"shaping.valid_meld: +Inf is not a finite number")
	require.NoError(t, train.Shaping{"valid_meld": 0.01, "wasted_bomb": -0.05}.Check(hand))

	o := testOptions(t)
	o.Config.Shaping = train.Shaping{"meld": 1}
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
	ingested := func(w train.Shaping) *train.Rollout {
		o := testOptions(t)
		o.Game, o.Layout, o.Config.PPO.Samples, o.Config.Shaping = a.game, a.network.Layout, 100_000, w
		g := testIngestion(t, o, 5)
		deliver(t, o, g, "actor-1", encode(t, x))
		return rolloutOf(g)
	}
	plain := ingested(nil)
	weights := train.Shaping{"valid_meld": 0.01, "wasted_bomb": -0.05, "precise_contract": 0.5}
	shaped := ingested(weights)
	require.Equal(t, plain.Sequences, shaped.Sequences)
	require.Equal(t, plain.Actions, shaped.Actions)
	require.Equal(t, plain.Observations, shaped.Observations)
	require.Equal(t, make([]float32, plain.Len()), plain.Rewards)

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
			q := shaped.Sequences[r]
			sum := float32(0)
			for _, reward := range shaped.Rewards[q.First : q.First+q.Length] {
				sum += reward
			}
			require.InDelta(t, want[seat], sum, 1e-6)
			r++
		}
	}
	require.Len(t, shaped.Sequences, r)
	for i, n := range fired {
		require.Positive(t, n, terms[i].Name)
	}
}
