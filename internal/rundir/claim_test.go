package rundir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAbandonUndoesCreate(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "runs", "bank")
	abandoned := func(path string) {
		c, err := Take(path, "learner")
		require.NoError(t, err)
		require.NoError(t, c.Create(Info{}))
		require.NoError(t, os.Mkdir(filepath.Join(path, "nats"), 0o755))
		_, err = Take(path, "learner")
		require.ErrorContains(t, err, "in use")
		_, err = ReadInfo(path)
		require.NoError(t, err, "who has not the lock takes nothing away")
		c.Abandon()
	}
	abandoned(path)
	require.NoDirExists(t, path)

	require.NoError(t, os.WriteFile(filepath.Join(parent, "mine"), nil, 0o644))
	abandoned(parent)
	require.FileExists(t, filepath.Join(parent, "mine"), "what was there before stays")
	require.NoError(t, CheckFree(parent))
}

// Whoever comes second finds a run that has begun meanwhile, and leaves it.
func TestAbandonLeavesWhatOthersMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bank")
	second, err := Take(path, "learner")
	require.NoError(t, err)
	require.NoError(t, create(path, Info{ID: "bank"}))
	require.ErrorContains(t, second.Create(Info{}), "--resume")
	second.Abandon()
	info, err := ReadInfo(path)
	require.NoError(t, err)
	require.Equal(t, "bank", info.ID)
}
