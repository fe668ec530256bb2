package league

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSnapshotThatDoesNotFit(t *testing.T) {
	w := playedWorld(t, 4)
	document, err := w.core.encodeSnapshot()
	require.NoError(t, err)
	again, err := w.core.encodeSnapshot()
	require.NoError(t, err)
	require.Equal(t, document, again)

	restore := func(c *core, document []byte) error { _, err := c.restoreFrom(document); return err }
	require.NoError(t, restore(newTestCore(testConfig(), 3, false), document))

	flipped := bytes.Replace(document, []byte(`"sequence":10,`), []byte(`"sequence":11,`), 1)
	require.NotEqual(t, document, flipped)
	require.ErrorContains(t, restore(newTestCore(testConfig(), 3, false), flipped), "checksum")
	require.Error(t, restore(newTestCore(testConfig(), 3, false), document[:len(document)/2]))

	c := newTestCore(testConfig(), 3, false)
	c.Run = "elsewhere"
	require.ErrorContains(t, restore(c, document), "elsewhere")
	require.Empty(t, c.Pairs)
}
