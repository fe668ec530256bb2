package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
)

func TestNewestRun(t *testing.T) {
	parent := t.TempDir()
	clock := time.Unix(1e9, 0)
	add := func(name, game string, changes Changes) string {
		clock = clock.Add(time.Hour)
		dir := filepath.Join(parent, name)
		rundirtest.Create(t, dir, rundir.Info{ID: name, Game: game, Created: clock})
		config, err := Default(standard.Games, game)
		require.NoError(t, err)
		require.NoError(t, changes.Apply(t.Context(), config))
		config.Run = name
		doc, err := config.Encode()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ConfigFile), doc, 0o644))
		return dir
	}
	find := func(game, rules string) string {
		g, err := GameUnder(t.Context(), standard.Games, game, rules)
		require.NoError(t, err)
		dir, err := NewestRun(standard.Games, parent, g)
		require.NoError(t, err)
		return dir
	}
	require.Empty(t, find("bank", ""))
	add("first", "bank", Changes{})
	second := add("second", "bank", Changes{})
	forTwo := add("for-two", "bank", Changes{Set: []string{"rules.players=2"}})
	add("pig", "pig", Changes{})
	broken := add("broken", "bank", Changes{})
	require.NoError(t, os.WriteFile(filepath.Join(broken, rundir.ConfigFile), []byte("game: ["), 0o644))
	if runtime.GOOS != "windows" { // a pipe is not waited for
		endless := add("endless", "bank", Changes{})
		require.NoError(t, os.Remove(filepath.Join(endless, rundir.ConfigFile)))
		require.NoError(t, exec.Command("mkfifo", filepath.Join(endless, rundir.ConfigFile)).Run())
	}
	require.Equal(t, second, find("bank", ""))
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("players: 2"), 0o644))
	require.Equal(t, forTwo, find("bank", rules))
	require.Empty(t, find("kuhn", ""))
	game, err := GameUnder(t.Context(), standard.Games, "bank", "")
	require.NoError(t, err)
	dir, err := NewestRun(standard.Games, filepath.Join(parent, "nowhere"), game)
	require.NoError(t, err)
	require.Empty(t, dir)
}
