package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// moduleOf returns the folder of a new module with these files.
func moduleOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// Errors are found in the files of the platform alone, in tests and in bodies of functions. The program that go test
// writes has none.
func TestErrorsOfThePlatformAreFound(t *testing.T) {
	root := moduleOf(t, map[string]string{
		"go.mod":                 "module example.org/one\n\ngo 1.26\n",
		"one.go":                 "package one\n\nfunc Both() int { return system() }\n",
		"one_linux.go":           "package one\n\nfunc system() int { return 1 }\n",
		"one_windows.go":         "package one\n\nfunc system() int { return \"one\" }\n",
		"two/two.go":             "package two\n\nimport \"example.org/one\"\n\nvar Two = 1 + one.Both()\n",
		"two/two_test.go":        "package two\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) { t.Log(Two) }\n",
		"two/x_windows_test.go":  "package two_test\n\nfunc init() { missing() }\n",
		"two/other_darwin.go":    "package two\n\nvar other string = 1\n",
		"two/testdata/broken.go": "no Go\n",
	})
	for platform, want := range map[string][]string{
		"windows/amd64": {"one_windows.go:3:28", "x_windows_test.go:3:15"},
		"darwin/arm64":  {"one.go:3:26", "other_darwin.go:3:20"},
	} {
		found, err := check(root, platform, []string{"./..."})
		require.NoError(t, err, platform)
		require.Len(t, found, len(want), "%s: %v", platform, found)
		for i, place := range want {
			require.Contains(t, found[i], place, platform)
		}
	}
}

func TestWrongPlatforms(t *testing.T) {
	root := moduleOf(t, map[string]string{"go.mod": "module example.org/one\n\ngo 1.26\n", "one.go": "package one\n"})
	_, err := check(root, "windows", []string{"./..."})
	require.ErrorContains(t, err, `"windows" names no system and processor`)
	_, err = check(root, "none/amd64", []string{"./..."})
	require.Error(t, err)
	found, err := check(root, "linux/amd64", []string{"./missing"})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Contains(t, found[0], "missing")
}
