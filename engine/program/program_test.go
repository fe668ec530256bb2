package program_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/engine/program"
	"croupier/games/kuhn"
	"croupier/internal/nightly"
	"croupier/solver"
)

const kit = "kits/python/"

// python is the command of Python 3, without which the test is skipped. A path of it would be a file of the game.
func python(t testing.TB) string {
	t.Helper()
	const name = "python3"
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("python3 is not there: games that are programs in Python are not played (Debian: apt-get install python3)")
	}
	return name
}

// started opens the game of a script.
func started(t testing.TB, script string) *program.Program {
	t.Helper()
	path, err := filepath.Abs(script) // tests change the folder
	require.NoError(t, err)
	c, err := program.Named("exec(copies=2):" + python(t) + " " + path)
	require.NoError(t, err)
	p, err := program.Open(c)
	require.NoError(t, err)
	return p
}

func TestConformanceOfCliff(t *testing.T) {
	if !nightly.On {
		t.Skip("a game of many short conversations: it is checked at night")
	}
	p := started(t, kit+"cliff.py")
	t.Chdir("testdata/cliff")
	enginetest.Run(t, p.New, "target: 5")
}

func TestConformanceOfKuhn(t *testing.T) {
	p := started(t, "testdata/kuhn.py")
	t.Chdir("testdata/kuhn")
	enginetest.Run(t, p.New)
}

// The guide has the whole source of the game that it explains.
func TestGuideHasTheSource(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide/game-programs.md")
	require.NoError(t, err)
	source, err := os.ReadFile(kit + "cliff.py")
	require.NoError(t, err)
	require.Contains(t, string(guide), "```python\n"+string(source)+"```\n")
}

// States of one position are one where the program says so: the game is solved by its 20 positions, and not by
// its 232 histories.
func TestStatesShareAPosition(t *testing.T) {
	g, err := started(t, "testdata/heap.py").New(nil)
	require.NoError(t, err)
	p, err := solver.NewPositions(g, 100)
	require.NoError(t, err)
	require.Equal(t, 20, p.Nodes())
	other := g.NewState()
	other.CopyFrom(after(t, g, 0, 1, 0))
	require.Equal(t, after(t, g, 1, 0, 0).InformationKey(0, nil), other.InformationKey(0, nil))
	require.NotEqual(t, after(t, g, 1, 0).InformationKey(0, nil), other.InformationKey(0, nil))
}

func after(t *testing.T, g engine.Game, steps ...int) engine.State {
	t.Helper()
	s := g.NewState()
	for _, step := range steps {
		require.NoError(t, s.Apply(step))
	}
	return s
}

// The twin of Kuhn poker has the same tree: what a player at random can lose is the same number.
func TestTwinOfKuhn(t *testing.T) {
	twin, err := started(t, "testdata/kuhn.py").New(nil)
	require.NoError(t, err)
	own, err := solver.NewTree(kuhn.Game{}, 1000)
	require.NoError(t, err)
	theirs, err := solver.NewTree(twin, 1000)
	require.NoError(t, err)
	require.Equal(t, own.Nodes(), theirs.Nodes())
	require.Equal(t, engine.Hidden, twin.NewState().Seen(1, 0))
}
