package durable

import (
	"errors"
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

func TestMkdirAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "c")
	for range 2 { // it may be there
		require.NoError(t, MkdirAll(path, 0o700))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	file := filepath.Join(path, "file")
	require.NoError(t, WriteFile(file, nil))
	require.ErrorContains(t, MkdirAll(filepath.Join(file, "d"), 0o700), "file")
}

// A process that is killed between writing and renaming leaves a temporary file, which goes at the next
// start; files of others stay, whatever they are called.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	left := func(base string) string {
		f, err := os.CreateTemp(folder, "."+base+".*.tmp") // as write makes it
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return f.Name()
	}
	ours, others := left("000000000012.safetensors"), left("ladder.json")
	stay := []string{others}
	for _, name := range []string{"000000000012.safetensors", ".notes.12.tmp", ".x.safetensors.tmp", "x.safetensors.1.tmp"} {
		stay = append(stay, filepath.Join(folder, name))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, ".d.safetensors.1.tmp"), 0o755))
	require.NoError(t, Sweep(folder, "*.safetensors", "run.json"))
	require.NoFileExists(t, ours)
	for _, path := range stay {
		require.FileExists(t, path)
	}
	require.DirExists(t, filepath.Join(folder, ".d.safetensors.1.tmp"))
	require.NoError(t, Sweep(filepath.Join(folder, "none"), "*"))
	require.Error(t, Sweep(others, "*"), "no folder")
}

// A secret is for one user alone, and a file that cannot be filled leaves the old one, and nothing else.
func TestSecretsAndFailedFiles(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, WriteSecret(secret, []byte("x")))
	info, err := os.Stat(secret)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	full := errors.New("no space left")
	err = Create(secret, func(f *os.File) error {
		_, _ = f.WriteString("half of it")
		return full
	})
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "write "+secret)
	require.Error(t, Create(secret, func(f *os.File) error { return f.Close() }))
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "x", string(text))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.NoError(t, Create(secret, func(f *os.File) error { _, err := f.WriteString("new"); return err }))
	require.ErrorContains(t, WriteFile(filepath.Join(dir, "nowhere", "file"), nil), "nowhere")
	require.Error(t, WriteFile(dir, nil), "a folder is in its place")
}
