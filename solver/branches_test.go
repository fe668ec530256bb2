package solver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/policy"
)

// farGame is a game whose steps are made elsewhere: those that wait travel together.
type farGame struct {
	engine.Game
	waiting []*farState
	trips   int
}

func (g *farGame) NewState() engine.State { return &farState{State: g.Game.NewState(), game: g} }

func (g *farGame) travel() {
	g.trips++
	for _, s := range g.waiting {
		if err := s.State.Apply(s.step); err != nil {
			panic(err) // the walk asks for steps that are possible
		}
		s.isAway = false
	}
	g.waiting = g.waiting[:0]
}

type farState struct {
	engine.State
	game   *farGame
	isAway bool
	step   int
	ahead  []int
}

func (s *farState) settled() engine.State {
	if s.isAway {
		s.game.travel()
	}
	return s.State
}

func (s *farState) Pending() bool { return s.isAway }

func (s *farState) Foresee(steps []int) {
	s.settled()
	s.game.trips++
	s.ahead = steps
}

func (s *farState) Apply(step int) error {
	s.settled()
	if len(s.ahead) > 0 {
		s.ahead = s.ahead[1:]
		return s.State.Apply(step)
	}
	s.isAway, s.step = true, step
	s.game.waiting = append(s.game.waiting, s)
	return nil
}

func (s *farState) Player() int                                    { return s.settled().Player() }
func (s *farState) LegalActions(buf []int) []int                   { return s.settled().LegalActions(buf) }
func (s *farState) Outcomes(buf []engine.Outcome) []engine.Outcome { return s.settled().Outcomes(buf) }
func (s *farState) Returns(dst []float64)                          { s.settled().Returns(dst) }
func (s *farState) InformationKey(seat int, buf []byte) []byte {
	return s.settled().InformationKey(seat, buf)
}
func (s *farState) Observe(seat int, dst []float32) { s.settled().Observe(seat, dst) }
func (s *farState) CopyFrom(src engine.State)       { s.settled().CopyFrom(src.(*farState).settled()) }
func (s *farState) Reset()                          { s.settled().Reset() }
func (s *farState) Clone() engine.State {
	return &farState{State: s.settled().Clone(), game: s.game}
}

// Where steps are made elsewhere, what follows a position travels at once: a walk through the game makes no more trips
// than it has positions that are not ends.
func TestWalksMakeFewTrips(t *testing.T) {
	random := func() policy.Policy { return policy.Random{} }
	since := func(g *farGame) (trips int) {
		trips, g.trips = g.trips, 0
		return trips
	}
	near := ticTacToe(t)
	far := &farGame{Game: near}
	p, err := NewPositions(far, 5478)
	require.NoError(t, err)
	require.LessOrEqual(t, since(far), 4520)
	own, err := NewPositions(near, 5478)
	require.NoError(t, err)
	got, err := p.Exploitability(random)
	require.NoError(t, err)
	require.LessOrEqual(t, since(far), 4520)
	want, err := own.Exploitability(random)
	require.NoError(t, err)
	require.InDelta(t, want, got, 0)

	poker, err := kuhn.New(nil)
	require.NoError(t, err)
	far = &farGame{Game: poker}
	tree, err := NewTree(far, MaxNodes)
	require.NoError(t, err)
	require.LessOrEqual(t, since(far), tree.Nodes()-tree.Leaves())
	s, err := StrategyOf(tree, random)
	require.NoError(t, err)
	require.LessOrEqual(t, since(far), 12, "one for each information set")
	require.InDelta(t, 0.458333, s.Exploitability(), 1e-6)
}
