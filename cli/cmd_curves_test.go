package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/messages/curves"
)

// The curves of two runs come as CSV and as Parquet, with the same rows: those of their files.
func TestCurvesForOtherPrograms(t *testing.T) {
	first, second := trained(t), trained(t)
	moved := filepath.Join(filepath.Dir(second), "night")
	require.NoError(t, os.Rename(second, moved))
	status, stdout, stderr := croupier("", "curves", first, moved)
	require.Zero(t, status, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"run", "seed", "curve", "seconds", "samples", "value", "low", "high", "unit"}, rows[0])

	points := 0
	records, _, err := curves.Read(filepath.Join(first, rundir.CurvesFile))
	require.NoError(t, err)
	for _, r := range records {
		points += len(r.Points.Points)
	}
	require.Len(t, rows, 1+2*points)
	units := map[string]string{}
	for _, r := range rows[1:] {
		units[r[2]] = r[8]
		require.Equal(t, r[6] == "", r[7] == "", "an interval has two ends")
	}
	require.NotEmpty(t, units["entropy"])
	require.Equal(t, "antes per game", units["rating/best"])
	require.Equal(t, units["rating/best"], units["exploitability"])
	require.Equal(t, []string{"copy", "night"}, slices.Compact([]string{rows[1][0], rows[len(rows)-1][0]}))

	path := filepath.Join(t.TempDir(), "curves.parquet")
	status, _, stderr = croupier("", "curves", first, moved, "--out", path)
	require.Zero(t, status, stderr)
	read, err := parquet.ReadFile[curveRow](path)
	require.NoError(t, err)
	var again strings.Builder
	require.NoError(t, writeCurvesCSV(&again, read))
	require.Equal(t, stdout, again.String())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "PAR1", string(data[:4]))

	// They need no settings, which cannot be read where the run's game is not known.
	for _, name := range []string{rundir.ConfigFile, "config-copy.yaml"} {
		require.NoError(t, os.Remove(filepath.Join(moved, name)))
	}
	status, stdout, stderr = croupier("", "curves", first, moved)
	require.Zero(t, status, stderr)
	require.Equal(t, again.String(), stdout)

	// A damaged line is left out, and said.
	text, err := os.ReadFile(filepath.Join(first, rundir.CurvesFile))
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(filepath.Join(first, rundir.CurvesFile), text, 0o600))
	status, stdout, stderr = croupier("", "curves", first)
	require.Zero(t, status, stderr)
	require.Regexp(t, `: [12] of \d+ lines of its learning curves are damaged and left out\n`, stderr)
	require.Less(t, strings.Count(stdout, "\n"), 1+points)

	require.NoError(t, os.Remove(filepath.Join(first, rundir.CurvesFile)))
	require.Contains(t, refused(t, 1, "curves", first), "the run has no curves")
	require.Contains(t, refused(t, 1, "curves", t.TempDir()), "no run")
}
