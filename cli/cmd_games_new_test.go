package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/wasm/kits"
)

// A new game is built by the line that is printed, where the compiler is, and has no fault.
func TestGamesNew(t *testing.T) {
	anotherProcess(t)
	t.Chdir(t.TempDir())
	for _, lang := range kits.Names() {
		name := "my-" + lang
		out := succeed(t, "", "games", "new", name, "--lang", lang)
		page, err := os.ReadFile(filepath.Join(name, "README.md"))
		require.NoError(t, err)
		build := strings.TrimSpace(strings.Split(out, "\n")[2])
		require.Contains(t, string(page), "    "+build+"\n")
		require.Contains(t, refused(t, 1, "games", "new", name, "--lang", lang), "exists already and is not overwritten")
		requireBuilds(t, name, lang, build)
	}
	require.Contains(t, refused(t, 2, "games", "new", "x", "--lang", "cobol"), "--lang cobol: it must be one of c, go, rust")
	require.Contains(t, refused(t, 2, "games", "new", "../x"), "invalid name of a game")
	require.Contains(t, refused(t, 2, "games", "new", "kuhn"), "comes with the program")
	require.NoFileExists(t, "kuhn")
}

func requireBuilds(t *testing.T, name, lang, build string) {
	t.Helper()
	there := map[string]string{"c": "command -v clang && command -v wasm-ld",
		"go":   "command -v go",
		"rust": `command -v rustc && test -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown"`}
	if exec.Command("sh", "-c", there[lang]).Run() != nil {
		t.Logf("the compiler of %s is not there: the new game is not built", lang)
		return
	}
	cmd := exec.Command("sh", "-c", build)
	cmd.Dir = name
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Contains(t, succeed(t, "", "games", "check", filepath.Join(name, name+".wasm")), name+" has no fault.\n")
}
