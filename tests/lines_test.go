package tests

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// longestLine is how long lines may be, in characters.
const longestLine = 120

// Prose stands in lines that fit a screen next to another one. Tables and what is to be typed or is printed may be
// longer, as may the report that a command writes.
func TestLinesOfDocuments(t *testing.T) {
	report := filepath.Join("..", "docs", "reference", "banluck-report.md")
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

// Code stands in lines that fit a screen, too. What is in quotes does not count, nor do the spaces that align a
// table.
func TestLinesOfCode(t *testing.T) {
	out, err := testproc.Output(exec.Command("git", "-C", "..", "ls-files", "*.go", "*.js"))
	require.NoError(t, err)
	files := strings.Fields(string(out))
	require.Greater(t, len(files), 500)
	for _, path := range files {
		text, err := os.ReadFile(filepath.Join("..", path))
		require.NoError(t, err)
		if strings.Contains(string(text[:min(len(text), 1000)]), "// Code generated ") {
			continue
		}
		for i, line := range strings.Split(unquoted(string(text)), "\n") {
			line = aligned.ReplaceAllString(line, " ")
			if n := utf8.RuneCountInString(line); n > longestLine && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s:%d: %d characters", path, i+1, n)
			}
		}
	}
}

// aligned are the spaces that align a table.
var aligned = regexp.MustCompile(`[^\s] {2,}`)

// unquoted returns the text of a program without what is in quotes; comments stay.
func unquoted(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		end := 1
		switch {
		case strings.HasPrefix(rest, "//"):
			end = len(rest)
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				end = n
			}
		case strings.HasPrefix(rest, "/*"):
			if n := strings.Index(rest, "*/"); n >= 0 {
				end = n + 2
			}
		case strings.IndexByte("\"'`", rest[0]) >= 0:
			end = quoted(rest)
			out.WriteString("\"\"" + strings.Repeat("\n", strings.Count(rest[:end], "\n")))
			i += end
			continue
		}
		out.WriteString(rest[:end])
		i += end
	}
	return out.String()
}

// quoted returns the length of the literal with which a text begins. Those in " and ' end with their line.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && text[0] != '`':
			i++
		case c == text[0]:
			return i + 1
		case c == '\n' && text[0] != '`':
			return i
		}
	}
	return len(text)
}

func TestWhatStandsInQuotesDoesNotCount(t *testing.T) {
	require.Equal(t, "f(\"\", \"\") // \"so\"\ng(\"\"\n)", unquoted("f(\"a\\\"b\", '\"') // \"so\"\ng(`c\n`)"))
}
