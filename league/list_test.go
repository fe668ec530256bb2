package league

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
)

// Lists that no league has written are refused by their size, before any of them is read.
func TestHugeLists(t *testing.T) {
	dir := t.TempDir()
	huge := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		doc, err := readList(dir, name)
		require.NoError(t, err)
		require.Empty(t, doc)
		require.NoError(t, os.Truncate(path, 8<<30))
		return path
	}
	for _, name := range []string{rundir.MembersFile, promotionsName} {
		path := huge(name)
		_, err := readList(dir, name)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, "limit of 268435456")
	}
	path := huge(journalName)
	_, _, _, err := openJournal(dir)
	require.ErrorContains(t, err, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 8<<30, info.Size(), "nothing is lost of it")
	_, err = readList(dir, "nothing")
	require.NoError(t, err)
}
