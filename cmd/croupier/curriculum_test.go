package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfigShowsTheCurriculum(t *testing.T) {
	status, stdout, stderr := croupier("", "config", "tysiac")
	require.Equal(t, 0, status, stderr)
	require.Contains(t, stdout, "\ncurriculum:\n  - until: ")
	require.Contains(t, stdout, "    game: tysiac-hand\n    rules: {bombing: {enabled: false}}\n")
	file := filepath.Join(t.TempDir(), "tysiac.yaml")
	require.NoError(t, os.WriteFile(file, []byte(stdout), 0o600))
	status, again, stderr := croupier("", "config", "tysiac", "--config", file)
	require.Equal(t, 0, status, stderr)
	require.Equal(t, stdout, again)
	status, none, stderr := croupier("", "config", "tysiac", "--config", file, "--set", "curriculum=[]")
	require.Equal(t, 0, status, stderr)
	require.True(t, strings.Contains(none, "\ncurriculum: []\n"), none)
}
