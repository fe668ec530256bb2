package solver

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest/liarsdice"
	"croupier/engine/wasm"
	"croupier/games/pig"
	"croupier/policy"
)

// ticTacToe is the example of the kit for C.
func ticTacToe(t *testing.T) engine.Game {
	t.Helper()
	file, err := os.ReadFile("../engine/wasm/kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	f, err := wasm.Open(file)
	require.NoError(t, err)
	g, err := f.New(nil)
	require.NoError(t, err)
	return g
}

// The numbers are the known ones: 5,478 positions, 549,946 histories, and a draw.
func TestTicTacToeIsADraw(t *testing.T) {
	g := ticTacToe(t)
	p, err := NewPositions(g, 5478)
	require.NoError(t, err)
	require.Equal(t, 5478, p.Nodes())
	best := p.Optimum()
	require.Zero(t, best.Value())
	lost, err := p.Exploitability(func() policy.Policy { return best.Policy() })
	require.NoError(t, err)
	require.Zero(t, lost)
	_, err = NewPositions(g, 5477)
	require.ErrorIs(t, err, ErrNodes)

	for _, e := range best.Entries() {
		if e.Seen == "square 0 square 4 square 8" && e.Probability > 0 {
			require.Equal(t, 0.0, e.Value)
			require.Contains(t, []int{1, 3, 5, 7}, e.Action, "a corner loses against two opposite ones")
		}
	}
}

// What is found on positions is what the whole tree says, which knows nothing of them.
func TestPositionsAndTheWholeTreeSayTheSame(t *testing.T) {
	g := ticTacToe(t)
	newPolicy := func() policy.Policy { return rising{} }
	byPosition, err := NewMeasure(g, MaxNodes, false)
	require.NoError(t, err)
	byTree, err := NewMeasure(g, 549_946, true)
	require.NoError(t, err)
	want, err := byTree(newPolicy)
	require.NoError(t, err)
	got, err := byPosition(newPolicy)
	require.NoError(t, err)
	require.InDelta(t, want, got, 1e-12)
	require.Greater(t, got, 0.5)
	_, err = NewMeasure(g, 549_945, true)
	require.ErrorIs(t, err, ErrNodes)
}

// rising prefers later actions.
type rising struct{ policy.Random }

func (rising) Distribution(_ engine.State, legal []int, dst []float64) {
	for i := range legal {
		dst[i] = float64(1+i) / float64(len(legal)*(len(legal)+1)/2)
	}
}

// alternating plays otherwise each second time it is asked.
type alternating struct {
	policy.Random
	odd bool
}

func (p *alternating) Reset() { p.odd = false }

func (p *alternating) Distribution(_ engine.State, legal []int, dst []float64) {
	clear(dst)
	if p.odd = !p.odd; p.odd {
		dst[0] = 1
	} else {
		dst[len(legal)-1] = 1
	}
}

func TestPositionsRefusePoliciesWithAMemory(t *testing.T) {
	measure, err := NewMeasure(ticTacToe(t), MaxNodes, false)
	require.NoError(t, err)
	_, err = measure(func() policy.Policy { return &alternating{} })
	require.ErrorIs(t, err, ErrTwoAnswers)
}

func TestTheOptimumKnowsWhatActionsAreWorth(t *testing.T) {
	g := ticTacToe(t)
	players, _, err := Optimal.Solve(context.Background(), g)
	require.NoError(t, err)
	p, s := players(), g.NewState()
	for _, step := range []int{0, 1, 3} { // two in a column of seat 0: only 6 does not lose at once
		require.NoError(t, s.Apply(step))
	}
	legal := s.LegalActions(nil)
	values := make([]policy.Value, len(legal))
	p.(policy.Valuer).Values(s, legal, values)
	for i, action := range legal {
		if action != 6 {
			require.Zero(t, values[i].Mean, action) // of the win
		}
	}
	require.True(t, p.(policy.Valuer).Scale().Exact)
	require.Contains(t, legal, p.Choose(s, legal, engine.NewRNG(1, 0)))
}

// odd is a game with another specification or other keys than it should have.
type odd struct {
	engine.Game
	spec engine.Spec
	key  func(engine.State) []byte
}

func (o *odd) Spec() *engine.Spec     { return &o.spec }
func (o *odd) NewState() engine.State { return &oddState{o.Game.NewState(), o} }

type oddState struct {
	engine.State
	odd *odd
}

func (s *oddState) Clone() engine.State       { return &oddState{s.State.Clone(), s.odd} }
func (s *oddState) CopyFrom(src engine.State) { s.State.CopyFrom(src.(*oddState).State) }

func (s *oddState) InformationKey(seat int, buf []byte) []byte {
	if s.odd.key != nil {
		return append(buf, s.odd.key(s.State)...)
	}
	return s.State.InformationKey(seat, buf)
}

func TestWhatHasNoPositions(t *testing.T) {
	dice, err := pig.New([]byte("target: 10"))
	require.NoError(t, err)
	short := *dice.Spec()
	short.MaxHistory = 100
	_, err = NewPositions(&odd{Game: dice, spec: short}, MaxNodes)
	require.ErrorIs(t, err, ErrRepeats, "after two lost turns the scores are the same")

	marks := ticTacToe(t)
	count := func(s engine.State) []byte { return []byte{byte(len(s.LegalActions(nil)))} }
	_, err = NewPositions(&odd{Game: marks, spec: *marks.Spec(), key: count}, MaxNodes)
	require.ErrorContains(t, err, "the information key is that of another")

	hidden := *marks.Spec()
	hidden.PerfectInformation = false
	_, err = NewPositions(&odd{Game: marks, spec: hidden}, MaxNodes)
	require.ErrorContains(t, err, "perfect information")
}

func TestSizesAreEstimated(t *testing.T) {
	size, err := Estimate(ticTacToe(t), MaxNodes)
	require.NoError(t, err)
	require.InDelta(t, 549_946, size.Nodes, 4*size.Error)
	require.Less(t, size.Error, 0.05*size.Nodes)
	require.Equal(t, "1.4·10^29 nodes", Size{Nodes: 1.4e29}.String())
	few, err := Estimate(ticTacToe(t), 1000)
	require.NoError(t, err)
	require.Less(t, few.Bytes, size.Bytes)
}

// Where games are won or lost, exact values are shares of the win: of a position and, weighted by what an equilibrium
// plays, of a game.
func TestValuesOfGamesThatAreWonOrLost(t *testing.T) {
	g := ticTacToe(t)
	p, err := NewPositions(g, 5478)
	require.NoError(t, err)
	player := p.Optimum().Policy().(policy.Valuer)
	require.Equal(t, policy.Scale{Unit: "wins", Exact: true}, player.Scale())
	s := g.NewState()
	for _, square := range []int{4, 0, 8} {
		engine.MustApply(s, square)
	}
	legal := s.LegalActions(nil)
	values := make([]policy.Value, len(legal))
	player.Values(s, legal, values)
	for i, square := range legal {
		want := 0.0
		if square == 2 || square == 6 { // all others lose
			want = 0.5
		}
		require.Equal(t, policy.Value{Mean: want, Low: want, High: want}, values[i], "square %d", square)
	}

	dice, err := liarsdice.New([]byte("faces: 2"))
	require.NoError(t, err)
	newPolicy, _, err := SolveTables(t.Context(), dice)
	require.NoError(t, err)
	equilibrium := newPolicy()
	valuer := equilibrium.(policy.Valuer)
	require.Equal(t, "wins", valuer.Scale().Unit)
	strategy, err := solveEquilibrium(t.Context(), dice)
	require.NoError(t, err)
	mean := 0.0
	for _, own := range dice.NewState().Outcomes(nil) {
		for _, other := range dice.NewState().Outcomes(nil) {
			s := dice.NewState()
			engine.MustApply(s, own.Index)
			engine.MustApply(s, other.Index)
			legal := s.LegalActions(nil)
			values, played := make([]policy.Value, len(legal)), make([]float64, len(legal))
			valuer.Values(s, legal, values)
			equilibrium.Distribution(s, legal, played)
			for i := range legal {
				mean += own.Probability * other.Probability * played[i] * values[i].Mean
			}
		}
	}
	require.InDelta(t, (1+strategy.Values()[0])/2, mean, 1e-4)
}
