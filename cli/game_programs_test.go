package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/durable"
)

// kitProgram copies the game in Python of the kit to a folder of its own and returns the file, and the game.
func kitProgram(t *testing.T) (script, game string) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not there: games that are programs in Python are not played (Debian: apt-get install python3)")
	}
	folder := t.TempDir()
	for _, name := range []string{"croupier_game.py", "cliff.py"} {
		text, err := os.ReadFile(filepath.Join("..", "engine", "program", "kits", "python", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	script = filepath.Join(folder, "cliff.py")
	return script, "exec:python3 " + script
}

// Every command that takes a game takes a program.
func TestAGameIsAProgram(t *testing.T) {
	anotherProcess(t)
	t.Setenv(gamesVariable, "off")
	script, game := kitProgram(t)
	require.Contains(t, succeed(t, "", "games", game), "target   2..1000")
	require.Contains(t, succeed(t, "", "config", game), "game: cliff\n")
	games := succeed(t, "", "simulate", game, "--games", "3", "--seed", "7")
	require.Contains(t, games, `{"game":"cliff","rules":{"program":"`)
	require.Equal(t, games, succeed(t, "", "simulate", game, "--games", "3", "--seed", "7"))
	require.Contains(t, succeed(t, games, "replay", "-"), "3 games")
	anotherProcess(t)
	status, _, stderr := croupier(games, "replay", "-")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "this one comes from a file or program: croupier games add makes it known")
	require.Contains(t, refused(t, 2, "arena", "random", "bot", "--game", game), `unknown agent "bot" of cliff`)
	require.Contains(t, refused(t, 2, "games", "exec:"), "it must look like exec:COMMAND")
	require.Contains(t, refused(t, 1, "games", "exec:no-such-program"), "no-such-program")
	require.Contains(t, refused(t, 1, "train", "exec:python3 "+script+"x"), "the process ended (exit status 2)")
}

// A run of a program is continued where the command names the program or the user has added it, and nowhere else: a
// run directory starts no programs.
func TestARunOfAProgram(t *testing.T) {
	anotherProcess(t)
	t.Setenv(gamesVariable, "off")
	script, game := kitProgram(t)
	parent := t.TempDir()
	dir := filepath.Join(parent, "night")
	succeed(t, "", trainArgs(game, "--run", dir, "--games", "60")...)
	require.NoFileExists(t, filepath.Join(dir, "game.wasm"))
	anotherProcess(t)
	for _, args := range [][]string{
		{"arena", "--run", dir, "random", "main@1", "--games", "6"},
		{"train", "--resume", "--run", dir, "--games", "90", "--listen", "off"},
	} {
		require.Contains(t, refused(t, 1, args...), "no run or broker hands out programs", args)
	}
	folder := filepath.Join(t.TempDir(), "games")
	t.Setenv(gamesVariable, folder)
	require.NoError(t, durable.MkdirAll(folder, 0o777))
	require.Equal(t, "cliff is added.\n", succeed(t, "", "games", "add", game))
	anotherProcess(t)
	require.Contains(t, succeed(t, "", "arena", "--run", dir, "random", "main@1", "--games", "6"), "main@1")
	require.Contains(t, succeed(t, "", "runs", "verify", dir), " 0 faults")
	require.Contains(t, succeed(t, "", "simulate", "cliff", "--games", "1"), `"game":"cliff"`)

	text, err := os.ReadFile(script)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, append(text, "# another rule\n"...), 0o600))
	anotherProcess(t)
	other := "exec(copies=1):python3 " + script // the same file, read again
	require.Contains(t, refused(t, 1, "arena", "--game", other, "--run", dir, "random", "main@1", "--games", "6"), "SHA-256")
	require.Equal(t, "cliff is removed.\n", succeed(t, "", "games", "remove", "cliff"))
	anotherProcess(t)
	require.Contains(t, refused(t, 2, "simulate", "cliff"), "unknown game")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "cliff.json"), []byte("{"), 0o600))
	_, _, stderr := croupier("", "games")
	require.True(t, strings.Contains(stderr, "left out: ") && strings.Contains(stderr, "cliff.json"), stderr)
}
