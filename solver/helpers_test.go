package solver

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/leduc"
	"croupier/policy"
)

// variant is Kuhn poker with a part replaced, to break what the solvers rely on.
type variant struct {
	kuhn.Game
	seats   int
	rake    float64                    // taken from each seat at the end
	key     func(key []byte) []byte    // applied to information keys
	actions func(s engine.State) []int // nil: as in Kuhn poker
}

func (v *variant) Spec() *engine.Spec {
	spec := *v.Game.Spec()
	spec.Seats = max(v.seats, 2)
	return &spec
}

func (v *variant) NewState() engine.State {
	return &variantState{v.Game.NewState().(*kuhn.State), v}
}

type variantState struct {
	*kuhn.State
	*variant
}

func (s *variantState) LegalActions(buf []int) []int {
	if s.actions != nil {
		return append(buf, s.actions(s)...)
	}
	return s.State.LegalActions(buf)
}

func (s *variantState) InformationKey(seat int, buf []byte) []byte {
	if s.key != nil {
		return append(buf, s.key(s.State.InformationKey(seat, nil))...)
	}
	return s.State.InformationKey(seat, buf)
}

func (s *variantState) Returns(dst []float64) {
	clear(dst)
	s.State.Returns(dst[:2])
	for i := range dst {
		dst[i] -= s.rake
	}
}

func (s *variantState) CopyFrom(src engine.State) { s.State.CopyFrom(src.(*variantState).State) }

func (s *variantState) Clone() engine.State {
	return &variantState{s.State.Clone().(*kuhn.State), s.variant}
}

func newTree(t testing.TB, g engine.Game) *Tree {
	t.Helper()
	tree, err := NewTree(g, MaxNodes)
	require.NoError(t, err)
	return tree
}

func tableOf(t testing.TB, tree *Tree, p policy.Stochastic) *Strategy {
	t.Helper()
	s, err := StrategyOf(tree, func() policy.Policy { return p })
	require.NoError(t, err)
	return s
}

// kuhnEquilibrium is a member of the published family as a policy.
type kuhnEquilibrium struct{ kuhn.Equilibrium }

func (kuhnEquilibrium) Reset() {}

// randomStrategy draws a strategy; about a quarter of the actions have no weight.
func randomStrategy(tree *Tree, seed uint64) *Strategy {
	rng, s := engine.NewRNG(seed, 0), newStrategy(tree)
	for seat := range tree.sides {
		side := &tree.sides[seat]
		for set := range side.parent {
			first, end := side.span(set)
			weights := make([]float64, end-first)
			for i := range weights {
				weights[i] = max(0, rng.Float64()-0.25)
			}
			proportional(weights, s.probability[seat][first:end])
		}
	}
	return s
}

// simpleValues computes the expected returns under a policy by walking the states of
// the game, as slowly and plainly as possible.
func simpleValues(s engine.State, p policy.Stochastic) []float64 {
	values := make([]float64, 2)
	var steps []engine.Outcome
	switch s.Player() {
	case engine.Terminal:
		s.Returns(values)
		return values
	case engine.Chance:
		steps = s.Outcomes(nil)
	default:
		legal := s.LegalActions(nil)
		probabilities := make([]float64, len(legal))
		p.Distribution(s, legal, probabilities)
		for i, action := range legal {
			steps = append(steps, engine.Outcome{Index: action, Probability: probabilities[i]})
		}
	}
	for _, step := range steps {
		child := s.Clone()
		if err := child.Apply(step.Index); err != nil {
			panic(err)
		}
		for seat, v := range simpleValues(child, p) {
			values[seat] += step.Probability * v
		}
	}
	return values
}

// smallGames are the games whose whole tree is walked in tests.
var smallGames = []struct {
	name string
	game engine.Game
}{{"kuhn", kuhn.Game{}}, {"leduc", leduc.Game{}}}

var nan = math.NaN()
