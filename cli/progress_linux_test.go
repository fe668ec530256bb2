package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Long work shows which part is done on a terminal, and leaves nothing of it there. Pipes, dumb terminals and --quiet
// see none of it, and no colours are used.
func TestLongWorkShowsItsProgress(t *testing.T) {
	defer func(tick, from time.Duration) { progressTick, progressFrom = tick, from }(progressTick, progressFrom)
	progressTick, progressFrom = 0, 0
	t.Setenv("TERM", "xterm")
	dir := t.TempDir()
	games, cup := filepath.Join(dir, "games.jsonl"), filepath.Join(dir, "cup")
	succeed(t, "", "simulate", "pig", "--games", "2", "--out", games)
	succeed(t, "", "arena", "random", "hold(20)", "--game", "pig", "--games", "20", "--out", cup)
	position := filepath.Join(dir, "position.json")
	require.NoError(t, os.WriteFile(position, []byte(succeed(t, "", "advise", "bank", "--example")), 0o600))
	var out bytes.Buffer
	on := func(line ...string) string {
		return onTerminal(t, func(terminal *os.File) {
			require.Zero(t, installed.run(t.Context(), line, strings.NewReader(""), &out, terminal), line)
		})
	}
	for what, line := range map[string][]string{
		"playing matches | [":        {"arena", "random", "hold(20)", "--game", "pig", "--games", "20"},
		"playing matches of pig | [": {"advise", "compare", "pig", "random", "hold(20)", "--games", "20"},
		"bank: 2 of 2 rounds | [":    {"solve", "bank"},
		"kuhn: 1000 iterations, ":    {"solve", "kuhn", "--iterations", "1000"},
		"pig: 199 of 199 sums | [":   {"solve", "pig"},
		"4096 of 4096 turns | [":     {"solve", "lange-strasse", "--simulate", "2048"},
		"judging games | [":          {"advise", "review", games},
		"writing games | [":          {"archive", "dataset", cup, "--force", "--out", filepath.Join(dir, "games.parquet")},
		"working out the advice | [": {
			"advise", "bank", "--position", position, "--agent", "leader-chaser", "--samples", "64", "--run", "none",
		},
	} {
		seen := on(line...)
		require.Contains(t, seen, what)
		require.Contains(t, seen, "] 100 % | about 0s left", "its last part is shown, too")
		require.True(t, strings.HasSuffix(seen, "\r\x1b[K"), "%q: the line is removed", seen)
		require.NotContains(t, seen, "\x1b[3", "colours")
		require.Empty(t, on(append(line, "--quiet")...))
	}
	// What a terminal is they all ask of the same console.
	line := []string{"arena", "random", "hold(20)", "--game", "pig", "--games", "20"}
	_, _, errs := croupier("", line...)
	require.Empty(t, errs)
	t.Setenv("TERM", "dumb")
	require.Empty(t, on(line...))
}

func TestProgressInWords(t *testing.T) {
	p := &progress{what: "playing"}
	for _, c := range []struct {
		done, total float64
		want        string
	}{
		{0, 0, "playing | for 10s"},
		{0, 8, "playing | [....................] 0 % | for 10s"},
		{2, 8, "playing | [#####...............] 25 % | about 30s left"},
		{2.5, 2, "playing | [####################] 100 % | about 0s left"},
	} {
		p.done, p.total = c.done, c.total
		require.Equal(t, c.want, strings.Join(p.parts(10*time.Second), separator))
	}
}
