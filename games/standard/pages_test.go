package standard

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages of games are pages of runs, of which a server may have several: their scripts ask below the run's root.
func TestPagesAskBelowTheRootOfTheRun(t *testing.T) {
	asked := 0
	for _, g := range Games.Games() {
		for _, p := range g.Pages {
			scripts, err := fs.Glob(p.Assets, "*.js")
			require.NoError(t, err)
			for _, name := range scripts {
				text, err := fs.ReadFile(p.Assets, name)
				require.NoError(t, err)
				whole := strings.ReplaceAll(string(text), `rooted("/api/`, "")
				require.NotContains(t, whole, "/api/", "%s of the page %s", name, p.Title)
				asked += len(text) - len(whole)
			}
		}
	}
	require.Positive(t, asked)
}
