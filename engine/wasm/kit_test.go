package wasm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
)

// compiler is the version that has made the files of the repository.
const compiler = "14.0.6"

// The files of the repository are what the sources in C make, byte for byte.
func TestFilesAreThoseOfTheSources(t *testing.T) {
	for _, program := range []string{"clang", "wasm-ld", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not there: the games in C are not built again (Debian: apt-get install clang lld)", program)
		}
	}
	version, err := exec.Command("clang", "--version").Output()
	require.NoError(t, err)
	folders := []string{kit}
	if nightly.On {
		folders = append(folders, "testdata/hostile")
	}
	for _, folder := range folders {
		requireFilesOf(t, folder, string(version), compiler)
	}
}

// requireFilesOf builds what a folder's build.sh does and requires the files that the repository has there, byte for
// byte, if the compiler's version has that of those files in it.
func requireFilesOf(t *testing.T, folder, version, made string, env ...string) {
	t.Helper()
	out := t.TempDir()
	build := exec.Command("sh", filepath.Join(folder, "build.sh"))
	build.Env = append(append(os.Environ(), "OUT="+out), env...)
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	files, err := filepath.Glob(filepath.Join(folder, "*.wasm"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		now, err := os.ReadFile(filepath.Join(out, filepath.Base(path)))
		require.NoError(t, err)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.Contains(version, made) {
			t.Logf("%s: not compared, since the compiler is not %s", path, made)
			continue
		}
		require.Equal(t, kept, now, path)
	}
}
