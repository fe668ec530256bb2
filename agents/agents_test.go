package agents

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/rundir"
)

// Names from a network or a web page open no files, however they are wrapped.
func TestFilesAreOnlyForThoseWhoMayReadThem(t *testing.T) {
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("not to be seen"), 0o600))
	for _, name := range []string{
		"file:" + secret, "search:file:" + secret, "search(2):file:" + secret, "search(1,8):file:" + secret, "file:/dev/zero",
		"greedy:file:" + secret, "temperature(2):file:" + secret,
	} {
		_, err := New(game, Sources{Catalog: standard.Games}).Player(t.Context(), name)
		require.ErrorContains(t, err, "files are not read here", name)
	}
	_, err = New(game, Sources{Catalog: standard.Games, Files: true}).Player(t.Context(), "search:file:"+secret)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "files are not read here")
}

// What is no file, or longer than the largest network, is refused before it is read, however it is wrapped.
func TestFilesAreBounded(t *testing.T) {
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	sparse := filepath.Join(t.TempDir(), "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 10<<30))
	for path, problem := range map[string]string{
		"/dev/zero":   "it is not a regular file but a device",
		t.TempDir():   "it is not a regular file but a directory",
		sparse:        "its 10737418240 bytes are more than the limit of 268435456",
		sparse + "er": "no such file",
	} {
		for _, wrapped := range []string{"file:", "greedy:file:", "search:file:", "search(1,8):file:"} {
			_, err = New(game, Sources{Catalog: standard.Games, Files: true}).Player(t.Context(), wrapped+path)
			require.ErrorContains(t, err, problem, wrapped)
		}
	}
}

// The name of a version leads nowhere but to the versions of the run.
func TestVersionsAreNoPaths(t *testing.T) {
	run := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(run, "secret@1.safetensors"), []byte("not to be seen"), 0o600))
	for _, name := range []string{"../secret@1", "../../secret@1", "/etc/passwd@1", "main@1/../../secret@1"} {
		_, err := FromRun(run)(t.Context(), name)
		require.ErrorContains(t, err, "it does not look like main@12", name)
	}
	_, err := FromRun(run)(t.Context(), "main@12")
	require.ErrorContains(t, err, "has no version main@12")
}

// The equilibrium is on the ladder of Banluck with any number of players.
func TestBanluckSolutionIsForAllPlayers(t *testing.T) {
	for _, rules := range []string{"", "players: 2", "players: 4"} {
		g, err := standard.Games.New("banluck", []byte(rules))
		require.NoError(t, err)
		require.Contains(t, New(g, Sources{Catalog: standard.Games}).References(), "solver:equilibrium")
	}
}

// A run directory that somebody else made costs no memory by files that only look large.
func TestHugeFilesOfARun(t *testing.T) {
	run := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(run, rundir.VersionFolder), 0o755))
	sparse := func(name string) {
		require.NoError(t, os.WriteFile(filepath.Join(run, name), nil, 0o600))
		require.NoError(t, os.Truncate(filepath.Join(run, name), 100<<30))
	}
	sparse(rundir.VersionFile("main@1"))
	_, err := FromRun(run)(t.Context(), "main@1")
	require.ErrorContains(t, err, "its 107374182400 bytes are more than the limit of 268435456")
	require.NoError(t, os.WriteFile(filepath.Join(run, rundir.VersionFile("main@2")), []byte("weights"), 0o600))
	sparse(rundir.MembersFile)
	_, err = FromRun(run)(t.Context(), "main@2")
	require.ErrorContains(t, err, rundir.MembersFile+": its 107374182400 bytes")
}
