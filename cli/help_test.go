package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/docs"
)

// Every document of the tree is a topic, with the text that it has there.
func TestHelpHasAllPages(t *testing.T) {
	list := succeed(t, "", "help", "topics")
	for path, text := range pages(t) {
		name, isPage := strings.CutPrefix(strings.TrimSuffix(path, ".md"), "../docs/")
		if game, found := strings.CutPrefix(strings.TrimSuffix(path, "/README.md"), "../games/"); found {
			name, isPage = "games/"+game, true
		}
		if !isPage {
			continue
		}
		require.Contains(t, list, "  "+name+" ")
		shown := succeed(t, "", "help", name)
		require.True(t, strings.HasPrefix(shown, strings.SplitAfter(text, "\n")[0]), name)
		require.NotContains(t, shown, ".md)", "%s: a terminal cannot follow links", name)
	}
}

func TestHelpFindsTopics(t *testing.T) {
	require.Equal(t, succeed(t, "", "help", "explain/trust"), succeed(t, "", "help", "trust"))
	require.Contains(t, succeed(t, "", "help", "trust"), "\nPages named here: ")
	require.Contains(t, succeed(t, "", "help", "serve"), "croupier serve AGENT [flags]", "commands come first")
	require.Contains(t, succeed(t, "", "help", "guide/serve"), "/api/decide")
	require.Contains(t, refused2(t, "help", "games/tysiak"), "(did you mean games/tysiac?)")
	require.Contains(t, refused2(t, "help", "tutorial"), `"croupier help topics" lists`)
}

func TestPagesInPlainText(t *testing.T) {
	page := docs.New("guide/x", "# X\n![a picture](../images/x.png)\nSee [a](y.md#b), [b](../reference/z.md), "+
		"[c](https://example.org) and [d](../../games/pig/README.md); [z.md](../reference/z.md).\n```sh\ncroupier games\n```\n")
	text, others := page.Plain()
	require.Equal(t, "# X\n\nSee a, b, c (https://example.org) and d; reference/z.\ncroupier games\n", text)
	require.Equal(t, []string{"guide/y", "reference/z", "games/pig"}, others)
	require.Equal(t, "X", page.Title)
}

var (
	fileOfTree = regexp.MustCompile(`docs/[a-z/-]+\.md|\w/README\.md`)
	helpNamed  = regexp.MustCompile(`croupier help ([a-zA-Z/-]*[a-zA-Z])`)
)

// What the program says names no file of the tree, which a user may not have, but topics of help that there are.
func TestStringsNameTopicsInsteadOfFiles(t *testing.T) {
	all, commands := installed.pages(), commandNames(newRootCommand(installed))
	check := func(path, text string) {
		require.NotRegexp(t, fileOfTree, text, path)
		for _, m := range helpNamed.FindAllStringSubmatch(text, -1) {
			if m[1] != strings.ToLower(m[1]) {
				continue // a name to fill in
			}
			known := m[1] == topics || slices.Contains(commands, m[1]) || len(docs.Find(all, m[1])) == 1
			require.True(t, known, "%s: there is no topic %s", path, m[1])
		}
	}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && slices.Contains([]string{"tests", ".git", ".github", "docs", "bin"}, entry.Name()) {
			return filepath.SkipDir
		}
		room := strings.Split(filepath.ToSlash(path)+"/", "/")[1]
		switch {
		case strings.HasSuffix(path, "_test.go"):
		case filepath.Ext(path) == ".go":
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
					check(path, l.Value)
				}
				return true
			})
		case slices.Contains([]string{"dashboards", "web", "serve"}, room) && slices.Contains(
			[]string{".html", ".json", ".yml"}, filepath.Ext(path)):
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			check(path, string(text))
		}
		return nil
	}))
}
