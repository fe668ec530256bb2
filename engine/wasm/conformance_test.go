package wasm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/engine/history"
	"croupier/engine/wasm"
	"croupier/games/kuhn"
	"croupier/games/pig"
)

const kit = "kits/c"

// example opens a game of the kit for C.
func example(t testing.TB, name string) *wasm.File {
	t.Helper()
	return exampleOf(t, kit, name)
}

// exampleOf opens a game of a kit.
func exampleOf(t testing.TB, kit, name string) *wasm.File {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(kit, name+".wasm"))
	require.NoError(t, err)
	f, err := wasm.Open(file)
	require.NoError(t, err)
	return f
}

func TestConformanceOfPig(t *testing.T) {
	f := example(t, "pig")
	t.Chdir("testdata/pig")
	enginetest.Run(t, f.New, "target: 20", "target: 1")
}

func TestConformanceOfConnectFour(t *testing.T) {
	f := example(t, "connect-four")
	t.Chdir("testdata/connect-four")
	enginetest.Run(t, f.New)
}

func TestConformanceOfTicTacToe(t *testing.T) {
	f := example(t, "tic-tac-toe")
	t.Chdir("testdata/tic-tac-toe")
	enginetest.Run(t, f.New)
}

func TestConformanceOfKuhn(t *testing.T) {
	f := example(t, "kuhn")
	t.Chdir("testdata/kuhn")
	enginetest.Run(t, f.New)
}

// The guide has the whole source of the game that it explains.
func TestGuideHasTheSource(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide/own-games.md")
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(kit, "tic-tac-toe.c"))
	require.NoError(t, err)
	require.Contains(t, string(guide), "```c\n"+string(source)+"```\n")
}

// What is shown of a game in which everybody sees every step is the text of its file.
func TestView(t *testing.T) {
	g, err := example(t, "tic-tac-toe").New(nil)
	require.NoError(t, err)
	s := g.NewState()
	require.NoError(t, s.Apply(4))
	require.NoError(t, s.Apply(0))
	view := g.(engine.Viewed).View(s, engine.Public)
	require.Equal(t, "o . .\n. x .\n. . .", fmt.Sprint(view))
	require.Equal(t, "square 4", s.ActionName(4))
}

// The twin of Pig is Pig: from the same seeds it plays the same games, and shows the same of each position.
func TestTwinOfPig(t *testing.T) {
	f := example(t, "pig")
	for _, rules := range []string{"", "target: 20", "target: 1", "target: 10000"} {
		own, err := pig.New([]byte(rules))
		require.NoError(t, err)
		twin, err := f.New([]byte(rules))
		require.NoError(t, err)
		requireTwin(t, own, twin, 3000)
	}
}

// So is the twin of Kuhn poker, in which cards are hidden.
func TestTwinOfKuhn(t *testing.T) {
	twin, err := example(t, "kuhn").New(nil)
	require.NoError(t, err)
	requireTwin(t, kuhn.Game{}, twin, 3000)
	_, shows := twin.(engine.Viewed)
	require.False(t, shows, "the text of a position shows what is hidden")
}

func requireTwin(t *testing.T, own, twin engine.Game, steps int) {
	t.Helper()
	require.Equal(t, own.Spec().Segments, twin.Spec().Segments)
	require.Equal(t, own.Spec().MaxHistory, twin.Spec().MaxHistory)
	a, b := own.NewState(), twin.NewState()
	ownChance, twinChance, rng := engine.NewRNG(5, 0), engine.NewRNG(5, 0), engine.NewRNG(6, 0)
	for range steps {
		requireSame(t, own.Spec(), a, b)
		var step int
		switch a.Player() {
		case engine.Terminal:
			a.Reset()
			b.Reset()
			continue
		case engine.Chance:
			step = a.SampleChance(ownChance)
			require.Equal(t, step, b.SampleChance(twinChance))
		default:
			legal := a.LegalActions(nil)
			step = legal[rng.IntN(len(legal))]
		}
		require.NoError(t, a.Apply(step))
		require.NoError(t, b.Apply(step))
	}
}

// requireSame compares what two states show.
func requireSame(t *testing.T, spec *engine.Spec, a, b engine.State) {
	t.Helper()
	require.Equal(t, a.Player(), b.Player())
	require.Equal(t, a.LegalActions(nil), b.LegalActions(nil))
	require.Equal(t, a.Outcomes(nil), b.Outcomes(nil))
	require.Equal(t, a.Scores(nil), b.Scores(nil))
	for _, step := range a.LegalActions(nil) {
		require.Equal(t, a.ActionName(step), b.ActionName(step))
	}
	for _, step := range append(a.LegalActions(nil), indices(a.Outcomes(nil))...) {
		for seat := range spec.Seats {
			require.Equal(t, a.Seen(seat, step), b.Seen(seat, step))
		}
	}
	one, other := make([]float64, spec.Seats), make([]float64, spec.Seats)
	a.Returns(one)
	b.Returns(other)
	require.Equal(t, one, other)
	for seat := range spec.Seats {
		seen, twin := make([]float32, spec.ObservationSize), make([]float32, spec.ObservationSize)
		a.Observe(seat, seen)
		b.Observe(seat, twin)
		require.Equal(t, seen, twin)
	}
}

func indices(outcomes []engine.Outcome) (list []int) {
	for _, o := range outcomes {
		list = append(list, o.Index)
	}
	return list
}

// random plays every legal action with the same probability.
var random = engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int {
	return legal[rng.IntN(len(legal))]
})

// Simulated games of the twin are those of Pig, but for the name and the file in the rules.
func TestTwinOfPigSimulates(t *testing.T) {
	own, err := pig.New(nil)
	require.NoError(t, err)
	twin, err := example(t, "pig").New(nil)
	require.NoError(t, err)
	var records [2]history.Record
	for i, g := range []engine.Game{own, twin} {
		s, err := history.NewSimulator(g)
		require.NoError(t, err)
		require.NoError(t, s.Play(7, []engine.Bot{random, random}, &records[i]))
	}
	require.Equal(t, records[0].History, records[1].History)
	require.Equal(t, records[0].Returns, records[1].Returns)
	require.Contains(t, string(history.Append(nil, &records[1])), `"rules":{"file":"`)
}

func BenchmarkPlayoutsOfPig(b *testing.B) { enginetest.BenchmarkPlayouts(b, example(b, "pig").New, "") }

func BenchmarkPlayoutsOfBuiltInPig(b *testing.B) { enginetest.BenchmarkPlayouts(b, pig.New, "") }

func BenchmarkPlayoutsOfKuhn(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, example(b, "kuhn").New, "")
}

func BenchmarkPlayoutsOfBuiltInKuhn(b *testing.B) { enginetest.BenchmarkPlayouts(b, kuhn.New, "") }

func BenchmarkPlayoutsOfConnectFour(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, example(b, "connect-four").New, "")
}

func BenchmarkPlayoutsOfTicTacToe(b *testing.B) {
	enginetest.BenchmarkPlayouts(b, example(b, "tic-tac-toe").New, "")
}
