package web

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the page's scripts compute without a page (formats, scales, summaries, the ways through a replay) is tested by
// Node's own runner, in tests/js.
func TestScriptsInNode(t *testing.T) {
	t.Parallel()
	const oldest = 20
	version, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if err != nil {
		t.Skip("there is no Node on this machine: the page's scripts are not tested by themselves")
	}
	found := regexp.MustCompile(`^v(\d+)\.`).FindSubmatch(version)
	require.NotNil(t, found, "%s", version)
	if major, err := strconv.Atoi(string(found[1])); err != nil || major < oldest {
		t.Skipf("Node is %s here, older than %d: the page's scripts are not tested by themselves", version, oldest)
	}
	said, err := exec.CommandContext(t.Context(), "node", filepath.Join("..", "tests", "js", "run.mjs")).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Regexp(t, `pass [1-9]`, string(said), "tests were run")
}
