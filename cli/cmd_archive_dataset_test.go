package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// The games of a short training become a file, all of them or those that the flags find.
func TestDataset(t *testing.T) {
	dir := trained(t)
	file := filepath.Join(t.TempDir(), "games.parquet")
	said := succeed(t, "", "archive", "dataset", dir, "--out", file)
	counts := regexp.MustCompile(`^(\d+) decisions of \d+ games of kuhn {} written to .*; \d+ of them with a log-probability\n`).FindStringSubmatch(said)
	require.NotNil(t, counts, said)
	require.NotContains(t, said, "Log-probabilities are missing", "the networks of the run can be read")
	type row struct {
		Purpose string   `parquet:"purpose"`
		LogProb *float32 `parquet:"log_prob,optional"`
	}
	rows, err := parquet.ReadFile[row](file)
	require.NoError(t, err)
	require.Equal(t, counts[1], fmt.Sprint(len(rows)))
	known := 0
	for _, r := range rows {
		if r.LogProb != nil {
			require.LessOrEqual(t, *r.LogProb, float32(0))
			known++
		}
	}
	require.Positive(t, known)

	require.Contains(t, refused(t, 1, "archive", "dataset", dir, dir, "--out", file, "--force"),
		"are the same run, or one is a copy of the other")
	require.Contains(t, succeed(t, "", "archive", "dataset", dir, "--purpose", "arena", "--limit", "5", "--out", file,
		"--force"), " of 5 games of kuhn ")
	rows, err = parquet.ReadFile[row](file)
	require.NoError(t, err)
	for _, r := range rows {
		require.Equal(t, "arena", r.Purpose)
	}
}

func TestDatasetRefuses(t *testing.T) {
	dir := trained(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "games.parquet")
	require.Contains(t, refused(t, 2, "archive", "dataset", dir, "--out", file, "--result", "won"), "say which")
	require.Contains(t, refused(t, 2, "archive", "dataset", dir, "--out", file, "--limit", "-1"), "limit: ")
	require.Contains(t, refused(t, 1, "archive", "dataset", t.TempDir(), "--out", file), "holds no run")
	require.Contains(t, refused(t, 2, "archive", "dataset", dir, "--out", file, "--agent", "nobody"),
		`unknown agent "nobody" of kuhn`)
	require.Contains(t, refused(t, 1, "archive", "dataset", dir, "--out", file, "--agent", "main@1", "--against", "main@1",
		"--longer", "99"),
		"there are no such games")
	require.Contains(t, refused(t, 1, "archive", "dataset", dir, "--out", filepath.Join(folder, "none", "games.parquet")),
		"none")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
	status, _, stderr := croupier("", "archive", "dataset", dir)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "give --out")
}
