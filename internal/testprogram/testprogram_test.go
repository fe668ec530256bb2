package testprogram

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// hello is a variant that is built in no time. Names are different for each test, as a process keeps what it has built.
func hello(name string) Variant {
	return Variant{Name: name, Args: []string{"-ldflags", "-s -w"}, Of: "croupier/internal/testprogram/testdata/hello"}
}

func runs(t *testing.T, path string) {
	t.Helper()
	out, err := testproc.Output(exec.Command(path))
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(out))
}

// What lies in the folder that the list of tests names is taken; what does not is built into it.
func TestPackagesShareAFolder(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(Folder, folder)
	path := hello("missing").Path(t)
	require.Equal(t, filepath.Join(folder, "missing"), path)
	runs(t, path)

	given := filepath.Join(folder, "given")
	require.NoError(t, os.WriteFile(given, nil, 0o755))
	require.Equal(t, given, hello("given").Path(t))
	info, err := os.Stat(given)
	require.NoError(t, err)
	require.Zero(t, info.Size(), "it is built again")
}

// Without a folder of the list, who asks at the same time gets one file, and it stays when it is built again.
func TestPathStaysWhenItIsBuiltAgain(t *testing.T) {
	t.Setenv(Folder, "") // which brings it back after the test
	require.NoError(t, os.Unsetenv(Folder))
	v := hello("hello")
	paths := make([]string, 8)
	var all sync.WaitGroup
	for i := range paths {
		all.Go(func() {
			var err error
			if paths[i], err = v.build(); err != nil {
				paths[i] = err.Error()
			}
		})
	}
	all.Wait()
	for _, path := range paths {
		require.Equal(t, paths[0], path)
	}
	runs(t, paths[0])
	first, err := os.Stat(paths[0])
	require.NoError(t, err)

	v.Args = nil // in a change of the source the same happens
	second, err := v.build()
	require.NoError(t, err)
	require.NotEqual(t, paths[0], second)
	runs(t, second)
	runs(t, paths[0])
	kept, err := os.Stat(paths[0])
	require.NoError(t, err)
	require.True(t, os.SameFile(first, kept))
}

// The words of the go tool are in the error.
func TestWhatIsWrongIsSaid(t *testing.T) {
	t.Setenv(Folder, t.TempDir())
	_, err := Variant{Name: "none", Of: "croupier/internal/testprogram/nothing"}.Build()
	require.ErrorContains(t, err, "go build of the program none: exit status 1\n")
	require.ErrorContains(t, err, "croupier/internal/testprogram/nothing")
}
