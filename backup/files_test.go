package backup

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/check/checktest"
	"croupier/internal/rundir"
)

// TestFilesAreInReference: docs/reference/files.md has every file of a run and of a tournament, and no other.
func TestFilesAreInReference(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/files.md")
	require.NoError(t, err)
	var patterns, told []string
	for _, only := range []string{rundir.CurvesFile, "tournament.json"} {
		files, err := check.New(checktest.Files{only: []byte("{}")})
		require.NoError(t, err)
		parts, err := partsOf(nil, files)
		require.NoError(t, err)
		for _, part := range parts {
			patterns = append(patterns, part.Patterns...)
		}
	}
	ofRuns, _, found := strings.Cut(string(page), "\n## Files of a page\n")
	require.True(t, found, "docs/reference/files.md has a section of files that are no run's")
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(ofRuns, -1) {
		told = append(told, m[1])
		_, passing := rundir.Passing(m[1])
		require.True(t, passing || slices.Contains(patterns, m[1]), "docs/reference/files.md: no run has files %s", m[1])
	}
	for _, pattern := range patterns {
		require.Contains(t, told, pattern, "docs/reference/files.md")
	}
}
