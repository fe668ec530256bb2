package actor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/player"
)

// far is a game whose steps are made elsewhere: those that wait are made when the result of one is asked for.
type far struct {
	engine.Game
	waiting      []*farState
	steps, lines int
}

func (g *far) NewState() engine.State { return &farState{State: g.Game.NewState(), far: g} }

// made makes the steps that wait.
func (g *far) made() {
	g.lines++
	for _, s := range g.waiting {
		engine.MustApply(s.State, s.step)
		s.pending = false
	}
	g.waiting = g.waiting[:0]
}

type farState struct {
	engine.State
	far     *far
	pending bool
	step    int
}

func (s *farState) at() engine.State {
	if s.pending {
		s.far.made()
	}
	return s.State
}

func (s *farState) Pending() bool { return s.pending }

func (s *farState) Foresee([]int) {}

func (s *farState) Apply(step int) error {
	s.at()
	s.pending, s.step = true, step
	s.far.steps++
	s.far.waiting = append(s.far.waiting, s)
	return nil
}

func (s *farState) Player() int                      { return s.at().Player() }
func (s *farState) LegalActions(buf []int) []int     { return s.at().LegalActions(buf) }
func (s *farState) SampleChance(rng *engine.RNG) int { return s.at().SampleChance(rng) }
func (s *farState) Observe(seat int, dst []float32)  { s.at().Observe(seat, dst) }
func (s *farState) Returns(dst []float64)            { s.at().Returns(dst) }
func (s *farState) Reset()                           { s.at().Reset() }

// Steps that are made elsewhere travel together, those of chance and of bots as well, and lead to the same games.
func TestStepsOfManyTablesTravelTogether(t *testing.T) {
	game := leducGame(t)
	var seeds []uint64
	for i := range uint64(300) {
		seeds = append(seeds, engine.GameSeed(1, "test", i))
	}
	for name, seats := range map[string][]*player.Player{
		"networks": {network(t, game, "main", 1), network(t, game, "main@1", 2, 8)},
		"bots":     {randomPlayer(), randomPlayer()},
	} {
		f := &far{Game: game}
		require.Equal(t, playAll(game, 64, seeds, seats), playAll(f, 64, seeds, seats), name)
		require.Greater(t, f.steps, 20*f.lines, name)
	}
}
