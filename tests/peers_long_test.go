//go:build long

package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// TestOpenSpielPlaysHere: an equilibrium of OpenSpiel's and ours are equally good against one
// another. OPEN_SPIEL_PYTHON names a Python that has the package open-spiel of PyPI.
func TestOpenSpielPlaysHere(t *testing.T) {
	python := os.Getenv("OPEN_SPIEL_PYTHON")
	if python == "" {
		python = needs(t, "python3")
	}
	if out, err := testproc.CombinedOutput(exec.Command(python, "-c", "import pyspiel")); err != nil {
		t.Skipf("%s has no OpenSpiel, which this test is about: OPEN_SPIEL_PYTHON names one that has it (%s)", python, out)
	}
	script, err := filepath.Abs("peers/openspiel_agent.py")
	require.NoError(t, err)
	for _, game := range []string{"kuhn", "leduc"} {
		p := arena(t, "exec:"+python+" "+script, "solver:equilibrium", "--game", game, "--games", "40000")
		require.Less(t, p.Low, 0.0, "%s: nobody wins against an equilibrium", game)
		require.Greater(t, p.High, -0.03, "%s: CFR+ after 100 iterations is nearly one", game)
	}
}
