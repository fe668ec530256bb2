package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSolutionsFolder(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	for value, folder := range map[string]string{
		"": filepath.Join(cache, "croupier", "solutions"), "off": "", "/var/tmp/solved": "/var/tmp/solved",
	} {
		t.Setenv(solutionsVariable, value)
		require.Equal(t, folder, solutionsFolder())
	}
}
