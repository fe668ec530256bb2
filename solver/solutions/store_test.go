package solutions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/policy"
)

// keepIn makes this process keep every solution in a new store, however quickly it was found.
func keepIn(t *testing.T, folder string) *Store {
	t.Helper()
	s := NewStore(folder)
	s.worth = 0
	Keep(s)
	t.Cleanup(func() { Keep(nil) })
	return s
}

func gameUnder(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return g
}

// whole returns the solution of the whole game.
func whole(t *testing.T, g engine.Game) catalog.Solution {
	t.Helper()
	list := Of(standard.Games.Of(g), g)
	require.NotEmpty(t, list)
	return list[0]
}

// unsolved is a context in which nothing can be solved.
func unsolved(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	return list
}

// A solution is read back as it was, to the last bit, by every solver that takes long.
func TestSolutionsAreKept(t *testing.T) {
	type rules struct{ game, rules string }
	cases := []rules{
		{"pig", "target: 40"}, {"kuhn", ""}, {"leduc", ""}, {"bank", "{players: 2, rounds: 5}"},
		{"bank", "{players: 2, rounds: 2, repoll: false}"},
		{"banluck", ""},
	}
	if nightly.On {
		cases = append(cases, rules{"banluck", "players: 2"}, rules{"banluck", "{surrender: false, ace: greedy}"})
	}
	for _, c := range cases {
		t.Run(strings.TrimSpace(c.game+" "+c.rules), func(t *testing.T) {
			g, folder := gameUnder(t, c.game, c.rules), t.TempDir()
			solution := whole(t, g)
			_, err := Solve(unsolved(t), g, solution)
			require.Error(t, err, "nothing is kept yet")
			keepIn(t, folder)
			first, err := Solve(t.Context(), g, solution)
			require.NoError(t, err)
			require.Len(t, filesIn(t, folder), 1)
			second, err := Solve(unsolved(t), g, solution)
			require.NoError(t, err, "the next process reads it")
			requireSamePlay(t, g, first(), second())
			Keep(nil)
			_, err = Solve(unsolved(t), g, solution)
			require.Error(t, err, "turned off")
		})
	}
}

// requireSamePlay asks both players in the positions of random games, and what actions are worth in the first ones:
// some values are computed when they are asked for.
func requireSamePlay(t *testing.T, g engine.Game, a, b policy.Stochastic) {
	t.Helper()
	random, state, asked := engine.NewRNG(1, engine.ActionStream), g.NewState(), 0
	for range 20 {
		state.Reset()
		play := engine.Play{State: state, Chance: random}
		play.Choose = func(_ int, legal []int) int {
			asked++
			require.Equal(t, answer(a, state, legal, asked <= 4), answer(b, state, legal, asked <= 4))
			return legal[random.IntN(len(legal))]
		}
		require.NoError(t, play.ToEnd())
	}
}

// answer is what a player says of a position.
func answer(p policy.Stochastic, s engine.State, legal []int, worth bool) string {
	mix, values := make([]float64, len(legal)), make([]policy.Value, len(legal))
	p.Reset()
	p.Distribution(s, legal, mix)
	if worth {
		p.(policy.Valuer).Values(s, legal, values)
	}
	return fmt.Sprintf("%x %+v", mix, values)
}

// A damaged file is as good as none, and is written again. Rules, agents and programs do not share files.
func TestKeptSolutionsOfOthersAreNotUsed(t *testing.T) {
	g, folder := gameUnder(t, "pig", "target: 20"), t.TempDir()
	s, solution := keepIn(t, folder), whole(t, g)
	_, err := Solve(t.Context(), g, solution)
	require.NoError(t, err)
	path := filesIn(t, folder)[0]
	intact, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range [][]byte{
		nil, intact[:10], intact[:len(intact)-1], append(intact[:len(intact):len(intact)], 0), flipped(intact, 3),
		flipped(intact, 300),
	} {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		_, err = Solve(unsolved(t), g, solution)
		require.Error(t, err)
		_, err = Solve(t.Context(), g, solution)
		require.NoError(t, err)
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, intact, again)
	}
	other := gameUnder(t, "pig", "target: 21")
	_, err = Solve(unsolved(t), other, solution)
	require.Error(t, err)
	s.program += " "
	_, err = Solve(unsolved(t), g, solution)
	require.Error(t, err)
	s.program = strings.TrimSuffix(s.program, " ")
	// Tables of other rules under this name are refused by the solver.
	wrong, err := s.path(other, solution.Agent)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(wrong, intact, 0o600))
	_, err = Solve(unsolved(t), other, solution)
	require.Error(t, err)
}

func flipped(data []byte, at int) []byte {
	data = append([]byte(nil), data...)
	data[at] ^= 1
	return data
}

// Where nothing can be kept, games are solved as before. What is solved quickly is not kept.
func TestSolvingNeedsNoStore(t *testing.T) {
	g, occupied := gameUnder(t, "pig", "target: 20"), filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(occupied, nil, 0o600))
	s := keepIn(t, filepath.Join(occupied, "below"))
	_, err := Solve(t.Context(), g, whole(t, g))
	require.NoError(t, err)
	s.folder, s.worth = t.TempDir(), time.Hour
	_, err = Solve(t.Context(), g, whole(t, g))
	require.NoError(t, err)
	require.Empty(t, filesIn(t, s.folder))
}

// The folder has a bound: solutions used longest ago make room, and other files stay.
func TestKeptSolutionsAreBounded(t *testing.T) {
	s := keepIn(t, t.TempDir())
	foreign := filepath.Join(s.folder, "notes.txt")
	require.NoError(t, os.WriteFile(foreign, make([]byte, 100_000), 0o600))
	paths := make([]string, 3)
	for i, target := range []int{20, 21, 22} {
		g := gameUnder(t, "pig", fmt.Sprintf("target: %d", target))
		_, err := Solve(t.Context(), g, whole(t, g))
		require.NoError(t, err)
		paths[i], err = s.path(g, "solver:optimal")
		require.NoError(t, err)
		used := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(paths[i], used, used))
	}
	oldest := gameUnder(t, "pig", "target: 20")
	_, err := Solve(unsolved(t), oldest, whole(t, oldest))
	require.NoError(t, err, "used now")
	s.most = 3 * 22 * 22 * 9
	g := gameUnder(t, "pig", "target: 23")
	_, err = Solve(t.Context(), g, whole(t, g))
	require.NoError(t, err)
	require.FileExists(t, paths[0])
	require.NoFileExists(t, paths[1])
	require.FileExists(t, foreign)
	s.most = 100
	require.NoError(t, s.trim())
	require.Equal(t, []string{foreign}, filesIn(t, s.folder))
}
