package wasm_test

import (
	"cmp"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

const assemblyScriptKit = "kits/assemblyscript"

func TestConformanceOfThirty(t *testing.T) {
	f := exampleOf(t, assemblyScriptKit, "thirty")
	t.Chdir("testdata/thirty")
	enginetest.Run(t, f.New, "target: 5")
}

// A throw of two dice is as likely as counting all 36 says; players who are level share the win.
func TestRulesOfThirty(t *testing.T) {
	g, err := exampleOf(t, assemblyScriptKit, "thirty").New(nil)
	require.NoError(t, err)
	s := g.NewState()
	const roll, stop, seven = 0, 1, 5
	s.Apply(roll)
	cases := map[int]int{}
	for a := 1; a <= 6; a++ {
		for b := 1; b <= 6; b++ {
			outcome := a + b - 2
			if a == b {
				outcome = 0
			}
			cases[outcome]++
		}
	}
	outcomes := s.Outcomes(nil)
	require.Len(t, outcomes, len(cases))
	for _, o := range outcomes {
		require.InDelta(t, float64(cases[o.Index])/36, o.Probability, 1e-12, "outcome %d", o.Index)
	}
	s.Reset()
	for range 3 { // players bring seven points each and then no more
		for _, step := range []int{roll, seven, stop} {
			s.Apply(step)
		}
	}
	for range 9 * 3 {
		require.GreaterOrEqual(t, s.Player(), 0)
		s.Apply(stop)
	}
	require.Equal(t, engine.Terminal, s.Player())
	returns := make([]float64, 3)
	s.Returns(returns)
	require.Equal(t, []float64{0, 0, 0}, returns)
	require.Equal(t, []int64{7, 7, 7}, s.Scores(nil))
}

// The files of the repository are what the sources in AssemblyScript make, byte for byte.
func TestFilesAreThoseOfTheSourcesInAssemblyScript(t *testing.T) {
	compiler := cmp.Or(os.Getenv("ASC"), "asc")
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not there: the game in AssemblyScript is not built again (npm install -g assemblyscript@0.28.20; "+
			"ASC names another place)", compiler)
	}
	version, err := exec.Command(compiler, "--version").Output()
	require.NoError(t, err)
	requireFilesOf(t, assemblyScriptKit, string(version), "Version 0.28.20\n", "ASC="+compiler)
}
