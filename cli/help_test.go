package cli

import (
	"bytes"
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
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/docs"
	"croupier/games/standard"
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
	helpNamed  = regexp.MustCompile(`croupier help ([a-zA-Z][a-zA-Z/-]*[a-zA-Z])`)
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

// The help of every command begins with its examples, fits a terminal, says in its first sentence what the command
// does, and lists many flags in groups.
func TestHelpTexts(t *testing.T) {
	checked := 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		name := cmd.CommandPath()
		if !cmd.Hidden {
			checked++
			var out bytes.Buffer
			cmd.SetOut(&out)
			require.NoError(t, cmd.Help())
			require.True(t, strings.HasPrefix(out.String(), "Examples:\n  "), name)
			for _, line := range lines(out.String()) {
				require.LessOrEqual(t, utf8.RuneCountInString(line), helpWidth, "%s: %s", name, line)
			}
			// "Train starts …", "Solve bank computes …", or the short text
			require.Regexp(t, "^(?i:(solve )?"+cmd.Name()+" )|^"+regexp.QuoteMeta(cmd.Short)+`\.`, cmd.Long, name)
			require.Regexp(t, `^[A-Z][^.\n]*[^.\n]$`, cmd.Short, name)
			checkFlagsInHelp(t, cmd, out.String())
		}
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	check(newRootCommand(installed))
	require.Greater(t, checked, 50)
}

func checkFlagsInHelp(t *testing.T, cmd *cobra.Command, help string) {
	t.Helper()
	n, rest := 0, 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		n++
		if groupTitle(f) == otherFlags {
			rest++
		}
		require.Contains(t, help, "--"+f.Name, cmd.CommandPath())
		require.NotEmpty(t, f.Usage, "%s --%s", cmd.CommandPath(), f.Name)
		require.False(t, strings.HasSuffix(f.Usage, "."), "%s --%s: no sentence", cmd.CommandPath(), f.Name)
		a, b := rune(f.Usage[0]), rune(f.Usage[1])
		require.False(t, unicode.IsUpper(a) && unicode.IsLower(b), "%s --%s: small letters", cmd.CommandPath(), f.Name)
	})
	if n > manyFlags {
		require.LessOrEqual(t, rest, 5, "%s: put its flags into groups", cmd.CommandPath())
	}
}

// Examples name games that there are. Those that are too long for a line are broken as a shell reads them.
func TestExamplesOfHelpNameGames(t *testing.T) {
	checked, folded := 0, 0
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		shown := foldExamples(cmd.Example)
		joined := strings.ReplaceAll(shown, " \\\n      ", " ")
		require.Equal(t, cmd.Example, joined)
		if shown != cmd.Example {
			folded++
		}
		for _, call := range lines(cmd.Example) {
			for _, game := range gamesIn(t, call) {
				checked++
				known := strings.HasSuffix(game, ".wasm") || strings.HasPrefix(game, "exec:") ||
					slices.ContainsFunc(standard.Games.Games(), func(e catalog.Game) bool { return e.Name == game })
				require.True(t, known, "%s: there is no game %s", call, game)
			}
		}
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	check(newRootCommand(installed))
	require.Greater(t, checked, 40)
	require.Positive(t, folded)
}

// gamesIn returns the names of games in an example: those of --game, and of the argument GAME.
func gamesIn(t *testing.T, line string) (games []string) {
	t.Helper()
	for _, call := range shown.FindAllString(line, -1) {
		cmd, rest, err := newRootCommand(installed).Find(words.FindAllString(call, -1)[1:])
		require.NoError(t, err, call)
		require.NoError(t, cmd.ParseFlags(rest), call)
		if f := cmd.Flags().Lookup("game"); f != nil && f.Changed {
			games = append(games, f.Value.String())
		}
		if args := cmd.Flags().Args(); len(args) > 0 && gameFirst.MatchString(cmd.Use) && cmd.Parent().Name() != "archive" {
			games = append(games, strings.Trim(args[0], `"`))
		}
	}
	return games
}

// gameFirst matches the usage of commands whose first argument is a game.
var gameFirst = regexp.MustCompile(`^[a-z]+ \[?GAME\b`)

func TestHelpIsFolded(t *testing.T) {
	require.Equal(t, "Three croupiers wait at a table in a casino by the sea and deal cards, 95 % of\nwhich have been dealt "+
		"before.\n\nA list:\n  name    its text is long, so that it would not fit a line of eighty columns if\n"+
		"          nobody broke it\nand its end.",
		foldHelp("Three croupiers wait at a table\nin a casino by the sea and deal cards, 95 % of which have been\ndealt "+
			"before.\n\nA list:\n  name    its text is long, so that it would not fit a line of eighty columns if nobody "+
			"broke it\nand its end."))
	require.Equal(t, "  croupier advise compare tysiac-hand heuristic search:trained "+
		`"pimc(16)"`+" \\\n"+`      --games 500 --out tysiac-hand.json`, foldExamples(
		`  croupier advise compare tysiac-hand heuristic search:trained "pimc(16)" --games 500 --out tysiac-hand.json`))
}
