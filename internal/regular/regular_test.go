package regular

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(path("small"), []byte("words"), 0o600))
	require.NoError(t, os.WriteFile(path("empty"), nil, 0o600))
	require.NoError(t, os.WriteFile(path("sparse"), nil, 0o600))
	require.NoError(t, os.Truncate(path("sparse"), 10<<30))
	require.NoError(t, os.Symlink(path("small"), path("link")))

	for _, name := range []string{"small", "link"} {
		data, err := Read(path(name), 5)
		require.NoError(t, err)
		require.Equal(t, "words", string(data))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	data, err := ReadIn(root, "small", 5)
	require.NoError(t, err)
	require.Equal(t, "words", string(data))
	_, err = ReadIn(root, "sparse", 5)
	require.EqualError(t, err, "sparse: its 10737418240 bytes are more than the limit of 5")
	_, err = Read(path("none"), 5)
	require.ErrorIs(t, err, os.ErrNotExist)
	for name, problem := range map[string]string{
		path("small"):  "its 5 bytes are more than the limit of 4",
		path("sparse"): "its 10737418240 bytes are more than the limit of 4",
		path("empty"):  "it is empty",
		dir:            "it is not a regular file but a directory",
	} {
		_, err := Read(name, 4)
		require.EqualError(t, err, name+": "+problem)
	}
}

// What is endless, or has no process at its other end, is refused at once.
func TestReadWaitsForNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the files are those of Linux")
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	for name, problem := range map[string]string{
		"/dev/zero":          "it is not a regular file but a device",
		"/proc/self/environ": "it is empty",
		"/proc/self/mem":     "it is empty",
		pipe:                 "it is not a regular file but a pipe",
	} {
		_, err := Read(name, 1<<40)
		require.EqualError(t, err, name+": "+problem)
	}
}

// Below a directory nothing else is opened, and what is no file is named.
func TestReadIn(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("words"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	text, err := ReadIn(root, "file", 10)
	require.NoError(t, err)
	require.Equal(t, "words", string(text))
	_, err = ReadIn(root, "file", 4)
	require.ErrorContains(t, err, "file: its 5 bytes are more than the limit of 4")
	_, err = ReadIn(root, "folder", 10)
	require.ErrorContains(t, err, "folder: it is not a regular file but a directory")
	_, err = ReadIn(root, "link", 10)
	require.ErrorContains(t, err, "escapes")
	_, err = ReadIn(root, "../file", 10)
	require.Error(t, err)
	require.Equal(t, "a socket", Kind(fs.ModeSocket))
}
