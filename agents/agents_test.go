package agents

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/games"
	"croupier/internal/rundir"
	"croupier/internal/strict"
	"croupier/policy"
)

// Names from a network or a web page open no files, however they are wrapped.
func TestFilesAreOnlyForThoseWhoMayReadThem(t *testing.T) {
	game, err := games.New("pig", nil)
	require.NoError(t, err)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("not to be seen"), 0o600))
	for _, name := range []string{
		"file:" + secret, "search:file:" + secret, "search(2):file:" + secret, "search(1,8):file:" + secret, "file:/dev/zero",
		"greedy:file:" + secret, "temperature(2):file:" + secret,
	} {
		_, err := New(game, Sources{}).Player(t.Context(), name)
		require.ErrorContains(t, err, "files are not read here", name)
	}
	_, err = New(game, Sources{Files: true}).Player(t.Context(), "search:file:"+secret)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "files are not read here")
}

// What is no file, or longer than the largest network, is refused before it is read, however it is wrapped.
func TestFilesAreBounded(t *testing.T) {
	game, err := games.New("pig", nil)
	require.NoError(t, err)
	sparse := filepath.Join(t.TempDir(), "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 10<<30))
	for path, problem := range map[string]string{
		"/dev/zero":   "it is no regular file but a device",
		t.TempDir():   "it is no regular file but a directory",
		sparse:        "its 10737418240 bytes are more than the limit of 268435456",
		sparse + "er": "no such file",
	} {
		for _, wrapped := range []string{"file:", "greedy:file:", "search:file:", "search(1,8):file:"} {
			_, err = New(game, Sources{Files: true}).Player(t.Context(), wrapped+path)
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

// slow is a solution of Pig that takes a minute, or fails on its first attempts.
type slow struct {
	started, given int
	failures       int
}

func (s *slow) solve(ctx context.Context, _ engine.Game) (factory, error) {
	s.started++
	select {
	case <-ctx.Done():
		s.given++
		return nil, ctx.Err()
	case <-time.After(time.Minute):
	}
	if s.failures > 0 {
		s.failures--
		return nil, errors.New("too hard")
	}
	return func() policy.Stochastic { return policy.Random{} }, nil
}

// solvedBy returns the result of get with the slow solution.
func solvedBy(t *testing.T, s *slow) func(ctx context.Context) (factory, error) {
	t.Helper()
	game, err := games.New("pig", nil)
	require.NoError(t, err)
	known := solutions
	solutions = []Solution{{"pig", 0, s.solve, "solver:slow", true, false}}
	t.Cleanup(func() { solutions = known })
	var k solved
	return func(ctx context.Context) (factory, error) { return k.get(ctx, game, "solver:slow") }
}

func TestSolvingIsGivenUpWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		get := solvedBy(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := get(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 20*time.Second, time.Since(begin))
		synctest.Wait()
		require.Equal(t, 1, s.given)

		_, err = get(t.Context())
		require.NoError(t, err, "the next call starts over")
		require.Equal(t, 2, s.started)
		_, err = get(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, s.started, "a solution is kept")
	})
}

func TestSolvingGoesOnForThoseWhoStillWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		get := solvedBy(t, s)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := get(impatient)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		for range 3 {
			callers.Go(func() {
				_, err := get(t.Context())
				require.NoError(t, err)
			})
		}
		callers.Wait()
		require.Equal(t, 1, s.started)
		require.Zero(t, s.given)
	})
}

func TestFailedSolvingIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		get := solvedBy(t, &slow{failures: 1})
		_, err := get(t.Context())
		require.EqualError(t, err, "too hard")
		_, err = get(t.Context())
		require.NoError(t, err)
	})
}

// The equilibrium is on the ladder of Banluck with any number of players.
func TestBanluckSolutionIsForAllPlayers(t *testing.T) {
	for _, rules := range []string{"", "players: 2", "players: 4"} {
		g, err := games.New("banluck", strict.YAML(rules))
		require.NoError(t, err)
		require.Contains(t, References(g), "solver:equilibrium")
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
