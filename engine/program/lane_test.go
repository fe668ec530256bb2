package program

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// cliff starts the example of the kit in one process.
func cliff(t testing.TB) *Game {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not there: games that are programs in Python are not played (Debian: apt-get install python3)")
	}
	c, err := Named("exec(copies=1):python3 kits/python/cliff.py")
	require.NoError(t, err)
	p, err := Open(c)
	require.NoError(t, err)
	g, err := p.New(nil)
	require.NoError(t, err)
	return g.(viewed).Game
}

// tables are states that make a step each before one is asked.
type tables struct {
	states []engine.State
	rng    *engine.RNG
	legal  []int
}

func newTables(g *Game, n int) *tables {
	t := &tables{rng: engine.NewRNG(1, 1)}
	for range n {
		t.states = append(t.states, g.NewState())
	}
	return t
}

// step makes a step in each state.
func (t *tables) step(observation []float32) error {
	for _, s := range t.states {
		var step int
		switch seat := s.Player(); seat {
		case engine.Terminal:
			s.Reset()
		case engine.Chance:
			step = s.SampleChance(t.rng)
		default:
			t.legal = s.LegalActions(t.legal[:0])
			s.Observe(seat, observation)
			step = t.legal[t.rng.IntN(len(t.legal))]
		}
		if err := s.Apply(step); err != nil {
			return err
		}
	}
	return nil
}

// Steps of many states travel in one line, and those of a history as well. Each leads where it leads alone.
func TestStepsTravelTogether(t *testing.T) {
	g := cliff(t)
	lane := g.lanes[0]
	all, observation := newTables(g, 100), make([]float32, g.Spec().ObservationSize)
	before := lane.lines
	for range 20 {
		require.NoError(t, all.step(observation))
	}
	require.EqualValues(t, 19, lane.lines-before, "the last steps are on their way")
	require.True(t, all.states[0].(engine.Deferred).Pending())
	for _, s := range all.states {
		history := make([]int, 0, 20)
		s.Player()
		for _, step := range s.(*State).node.History() {
			history = append(history, int(step))
		}
		alone, together := g.NewState(), g.NewState()
		before = lane.lines
		engine.Foresee(together, len(history), func(i int) int { return history[i] })
		for _, step := range history {
			require.NoError(t, together.Apply(step))
		}
		require.EqualValues(t, min(len(history), 1), lane.lines-before)
		for _, step := range history {
			require.NoError(t, alone.Apply(step))
		}
		require.Equal(t, s.String(), alone.String())
		require.Equal(t, s.String(), together.String())
	}
	// What is foreseen may be wrong.
	s := g.NewState()
	engine.Foresee(s, 3, func(int) int { return 5 })
	require.ErrorIs(t, s.Apply(5), engine.ErrIllegal)
	require.NoError(t, s.Apply(0))
	require.Equal(t, engine.Chance, s.Player())
}

// A program that was kept is started when it is used, and is no longer the game when its files have changed.
func TestKept(t *testing.T) {
	g := cliff(t)
	text, err := g.program.Keep()
	require.NoError(t, err)
	kept, err := ReadKept(text)
	require.NoError(t, err)
	require.Equal(t, []any{"cliff", g.program.hash, []byte(nil)}, []any{kept.Name(), kept.Hash(), kept.Bytes()})
	t.Chdir(t.TempDir()) // the command names its files in any folder
	same, err := kept.New([]byte("target: 9"))
	require.NoError(t, err)
	require.Equal(t, "cliff", same.Spec().Name)
	kept.document.Program = "00"
	_, err = kept.New(nil)
	require.ErrorContains(t, err, "the program or its files have changed since it was added")
	_, err = ReadKept([]byte(`{"name": "cliff", "other": 1}`))
	require.ErrorContains(t, err, "other")
}

// BenchmarkSteps are 256 games in lockstep in one process, with observations.
func BenchmarkSteps(b *testing.B) {
	g := cliff(b)
	all, observation := newTables(g, 256), make([]float32, g.Spec().ObservationSize)
	n := 0
	for b.Loop() {
		require.NoError(b, all.step(observation))
		n += len(all.states)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "steps/s")
}
