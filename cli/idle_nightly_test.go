//go:build nightly

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/archive"
)

// A process that judges games while cores are idle leaves what it has found, and another one lets it work. It has the
// lowest priority, so that on a busy machine it takes long.
func TestReviewWhileIdle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.CopyFS(dir, os.DirFS(trained(t))))
	review := func() (string, error) {
		out, err := exec.Command(os.Args[0], "archive", "review", "--run", dir, "--purpose", "arena", "--limit", "3",
			"--unjudged", "3", "--idle").CombinedOutput()
		return string(out), err
	}
	lock, err := archive.Judge(dir)
	require.NoError(t, err)
	said, err := review()
	require.Error(t, err)
	require.Contains(t, said, "judge")
	require.NoError(t, lock.Close())
	said, err = review()
	require.NoError(t, err, said)
	require.Len(t, lines(said), 3)
}
