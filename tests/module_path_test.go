package tests

import (
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/internal/testproc"
)

// partOfTree are the folders that are enough to see that the module's path is changed. At night all are taken.
var partOfTree = []string{"go.mod", "go.sum", "deploy/", "catalog/", "cluster/", "docs/", "engine/", "internal/", "policy/",
	"tests/outside/",
	"tests/affected/"}

// copyOfTree returns a repository with the files that git has of this tree.
func copyOfTree(t *testing.T, wanted func(file string) bool) string {
	t.Helper()
	copied := t.TempDir()
	for file := range strings.SplitSeq(inFolder(t, "..", "git", "ls-files", "-z"), "\x00") {
		if file == "" || !wanted(file) {
			continue
		}
		info, err := os.Stat(filepath.Join("..", file))
		if os.IsNotExist(err) {
			continue // it is removed, and that is not committed yet
		}
		require.NoError(t, err)
		content, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		path := filepath.Join(copied, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, content, info.Mode()))
	}
	inFolder(t, copied, "git", "init", "-q")
	inFolder(t, copied, "git", "add", "-A")
	return copied
}

// inFolder runs a command in a folder and returns its output. The go tool needs no network for it.
func inFolder(t *testing.T, folder string, call ...string) string {
	t.Helper()
	cmd := exec.Command(call[0], call[1:]...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := testproc.Output(cmd)
	require.NoError(t, err, "%v: %s", call, said.String())
	return string(out)
}

// A fork of the module has a path of its own, by which packages and modules outside are then found and
// built.
func TestModulePathCanBeChanged(t *testing.T) {
	t.Parallel()
	const hosted = "example.org/you/games"
	tree := copyOfTree(t, func(file string) bool {
		for _, part := range partOfTree {
			if strings.HasPrefix(file, part) {
				return true
			}
		}
		return nightly.On
	})
	inFolder(t, tree, "deploy/module-path.sh", hosted)
	requireNoImport(t, tree, module)
	for _, module := range []string{tree, filepath.Join(tree, "tests", "outside", "nim")} {
		text, err := os.ReadFile(filepath.Join(module, "go.mod"))
		require.NoError(t, err)
		require.Regexp(t, "(?m)^(module|require) "+hosted+"( v0.0.0)?$", string(text))
	}
	linked, err := os.ReadFile(filepath.Join(tree, "deploy", "build.sh"))
	require.NoError(t, err)
	require.Contains(t, string(linked), "-X "+hosted+"/cluster.commit=")
	// Without the tree's own path what is built is the same every time, and built once.
	inFolder(t, tree, "go", "build", "-trimpath", "./catalog", "./tests/affected")
	require.Empty(t, inFolder(t, tree, "gofmt", "-l", "."))
	if nightly.On {
		inFolder(t, tree, "go", "build", "-ldflags=-s", "-o", filepath.Join(t.TempDir(), "croupier"), "./cmd/croupier")
		inFolder(t, tree, "go", "vet", "-tags", "nightly,long", "./...")
		inFolder(t, tree, "go", "test", "-vet=off", "-run", "Imports|Packages|Affected|Coverage", "./tests",
			"./tests/affected", "./tests/runner")
		inFolder(t, filepath.Join(tree, "tests", "outside", "nim"), "go", "test", "./...")
	}
	inFolder(t, tree, "deploy/module-path.sh", module)
	require.Empty(t, inFolder(t, tree, "git", "diff", "--stat"), "everything is as it was")
}

// requireNoImport requires that no Go file imports a package of the tree by this path of the module.
func requireNoImport(t *testing.T, tree, path string) {
	t.Helper()
	checked := 0
	require.NoError(t, filepath.WalkDir(tree, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range parsed.Imports {
			name, err := strconv.Unquote(imported.Path.Value)
			require.NoError(t, err)
			if below, ours := strings.CutPrefix(name, path); ours {
				require.NoDirExists(t, filepath.Join(tree, below), "%s imports %s", file, name)
			}
		}
		checked++
		return nil
	}))
	require.Greater(t, checked, 100)
}

// What is no path of a module changes nothing.
func TestModulePathRefuses(t *testing.T) {
	for _, wrong := range [][]string{{}, {""}, {"/a"}, {"a/"}, {"a//b"}, {"a b"}, {"a'b"}, {"../a"}, {"-x"}, {"a", "b"}} {
		cmd := exec.Command("../deploy/module-path.sh", wrong...)
		_, err := testproc.CombinedOutput(cmd)
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%q", wrong)
		require.Equal(t, 2, exit.ExitCode(), "%q", wrong)
	}
}
