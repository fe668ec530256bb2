package agents

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/league/tournament"
)

// cup is a tournament that is kept in the directory.
func cup(t *testing.T, dir string) (Tournament, *Agents, []string) {
	t.Helper()
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	return Tournament{
			Game: game, Games: 40, Seed: 3, Workers: 2, Format: tournament.Swiss{Rounds: 3},
			Directory: &Directory{Path: dir, Config: []byte("game: pig\n"), Version: "test", ArchiveBytes: 64 << 20},
		}, New(game, Sources{Catalog: standard.Games}), []string{"random", "hold(20)", "hold(10)", "hold(15)", "hold(25)",
			"hold(5)"}
}

var errStop = errors.New("stopped")

func TestKeptTournamentGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cup")
	cupped, a, names := cup(t, dir)
	whole := cupped
	whole.Directory = nil
	want, _, err := whole.Play(t.Context(), a, names)
	require.NoError(t, err)

	matches := 0
	for stop := 3; matches == 0; stop += 5 {
		ctx, cancel := context.WithCancelCause(t.Context())
		cupped.Progress = func(played, _ int) {
			if played == stop {
				cancel(errStop)
			}
			if stop > 100 {
				t.Fatal("it never ends")
			}
		}
		ladder, _, err := cupped.Play(ctx, a, names)
		cancel(nil)
		if err == nil {
			require.Equal(t, want, ladder)
			matches = stop
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		// What a process that is killed leaves of a line, and a byte that has flipped.
		path := filepath.Join(dir, resultsFile)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text[len(text)/3] ^= 4
		require.NoError(t, os.WriteFile(path, append(text, `{"result":"AAAA`...), 0o644))
	}
	require.Greater(t, matches, 3)

	// Everything is kept: played again it plays nothing.
	cupped.Progress = nil
	played := 0
	cupped.Game = counted{cupped.Game, &played}
	ladder, _, err := cupped.Play(t.Context(), a, names)
	require.NoError(t, err)
	require.Equal(t, want, ladder)
	require.Zero(t, played)

	written, err := league.ReadLadder(dir)
	require.NoError(t, err)
	require.Equal(t, want.Rounds, written.Rounds)
	info, err := rundir.ReadInfo(dir)
	require.NoError(t, err)
	require.Equal(t, rundir.Tournament, info.Kind)
	_, err = rundir.Newest(filepath.Dir(dir))
	require.ErrorContains(t, err, "there is no run below", "nothing is trained there")
	found, err := archive.Read(dir).Find(t.Context(), archive.Query{Limit: 1})
	require.NoError(t, err)
	require.GreaterOrEqual(t, found.Total, 3*3*40, "every game of every meeting")
}

// counted counts the games that are begun.
type counted struct {
	engine.Game
	n *int
}

func (c counted) NewState() engine.State {
	*c.n++
	return c.Game.NewState()
}

// Of several that begin the same tournament in the same new directory at the same time, those that have it play it, one
// after another at most, and the others take nothing from them.
func TestOneOfManyTakesTheDirectory(t *testing.T) {
	for range 10 {
		dir := filepath.Join(t.TempDir(), "cups", "cup")
		cupped, a, names := cup(t, dir)
		var all sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			all.Go(func() { _, _, errs[i] = cupped.Play(t.Context(), a, names) })
		}
		all.Wait()
		played := 0
		for _, err := range errs {
			if err == nil {
				played++
			} else {
				require.ErrorContains(t, err, "is in use")
			}
		}
		require.Positive(t, played)
		_, err := league.ReadLadder(dir)
		require.NoError(t, err)
		_, _, err = cupped.Play(t.Context(), a, names)
		require.NoError(t, err, "it is whole")
	}
}

func TestDirectoryOfAnotherTournament(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cup")
	cupped, a, names := cup(t, dir)
	_, _, err := cupped.Play(t.Context(), a, names)
	require.NoError(t, err)
	for says, spoil := range map[string]func(c *Tournament){
		"its seed is 3, not 4":                           func(c *Tournament) { c.Seed = 4 },
		"its number of games is 40, not 8":               func(c *Tournament) { c.Games = 8 },
		"its format is swiss in 3 rounds, not knock-out": func(c *Tournament) { c.Format = tournament.KnockOut{} },
	} {
		other := cupped
		spoil(&other)
		_, _, err := other.Play(t.Context(), a, names)
		require.ErrorContains(t, err, "holds another tournament: "+says)
	}
	_, _, err = cupped.Play(t.Context(), a, names[1:])
	require.ErrorContains(t, err, "its agents are")

	lock, err := rundir.Lock(dir, "learner")
	require.NoError(t, err)
	_, _, err = cupped.Play(t.Context(), a, names)
	require.ErrorContains(t, err, dir, "somebody else is at it")
	require.NoError(t, lock.Close())

	require.NoError(t, os.WriteFile(filepath.Join(dir, headFile), []byte("{"), 0o644))
	_, _, err = cupped.Play(t.Context(), a, names)
	require.ErrorContains(t, err, headFile)
}
