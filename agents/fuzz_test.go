package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/internal/sealed/sealedtest"
	"croupier/messages"
	"croupier/policy"
)

// From a network, whatever name stands for an agent of this program, opens no file and starts no program, or is
// refused with an error that names it. Solutions are left out, which take seconds.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"random", "threshold(100)", "hold(20)", "main@12", "greedy:main@12", "temperature(0.5):main@1", "trained",
		"search:trained",
		"search(2,64):greedy:trained", "search(1):search(1):trained", "file:/etc/passwd", "search:file:/dev/zero",
		"exec:true", "exec(log=x):true",
		"http://127.0.0.1:1/x", "greedy:exec:true", "temperature(1):trained", "temperature(NaN):trained", "hold(1e999)",
		"hold()", "hold(-0)",
		"search(1e18):trained", "../x@1", "main@18446744073709551616", "",
	} {
		f.Add(name)
	}
	game, err := standard.Games.New("pig", nil)
	require.NoError(f, err)
	dir := f.TempDir()
	f.Chdir(dir)
	f.Fuzz(func(t *testing.T, name string) {
		if _, agent, err := policy.CutTemperature(name); err == nil && kindOf(agent) == "solver" ||
			bytes.Contains([]byte(name), []byte("optimal")) {
			return
		}
		require.NotEmpty(t, Kind(name))
		a := New(game, Sources{Catalog: standard.Games, Frozen: FromRun(dir)})
		p, err := a.Player(context.Background(), name)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotContains(t, []string{"file", "external"}, kindOf(name))
		require.Equal(t, name, p.Name)
		require.True(t, p.Network != nil || p.NewPolicy != nil)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

// Whatever the lines of a tournament's results hold, those that are results are known, and the next can be added.
func FuzzTournamentResults(f *testing.F) {
	data, err := messages.Encode(&messages.Result{Match: &messages.Match{Schema: 1, Id: "m-1"},
		OneA: &messages.Lineup{Sets: 5}})
	require.NoError(f, err)
	line, err := json.Marshal(result{data})
	require.NoError(f, err)
	f.Add(line)
	f.Add([]byte("{\"result\":\"\"}\n{\"result\":null}\n{"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		dir := t.TempDir()
		text := sealedtest.Seal(lines)
		require.NoError(t, os.WriteFile(filepath.Join(dir, resultsFile), text, 0o600))
		claim, err := rundir.Take(dir)
		require.NoError(t, err)
		r := &tournamentDir{dir: dir, claim: claim, known: map[string]*messages.Result{}}
		require.NoError(t, r.read())
		require.NoError(t, r.keep(&messages.Result{Match: &messages.Match{Schema: 1, Id: "next"}}))
		require.NoError(t, r.close(false))
		again := &tournamentDir{dir: dir, claim: claim, known: map[string]*messages.Result{}}
		require.NoError(t, again.read())
		defer again.close(false)
		r.known["next"] = nil
		require.Len(t, again.known, len(r.known))
		require.NotNil(t, again.find(&messages.Match{Id: "next"}))
	})
}

// Whatever has the place of a tournament's files is refused by name, and is not waited for.
func TestFilesOfATournamentThatAreNone(t *testing.T) {
	for _, name := range []string{headFile, resultsFile} {
		dir := filepath.Join(t.TempDir(), "cup")
		cupped, a, names := cup(t, dir)
		cupped.Games, cupped.Format = 2, nil
		_, _, err := cupped.Play(t.Context(), a, names[:2])
		require.NoError(t, err)
		path := filepath.Join(dir, name)
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.Symlink("/dev/zero", path))
		_, _, err = cupped.Play(t.Context(), a, names[:2])
		require.ErrorContains(t, err, path+": it is not a regular file")
	}
}
