//go:build unix

package platform

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsPrivate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.True(t, IsPrivate(folder))
	require.False(t, IsPrivate(filepath.Join(folder, "not there")))

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(folder, link))
	require.True(t, IsPrivate(link))

	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.False(t, IsPrivate(file), "a file is no folder")

	for _, at := range []string{folder, filepath.Dir(folder)} {
		require.NoError(t, os.Chmod(at, 0o770))
		require.False(t, IsPrivate(folder), "a group can write to %s", at)
		require.False(t, IsPrivate(link), "a group can write to %s", at)
		require.NoError(t, os.Chmod(at, 0o700))
	}
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o777|os.ModeSticky))
	require.True(t, IsPrivate(folder), "what is in a shared folder, as /tmp, is its owner's")
	require.NoError(t, os.Chmod(folder, 0o777|os.ModeSticky))
	require.False(t, IsPrivate(folder), "anybody can add files to it")
}
