package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// inGit runs git in a folder.
func inGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	call := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@localhost"}, args...)...)
	call.Dir = dir
	out, err := testproc.CombinedOutput(call)
	require.NoError(t, err, "git %s: %s", args, out)
}

// A release has the version that its commit is tagged with, and no other can be asked for.
func TestVersionIsTheTag(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, script := range []string{"version.sh", "release.sh"} {
		content, err := os.ReadFile("../deploy/" + script)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "deploy"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "deploy", script), content, 0o755))
	}
	changelog := filepath.Join(dir, "CHANGELOG.md")
	require.NoError(t, os.WriteFile(changelog, []byte("## [Unreleased]\n\n## [0.2.0] - 2027-01-31\n"), 0o644))
	inGit(t, dir, "init", "--quiet")
	inGit(t, dir, "add", ".")
	inGit(t, dir, "commit", "--quiet", "--message=All")

	named := func(args ...string) string {
		out, err := testproc.Output(exec.Command(filepath.Join(dir, "deploy/version.sh"), args...))
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	refused := func(version string) string {
		release := exec.Command(filepath.Join(dir, "deploy/release.sh"), "build")
		release.Env = append(os.Environ(), "VERSION="+version)
		out, err := testproc.CombinedOutput(release)
		require.Error(t, err, "%s", out)
		require.NoDirExists(t, filepath.Join(dir, "dist"))
		return string(out)
	}

	require.Equal(t, "devel", named())
	require.Contains(t, refused("0.2.0"), "this is not 0.2.0: the commit that is checked out has no tag of a release")
	for _, tag := range []string{"other", "v1", "v01.0.0", "v0.3.0-beta", "0.4.0"} {
		inGit(t, dir, "tag", tag)
		require.Equal(t, "devel", named(), tag)
	}
	for _, tag := range []string{"v0.1.0", "v0.2.0-rc.9", "v0.2.0-rc.10", "v0.2.0"} {
		inGit(t, dir, "tag", tag)
		require.Equal(t, tag[1:], named(), "the newest counts")
		require.Equal(t, tag[1:], named(tag[1:]))
	}
	require.Contains(t, refused("0.1.0"), "this is not 0.1.0: the commit that is checked out has v0.2.0, not v0.1.0")

	// What is not in the changelog is not released, and what is changed is not the release.
	inGit(t, dir, "tag", "v0.2.1")
	require.Contains(t, refused("0.2.1"), "CHANGELOG.md has no section of 0.2.1")
	require.NoError(t, os.WriteFile(changelog, nil, 0o644))
	require.Equal(t, "devel", named())
	require.Contains(t, refused("0.2.1"), "commit them first")
}
