package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A training writes its curves for TensorBoard, or says before it begins why it cannot.
func TestTrainForTensorBoard(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "board")
	status, _, stderr := croupier("", trainArgs("kuhn", "--games", "10000", "--run", filepath.Join(t.TempDir(), "run"), "--tensorboard", folder)...)
	require.Zero(t, status, stderr)
	files, err := filepath.Glob(filepath.Join(folder, "events.out.tfevents.*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	for _, curve := range []string{"entropy", "rating/best", "rating/best/low", "exploitability"} {
		require.True(t, bytes.Contains(data, []byte(curve)), curve)
	}

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	said := refused(t, 1, trainArgs("kuhn", "--games", "10000", "--run", filepath.Join(t.TempDir(), "run"), "--tensorboard", file)...)
	require.Contains(t, said, "--tensorboard")
}
