package rundir_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/check/checktest"
	"croupier/internal/rundir"
)

// named makes a run that has a name.
func named(t *testing.T, l rundir.Label) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "evening")
	claim, err := rundir.Take(dir)
	require.NoError(t, err)
	defer claim.Release()
	require.NoError(t, claim.Create(rundir.Info{ID: "evening", Game: "pig"}, []byte("seed: 1\n"), nil))
	require.NoError(t, rundir.Relabel(dir, became(l)))
	return dir
}

func became(l rundir.Label) func(rundir.Label) (rundir.Label, error) {
	return func(rundir.Label) (rundir.Label, error) { return l, nil }
}

func TestLabel(t *testing.T) {
	dir := named(t, rundir.Label{Name: "  lower rate ", Note: "first\r\nsecond\n\n"})
	l, err := rundir.ReadLabel(dir)
	require.NoError(t, err)
	require.Equal(t, rundir.Label{Name: "lower rate", Note: "first\nsecond"}, l)

	refusal := errors.New("not now")
	err = rundir.Relabel(dir, func(before rundir.Label) (rundir.Label, error) {
		require.Equal(t, l, before)
		held := rundir.Relabel(dir, became(rundir.Label{}))
		require.ErrorIs(t, held, rundir.ErrInUse, "one changes it at a time")
		return rundir.Label{Name: "other"}, refusal
	})
	require.ErrorIs(t, err, refusal)
	for _, wrong := range []rundir.Label{
		{Name: "two\nlines"}, {Name: "\x1b[2J"}, {Name: "txt\u202egnp.exe"}, {Name: strings.Repeat("ä", 81)},
		{Note: "bell \a"}, {Note: "half \xd0"}, {Note: strings.Repeat("ä", 4001)},
	} {
		require.Error(t, rundir.Relabel(dir, became(wrong)), "%q", wrong)
	}
	now, err := rundir.ReadLabel(dir)
	require.NoError(t, err)
	require.Equal(t, l, now)

	require.NoError(t, rundir.Relabel(dir, became(rundir.Label{})))
	now, err = rundir.ReadLabel(dir)
	require.NoError(t, err)
	require.Empty(t, now)
	require.ErrorIs(t, rundir.Relabel(t.TempDir(), became(l)), rundir.ErrNoRun)
}

// A damaged label is put aside by the next. TestDamagedIdentityIsFound flips its bits.
func TestDamagedLabel(t *testing.T) {
	dir := named(t, rundir.Label{Name: "lower rate", Note: "why"})
	files := checktest.Of(t, dir)
	identity := check.Part{Patterns: rundir.IdentityFiles, Check: func(c *check.Check) { rundir.CheckIdentity(c) }}
	require.Empty(t, checktest.Found(t, identity, files))
	byHand := []byte(`{"name": "a\u0007b", "note": ""}`)
	require.NotEmpty(t, checktest.Found(t, identity, files.With(rundir.LabelFile, byHand)), "no checksum, and a bell")

	file := filepath.Join(dir, rundir.LabelFile)
	for n, name := range []string{"label.json.damaged-1", "label.json.damaged-1-2"} {
		data := bytes.Replace(files[rundir.LabelFile], []byte("lower"), []byte("power"), 1)
		require.NoError(t, os.WriteFile(file, data, 0o600))
		_, err := rundir.ReadLabel(dir)
		require.ErrorContains(t, err, "label.json: "+damaged)
		require.NoError(t, rundir.Relabel(dir, func(before rundir.Label) (rundir.Label, error) {
			require.Empty(t, before)
			return rundir.Label{Name: "lower rate", Note: "why"}, nil
		}), n)
		kept, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, data, kept)
	}
}
