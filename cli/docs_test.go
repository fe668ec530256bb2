package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/settings"
)

var (
	words    = regexp.MustCompile(`"[^"]*"|\S+`)
	shown    = regexp.MustCompile(`\bcroupier [a-z](?:"[^"\n]*"|[^|<>#&;\n])*`)
	block    = regexp.MustCompile("(?ms)^```.*?^```|^    [^\n]*$")
	inline   = regexp.MustCompile("`[^`]*`")
	flagged  = regexp.MustCompile(`--([a-z-]+)`)
	link     = regexp.MustCompile(`(?:\]\(|src(?:set)?=")([^)"\s]*)[)"]`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	made     = regexp.MustCompile("(?:^|[`\\s])make ([a-z]+)")
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// checkCall requires that the command line is one that commands, flags, numbers of
// arguments and settings allow.
func checkCall(t *testing.T, call string) {
	t.Helper()
	p, args := installed, words.FindAllString(call, -1)[1:]
	require.NoError(t, moved(args), call)
	if len(args) > 1 && args[0] == "solve" && filepath.Ext(args[1]) == ".wasm" { // its command is named after the file
		args[1] = filepath.Join("..", args[1])
		var err error
		p, args, err = p.withFiles(args)
		require.NoError(t, err, call)
	}
	found, rest, err := newRootCommand(p).Find(args)
	require.NoError(t, err, call)
	require.NoError(t, found.ParseFlags(rest), call)
	require.NoError(t, found.ValidateArgs(found.Flags().Args()), call)
	require.NoError(t, found.ValidateRequiredFlags(), call)
	require.NoError(t, found.ValidateFlagGroups(), call)
	assignments, _ := found.Flags().GetStringArray("set")
	if len(assignments) == 0 {
		return
	}
	game := found.Flags().Arg(0)
	if game == "" { // solve GAME
		game = found.Name()
	}
	config, err := settings.Default(standard.Games, game)
	require.NoError(t, err, call)
	for _, s := range assignments {
		require.NoError(t, config.Set(s), call)
	}
}

func TestExamplesInHelp(t *testing.T) {
	var check func(*cobra.Command)
	check = func(command *cobra.Command) {
		require.NotEmpty(t, command.Short, command.CommandPath())
		require.NotEmpty(t, command.Long, command.CommandPath())
		require.NotEmpty(t, command.Example, command.CommandPath())
		for _, line := range lines(command.Example) {
			calls := shown.FindAllString(line, -1)
			require.NotEmpty(t, calls, line)
			for _, call := range calls {
				checkCall(t, call)
			}
		}
		for _, c := range command.Commands() {
			check(c)
		}
	}
	check(newRootCommand(installed))
}

// changelog has commands as they were called in each version.
const changelog = "../CHANGELOG.md"

// pages returns the texts for users by path.
func pages(t *testing.T) map[string]string {
	paths := []string{"../README.md", "../CONTRIBUTING.md", changelog, "../SECURITY.md",
		"../CODE_OF_CONDUCT.md", "../deploy/README.md", "../.github/pull_request_template.md"}
	templates, err := filepath.Glob("../.github/ISSUE_TEMPLATE/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, templates)
	ofGames, err := filepath.Glob("../games/*/README.md")
	require.NoError(t, err)
	require.NotEmpty(t, ofGames)
	paths = slices.Concat(paths, templates, ofGames)
	require.NoError(t, filepath.WalkDir("../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	}))
	texts := map[string]string{}
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = string(doc)
	}
	return texts
}

// TestDocumentedCommands checks the commands of all pages: those in blocks as they are
// to be typed, those in sentences, which have placeholders, for their names and flags.
func TestDocumentedCommands(t *testing.T) {
	for path, text := range pages(t) {
		t.Run(path, func(t *testing.T) {
			for _, code := range block.FindAllString(text, -1) {
				for _, call := range shown.FindAllString(strings.ReplaceAll(code, "\\\n", " "), -1) {
					checkCall(t, call)
				}
			}
			for _, code := range inline.FindAllString(block.ReplaceAllString(text, ""), -1) {
				for _, call := range shown.FindAllString(strings.ReplaceAll(strings.Trim(code, "`"), "\n", " "), -1) {
					args := words.FindAllString(call, -1)[1:]
					if moved(args) != nil && path == changelog {
						continue // it was called so then
					}
					require.NoError(t, moved(args), call)
					found, _, err := newRootCommand(installed).Find(args)
					require.NoError(t, err, call)
					for _, flag := range flagged.FindAllStringSubmatch(call, -1) {
						require.NotNil(t, found.Flags().Lookup(flag[1]), "%s: no flag %s", call, flag[0])
					}
				}
			}
		})
	}
}

// TestDocumentedTargets checks that what pages make is in the Makefile.
func TestDocumentedTargets(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	for path, text := range pages(t) {
		for _, code := range append(block.FindAllString(text, -1), inline.FindAllString(text, -1)...) {
			for _, target := range made.FindAllStringSubmatch(code, -1) {
				require.Contains(t, string(makefile), "\n"+target[1]+":", path)
			}
		}
	}
	contributing := pages(t)["../CONTRIBUTING.md"]
	for _, target := range regexp.MustCompile(`(?m)^# make ([a-z]+) `).FindAllStringSubmatch(string(makefile), -1) {
		require.Contains(t, contributing, "`make "+target[1]+"`")
	}
}

// TestReadmeNamesAll checks that README leaves out no game. The reference has all commands (TestPageOfCommands).
func TestReadmeNamesAll(t *testing.T) {
	readme := pages(t)["../README.md"]
	for _, g := range standard.Games.Games() {
		require.Contains(t, readme, "(games/"+g.Name+"/README.md)")
	}
}

// TestLinksInDocs checks that what pages link to in the tree is there, headings included.
func TestLinksInDocs(t *testing.T) {
	texts, headings := pages(t), map[string][]string{}
	for path, text := range texts {
		headings[path] = anchors(text)
	}
	for path, text := range texts {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(found[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
				_, err := os.Stat(target)
				require.NoError(t, err, "%s: %s", path, found[1])
			}
			if anchor != "" {
				require.Contains(t, headings[target], anchor, "%s: %s", path, found[1])
			}
		}
	}
}

// anchors are the names that GitHub gives to the headings of a page.
func anchors(text string) (names []string) {
	for _, h := range heading.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
		name := noAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// named finds paths of files in the text of a page; capitals stand for names to fill in.
var named = regexp.MustCompile("`([a-z.][a-z0-9_.-]*/[a-z0-9_./-]+\\.(go|js|css|html|md|yaml|yml|json|sh|py|proto))`")

// TestFilesNamedInDocs checks that files that pages name in a folder of the tree are there. The page of a run's files
// is compared with the program (package backup).
func TestFilesNamedInDocs(t *testing.T) {
	for path, text := range pages(t) {
		if path == "../docs/reference/files.md" {
			continue
		}
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			require.FileExists(t, filepath.Join("..", found[1]), path)
		}
	}
}
