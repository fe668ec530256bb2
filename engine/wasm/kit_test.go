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
		out := t.TempDir()
		build := exec.Command("sh", filepath.Join(folder, "build.sh"))
		build.Env = append(os.Environ(), "OUT="+out)
		text, err := build.CombinedOutput()
		require.NoError(t, err, "%s", text)
		kept, err := filepath.Glob(filepath.Join(folder, "*.wasm"))
		require.NoError(t, err)
		require.NotEmpty(t, kept)
		for _, path := range kept {
			requireBuilt(t, path, filepath.Join(out, filepath.Base(path)), string(version))
		}
	}
}

func requireBuilt(t *testing.T, kept, built, version string) {
	t.Helper()
	now, err := os.ReadFile(built)
	require.NoError(t, err)
	before, err := os.ReadFile(kept)
	require.NoError(t, err)
	if !strings.Contains(version, compiler) {
		t.Logf("%s: not compared, since clang is not %s", kept, compiler)
		return
	}
	require.Equal(t, before, now, kept)
}
