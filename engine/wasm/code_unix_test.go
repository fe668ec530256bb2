//go:build unix

package wasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"croupier/internal/platform"
	"croupier/internal/testproc"
)

// small is the environment variable with which the test runs itself, in a process that may not write large files.
const small = "TEST_SMALL_FILES"

// A disk that is full, or a limit on the size of files, keeps no code and hinders no game.
func TestNoRoomForCode(t *testing.T) {
	if folder := os.Getenv(small); folder != "" {
		platform.SurviveFileLimit()
		var was unix.Rlimit
		require.NoError(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &was))
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 512, Max: was.Max}))
		requireCompiled(t, folder)
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &was)) // a test with coverage writes its counters at its end
		return
	}
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o700))
	command := exec.Command(os.Args[0], "-test.run=^TestNoRoomForCode$")
	command.Env = append(os.Environ(), small+"="+folder)
	out, err := testproc.Output(command)
	require.NoError(t, err, string(out))
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "*"))
	require.NoError(t, err)
	require.Empty(t, files)
	requireCompiled(t, folder)
	codeFile(t, folder)
}

// Code that somebody else could have put there is neither read nor written.
func TestCodeOfOthersIsNotTrusted(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, folder string){
		"all can write":           func(t *testing.T, folder string) { require.NoError(t, os.Chmod(folder, 0o777)) },
		"a group can write":       func(t *testing.T, folder string) { require.NoError(t, os.Chmod(folder, 0o770)) },
		"all can write the place": func(t *testing.T, folder string) { require.NoError(t, os.Chmod(filepath.Dir(folder), 0o777)) },
		"somebody else's": func(t *testing.T, folder string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give folders away")
			}
			require.NoError(t, os.Chown(folder, 12345, 12345))
		},
		"somebody else's place": func(t *testing.T, folder string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give folders away")
			}
			require.NoError(t, os.Chown(filepath.Dir(folder), 12345, 12345))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "cache", "code")
			require.NoError(t, os.MkdirAll(folder, 0o700))
			requireCompiled(t, folder)
			path := codeFile(t, folder)
			require.NoError(t, os.WriteFile(path, []byte("not code"), 0o600))
			change(t, folder)
			requireCompiled(t, folder)
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, string(left) == "not code", "it was written again")
		})
	}
}
