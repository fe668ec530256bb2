package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfigShowsTheCurriculum(t *testing.T) {
	for game, stage := range map[string]string{
		"tysiac":      "    game: tysiac-hand\n",
		"tysiac-hand": "    game: tysiac-hand\n    rules: {bombing: {enabled: false}}\n",
	} {
		status, stdout, stderr := croupier("", "config", game)
		require.Equal(t, 0, status, stderr)
		require.Contains(t, stdout, "\ncurriculum:\n  - until: ")
		require.Contains(t, stdout, stage)
		file := filepath.Join(t.TempDir(), "settings.yaml")
		require.NoError(t, os.WriteFile(file, []byte(stdout), 0o600))
		status, again, stderr := croupier("", "config", game, "--config", file)
		require.Equal(t, 0, status, stderr)
		require.Equal(t, stdout, again)
		status, none, stderr := croupier("", "config", game, "--config", file, "--set", "curriculum=[]")
		require.Equal(t, 0, status, stderr)
		require.True(t, strings.Contains(none, "\ncurriculum: []\n"), none)
	}
}
