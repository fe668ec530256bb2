package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lostHabits are habits of docs/style.md that a pattern finds, and what is written instead.
var lostHabits = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bbeside\b`), "next to"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\bso many\b`), "that many"},
	{regexp.MustCompile(`(?i)\bwhat (?:has )?bec[ao]me of\b`), "the outcome of"},
	{regexp.MustCompile(`(?i)\b(?:go|goes|going|went|gone) on\b`), "continue"},
	{regexp.MustCompile(`(?i)\bbest there is\b`), "the strongest"},
	{regexp.MustCompile(`(?i)\b(?:is|are|was|were) told\b`), "is reported, is given"},
	{regexp.MustCompile(`(?i)\bwhoever\b`), "the person, agent or process that"},
	{regexp.MustCompile(`(?i)\b(?:for|to|from|by|than|against|with|at|of) who\b`), "the person or agent that"},
	{regexp.MustCompile(`(?:\b(?:it|that|this|which|one)|[\x60"]|%[a-z]) is no (?:name|number|file|directory|whole|game|agent|run|network)\b`), "is not a"},
}

// taughtPages are the pages that a user reads; the reference has the help of every command. The report of Banluck is
// written by a command.
func taughtPages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, root := range []string{"README.md", "docs/tutorial", "docs/guide", "docs/reference", "docs/explain", "games"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" || root == "games" && entry.Name() != "README.md" ||
				entry.Name() == "banluck-report.md" {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = string(text)
			return err
		}))
	}
	return texts
}

// habitsIn returns the habits that a text has not lost, each with the words before it and what to write.
func habitsIn(text string) (found []string) {
	text = strings.ReplaceAll(text, "\n", " ") // a habit may pass the end of a line
	for _, h := range lostHabits {
		for _, at := range h.pattern.FindAllStringIndex(text, -1) {
			found = append(found, text[max(0, at[0]-30):at[1]]+": write "+h.instead)
		}
	}
	return found
}

// Pages and help texts have lost the habits of docs/style.md.
func TestWordsOfPages(t *testing.T) {
	texts := taughtPages(t)
	require.Greater(t, len(texts), 50)
	for path, text := range texts {
		for _, h := range habitsIn(text) {
			t.Errorf("%s: %s", path, h)
		}
	}
}

// What the program prints, in whichever package, has lost them too: texts of Go, and scripts and templates of the page
// without their comments.
func TestWordsOfTheProgram(t *testing.T) {
	checked := 0
	for _, folder := range foldersOfGo(t) {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					checked++
					for _, h := range habitsIn(text.Value) {
						t.Errorf("%s: %s", file, h)
					}
				}
				return true
			})
		}
	}
	require.Greater(t, checked, 10_000)
	for _, pattern := range []string{"../web/assets/*.js", "../web/boards/*.js", "../web/templates/*.html"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, h := range habitsIn(comment.ReplaceAllString(string(text), "")) {
				t.Errorf("%s: %s", file, h)
			}
		}
	}
}

// comment finds what is not read on the page: comments as they are written here, names of classes and functions.
var comment = regexp.MustCompile(`(?m)(?:^|\s)//.*$|(?s:/\*.*?\*/)|(?s:<!--.*?-->)|class="[^"]*"|\w+\(`)

func TestHabitsAreFound(t *testing.T) {
	require.Equal(t, []string{"it goes on: write continue", "it goes on with help for who: write the person or agent that"},
		habitsIn("it goes on with help for\nwho plays"))
	require.Empty(t, habitsIn("The run continues; the page lists who plays whom, besides the ratings."))
}

// nobody in a comment is a process, a caller or an agent, which has a name. People are nobody at tables, and so may a
// constant or a function be called.
var nobody = regexp.MustCompile(`.{0,30}\b[Nn]obody\b`)

var (
	aboutPeople  = regexp.MustCompile(`^\.\./(?:games|play|web|engine/program|internal/supervise)/`)
	nobodyOfUnix = "containers_nightly_linux_test.go"
)

// Comments have lost them as well: those of Go, tests included, and of the scripts of the page.
func TestWordsOfComments(t *testing.T) {
	checked := 0
	check := func(file, text string) {
		checked++
		for _, h := range habitsIn(text) {
			t.Errorf("%s: %s", file, h)
		}
		if at := nobody.FindString(text); at != "" && !aboutPeople.MatchString(file) && filepath.Base(file) != nobodyOfUnix {
			t.Errorf("%s: %s: write which process, caller or agent does not", file, at)
		}
	}
	for _, folder := range foldersOfGo(t) {
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, group := range parsed.Comments {
				check(file, group.Text())
			}
		}
	}
	require.Greater(t, checked, 10_000)
	for _, pattern := range []string{"../web/*/*.js", "../games/*/board/*.js"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, c := range script.FindAllString(string(text), -1) {
				check(file, c)
			}
		}
	}
}

// script finds the comments of a script.
var script = regexp.MustCompile(`(?m)(?:^\s*//.*\n)+|\s//.*$|(?s:/\*.*?\*/)`)
