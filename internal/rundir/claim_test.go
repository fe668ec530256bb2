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
		require.NoError(t, c.Create(Info{}, nil, nil))
		require.NoError(t, os.Mkdir(filepath.Join(path, "nats"), 0o755))
		_, err = Take(path, "learner")
		require.ErrorContains(t, err, "in use")
		_, err = ReadInfo(path)
		require.NoError(t, err, "a process without the lock takes nothing away")
		c.Abandon()
	}
	abandoned(path)
	require.NoDirExists(t, path)
	require.NoDirExists(t, filepath.Dir(path), "it was made for the run")

	require.NoError(t, os.MkdirAll(filepath.Join(parent, "runs"), 0o755))
	abandoned(path)
	require.NoDirExists(t, path)
	require.DirExists(t, filepath.Dir(path), "it was there before")

	require.NoError(t, os.WriteFile(filepath.Join(parent, "mine"), nil, 0o644))
	abandoned(parent)
	require.FileExists(t, filepath.Join(parent, "mine"), "what was there before stays")
	require.NoFileExists(t, filepath.Join(parent, ConfigFile))
	require.NoError(t, CheckFree(parent))
}

// A config.yaml that was there before, of whatever kind, is neither replaced nor taken away.
func TestCreateLeavesOtherSettings(t *testing.T) {
	path := t.TempDir()
	mine := filepath.Join(path, ConfigFile)
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
	c, err := Take(path, "learner")
	require.NoError(t, err)
	require.ErrorContains(t, c.Create(Info{}, []byte("game: bank"), nil), ConfigFile)
	c.Abandon()
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
	require.NoFileExists(t, filepath.Join(path, "run.json"))
}

// A process that comes second finds a run that has begun meanwhile, and leaves it.
func TestAbandonLeavesWhatOthersMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bank")
	second, err := Take(path, "learner")
	require.NoError(t, err)
	require.NoError(t, create(path, Info{ID: "bank"}))
	require.ErrorContains(t, second.Create(Info{}, nil, nil), "--resume")
	second.Abandon()
	info, err := ReadInfo(path)
	require.NoError(t, err)
	require.Equal(t, "bank", info.ID)
}
