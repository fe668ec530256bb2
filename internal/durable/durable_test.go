package durable

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		f, err := temporaryFile(filepath.Join(folder, base), 0o600)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return f.Name()
	}
	ours, others := left("000000000012.safetensors"), left("ladder.json")
	stay := []string{others}
	for _, name := range []string{"000000000012.safetensors", ".notes.12.tmp", ".x.safetensors.tmp",
		"x.safetensors.1.tmp"} {
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

// What is written under a link replaces the file that the link leads to, also through several and to a file that is
// not there yet.
func TestLinksStay(t *testing.T) {
	real, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(real, "old"), []byte("old"), 0o600))
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.Symlink(real, folder))
	for _, link := range [][2]string{
		{"absolute", filepath.Join(real, "old")}, {"relative", "folder/old"}, {"two", "relative"}, {"dangling", "folder/new"},
		{"around", "folder/../" + filepath.Base(real) + "/new"},
	} {
		link, to := link[0], link[1]
		path := filepath.Join(dir, link)
		require.NoError(t, os.Symlink(to, path))
		for _, write := range []func(string, []byte) error{WriteFile, WriteSecret} {
			require.NoError(t, write(path, []byte(link)), link)
			got, err := os.Readlink(path)
			require.NoError(t, err, link)
			require.Equal(t, to, got)
			text, err := os.ReadFile(path)
			require.NoError(t, err, link)
			require.Equal(t, link, string(text))
		}
	}
	require.FileExists(t, filepath.Join(real, "new"))
	entries, err := os.ReadDir(real)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no temporary file stays behind")
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	require.ErrorContains(t, WriteFile(loop, nil), "more than 40 links")
	require.ErrorContains(t, WriteFile(folder+"/", nil), "it is not the name of a file")
}

// Devices, pipes, sockets and files that somebody has open stay what they are.
func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the files are those of Linux")
	}
	dir := t.TempDir()
	pipe, socket, open := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket"), filepath.Join(dir, "open")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	file, err := os.Create(open)
	require.NoError(t, err)
	defer file.Close()
	null := filepath.Join(dir, "null")
	require.NoError(t, os.Symlink(os.DevNull, null))
	for path, problem := range map[string]string{
		pipe: "it is not a regular file but a pipe", socket: "it is not a regular file but a socket",
		null:                                 "it is not a regular file but a device",
		fmt.Sprintf("/dev/fd/%d", file.Fd()): "it is a file that a process has open",
	} {
		target, err := Find(path)
		require.NoError(t, err)
		require.True(t, target.Stream(), path)
		before, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualError(t, WriteFile(path, []byte("x")), "write "+path+": "+problem)
		after, err := os.Stat(path)
		require.NoError(t, err)
		require.True(t, os.SameFile(before, after), path)
	}
	for _, path := range []string{open, dir, filepath.Join(dir, "none")} {
		target, err := Find(path)
		require.NoError(t, err)
		require.False(t, target.Stream(), path)
	}
}

// A file that is replaced keeps its mode, a new one has what the umask leaves, and a secret is for one user alone.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such modes")
	}
	dir := t.TempDir()
	mode := func(name string) os.FileMode {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	plain, err := os.OpenFile(filepath.Join(dir, "plain"), os.O_CREATE, 0o666) // the umask of the user that runs the test
	require.NoError(t, err)
	require.NoError(t, plain.Close())
	require.NoError(t, WriteFile(filepath.Join(dir, "new"), nil))
	require.Equal(t, mode("plain"), mode("new"))
	for _, m := range []os.FileMode{0o600, 0o640, 0o664, 0o755} {
		path := filepath.Join(dir, "old")
		require.NoError(t, WriteFile(path, nil))
		require.NoError(t, os.Chmod(path, m))
		require.NoError(t, Create(path, func(f *os.File) error {
			info, err := f.Stat()
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "nobody else reads it before it is complete")
			return err
		}))
		require.Equal(t, m, mode("old"))
		require.NoError(t, WriteSecret(path, nil))
		require.Equal(t, os.FileMode(0o600), mode("old"))
	}
}
