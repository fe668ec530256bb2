package durable

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriteFileReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"first, and longer", "second"} {
		require.NoError(t, WriteFile(path, []byte(content)))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(got))
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	target := filepath.Join(folder, "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(target, "inside"), 0o755))
	require.ErrorContains(t, WriteFile(target, []byte("x")), "taken")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file stays behind")
}

func TestMissingFolderIsNamed(t *testing.T) {
	require.ErrorContains(t, WriteFile(filepath.Join(t.TempDir(), "none", "file"), nil), "none")
}
