package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// longestLine is how long lines may be, in characters.
const longestLine = 120

// Prose stands in lines that fit a screen next to another one. Tables and what is to be typed or is printed may be longer,
// as may the report that a command writes.
func TestLinesOfDocuments(t *testing.T) {
	report := filepath.Join("..", "docs", "banluck-report.md")
	checked := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != ".." && (name[0] == '.' && name != ".github" || name == "bin" || name == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" || path == report || filepath.Base(path) == "report.md" {
			return nil
		}
		checked++
		requireShortLines(t, path)
		return nil
	}))
	require.Greater(t, checked, 50)
}

func requireShortLines(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	code := false
	for i, line := range strings.Split(string(text), "\n") {
		inside := strings.TrimSpace(line)
		if strings.HasPrefix(inside, "```") {
			code = !code
		}
		if code || strings.HasPrefix(inside, "|") || strings.HasPrefix(line, "    ") {
			continue
		}
		if n := utf8.RuneCountInString(line); n > longestLine && strings.Contains(inside, " ") {
			t.Errorf("%s:%d: %d characters", path, i+1, n)
		}
	}
}
