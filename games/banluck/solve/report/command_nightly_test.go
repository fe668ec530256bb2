//go:build nightly

package report

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The whole report and the charts, from the command line into files.
func TestSolveBanluckReportsInFull(t *testing.T) {
	dir := t.TempDir()
	written, charts := filepath.Join(dir, "report.md"), filepath.Join(dir, "charts")
	program.Succeed(t, "", "solve", "banluck", "--report", written, "--charts", charts, "--simulate", "500", "--seed", "7", "--players", "2")
	text := readText(t, written)
	require.Contains(t, text, "--simulate 500 --seed 7 --players 2\n")
	require.Contains(t, text, "house edge of 8.60 %")
	for _, kind := range []string{"svg", "png"} {
		drawn, err := filepath.Glob(filepath.Join(charts, "*."+kind))
		require.NoError(t, err)
		require.Len(t, drawn, 1+4+4+2)
	}
}
