//go:build nightly || long

package tests

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// released builds the program with deploy/build.sh for a platform and returns its file.
func released(t *testing.T, repository, platform string, env ...string) string {
	t.Helper()
	system, architecture, _ := strings.Cut(platform, "/")
	out := filepath.Join(t.TempDir(), "croupier")
	build := exec.Command(filepath.Join(repository, "deploy/build.sh"), out)
	build.Env = append(append(os.Environ(), "GOOS="+system, "GOARCH="+architecture), env...)
	said, err := testproc.CombinedOutput(build)
	require.NoError(t, err, "%s", said)
	return out
}

// commit returns the commit that is checked out in a working copy, as a release names it.
func commit(t *testing.T, dir string) string {
	t.Helper()
	out, err := testproc.Output(exec.Command("git", "-C", dir, "rev-parse", "HEAD"))
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// copied returns another working copy of the commit that is checked out in one.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "elsewhere")
	out, err := testproc.CombinedOutput(exec.Command("git", "clone", "--quiet", "--no-hardlinks", from, dir))
	require.NoError(t, err, "%s", out)
	return dir
}

// What is released is static, says what it was built from, and is the same wherever it is built: in another folder,
// with other settings of Go.
func TestReleaseIsReproducible(t *testing.T) {
	one := copied(t, "..")
	two, at := copied(t, one), commit(t, one)
	for _, dir := range []string{one, two} {
		inGit(t, dir, "tag", "v0.98.7") // newer than a tag that the commit may have
	}
	first := released(t, one, "linux/amd64")
	second := released(t, two, "linux/amd64", "GOFLAGS=-buildvcs=true", "CGO_ENABLED=1", "GOAMD64=v3")
	require.Equal(t, sum(t, first), sum(t, second))

	file, err := elf.Open(first)
	require.NoError(t, err)
	defer file.Close()
	for _, segment := range file.Progs {
		require.NotEqual(t, elf.PT_INTERP, segment.Type, "it is not static")
	}
	out, err := testproc.Output(exec.Command(first, "--version"))
	require.NoError(t, err)
	require.Regexp(t, `^croupier 0\.98\.7 \(commit `+at+`, \d{4}-\d\d-\d\d, go1\.\S+, linux/amd64, kernels [\w+]+\)\n$`,
		string(out))
	content, err := os.ReadFile(first)
	require.NoError(t, err)
	require.NotContains(t, string(content), one, "it names the folder it was built in")

	// A change that is not committed is not passed off as the commit, nor as the release.
	require.NoError(t, os.WriteFile(filepath.Join(two, "README.md"), nil, 0o644))
	out, err = testproc.Output(exec.Command(released(t, two, "linux/amd64"), "--version"))
	require.NoError(t, err)
	require.Contains(t, string(out), "croupier devel (commit "+at+"-dirty, ")
	out, err = testproc.CombinedOutput(exec.Command(filepath.Join(two, "deploy/release.sh"), "build"))
	require.Error(t, err)
	require.Contains(t, string(out), "commit them first")
}

// sum returns the SHA-256 of a file in hexadecimal digits.
func sum(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(content))
}
