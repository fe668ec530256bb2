package cli

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that cannot be read is a failure, not a wrong call, whichever flag or argument names it.
func TestUnreadableFilesAreOneStatus(t *testing.T) {
	for _, args := range [][]string{
		{"replay", "FILE"}, {"advise", "review", "FILE"}, {"simulate", "pig", "--rules", "FILE", "--games", "1"},
		{"solve", "pig", "--rules", "FILE"}, {"solve", "tysiac", "--double-dummy", "FILE"},
		{"advise", "kuhn", "--position", "FILE"}, {"train", "kuhn", "--config", "FILE", "--listen", "off"},
		{"train", "kuhn", "--league", "FILE", "--listen", "off"}, {"config", "kuhn", "--config", "FILE"},
		{"arena", "file:FILE", "random", "--game", "kuhn", "--games", "2"}, {"simulate", "kuhn", "--policy", "file:FILE"},
		{"serve", "file:FILE", "--game", "kuhn"}, {"play", "kuhn", "--against", "file:FILE"},
		{"play", "pig", "--rules", "FILE"},
		{"play", "--continue", "FILE"}, {"train", "pig", "--until", "beats=file:FILE", "--listen", "off"},
		{"arena", "search:file:FILE", "random", "--game", "pig", "--games", "2"},
		{"arena", "exploit", "kuhn", "file:FILE"}, {"solve", "kuhn", "--agent", "file:FILE"}, {"sweep", "FILE"},
		{"arena", "random", "--game", "pig", "--agents", "FILE"},
		{"web", "--users", "FILE"}, {"ladder", "--run", "FILE"}, {"status", "--run", "FILE"},
		{"archive", "dataset", "FILE", "--out", "x"},
	} {
		missing := filepath.Join(t.TempDir(), "nowhere")
		for i, arg := range args {
			if len(arg) >= 4 && arg[len(arg)-4:] == "FILE" {
				args[i] = arg[:len(arg)-4] + missing
			}
		}
		require.Contains(t, refused(t, 1, args...), missing, "%v", args)
	}
}

func TestSentences(t *testing.T) {
	said := refused(t, 2, "train", "kuhn", "--set", "learner.learning_rate_start=0,002")
	require.Equal(t, "croupier: --set learner.learning_rate_start=0,002: 0,002 is not a number; a decimal point is a point, as in 0.002\n", said)
	require.Contains(t, refused(t, 2, "train", "kuhn", "--set", "learner.ppo={"), "its value is not YAML")
	require.Contains(t, refused(t, 2, "train", "kuhn", "--set", "learner.ppo.epochs=a, b"),
		`learner.ppo.epochs: "a, b" is not a whole number`)
	for _, args := range [][]string{
		{"arena", "http://127.0.0.1:1/", "random", "--game", "kuhn", "--games", "2"},
		{"play", "kuhn", "--against", "http://127.0.0.1:1/"}, {"status", "--process", "127.0.0.1:1"},
	} {
		said := refused(t, 1, args...)
		require.Contains(t, said, "nothing listens at 127.0.0.1:1", "%v", args)
		require.NotContains(t, said, "dial", "%v", args)
	}
}

// Work that was asked to end says so in words.
func TestWhatWasStoppedSaysSo(t *testing.T) {
	err := interrupted{context.Canceled}
	require.EqualError(t, err, "stopped before the end")
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, unreadable(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrExist}))
	require.True(t, unreadable(usage("--rules: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist})))
}
