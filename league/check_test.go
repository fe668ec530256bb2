package league

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/check/checktest"
)

// Each byte of what a league keeps counts: journal, both snapshots, promotions, ladder.
func TestDamagedFilesOfALeagueAreFound(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.startActor()
		stop := c.start(c.options())
		for range 2 {
			c.learn()
			time.Sleep(30 * time.Second)
		}
		time.Sleep(5 * time.Minute) // the arena comes to rest
		require.NoError(t, stop())
		files := checktest.Of(t, c.dir)
		parts := []check.Part{StatePart, PromotionsPart, LadderPart}
		for _, name := range []string{journalName, snapshotName, snapshotCopy, promotionsName, LadderFile} {
			require.NotEmpty(t, files[name], name)
		}
		for _, part := range parts {
			require.Empty(t, checktest.Found(t, part, files))
			require.Empty(t, checktest.Found(t, part, checktest.Files{}), "a young run has none of it")
			for name, data := range files {
				if !part.Has(name) {
					continue
				}
				for i := 0; i < len(data); i += max(1, len(data)/20) {
					damaged := bytes.Clone(data)
					damaged[i] ^= 1 << (i % 8)
					require.NotEmpty(t, checktest.Found(t, part, files.With(name, damaged)), "%s, byte %d", name, i)
				}
				require.NotEmpty(t, checktest.Found(t, part, files.With(name, nil)), name)
			}
		}
	})
}
