package actor

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOldJournalsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, sweepJournals(dir), "no folder yet")
	const surplus = 5
	now := time.Now()
	for i := range keptJournals + surplus {
		j, err := openJournal(dir, fmt.Sprintf("actor-0-%d", i))
		require.NoError(t, err)
		require.NoError(t, j.close(true))
		age := time.Duration(i) * time.Minute // the first is the newest
		require.NoError(t, os.Chtimes(j.file.Name(), now.Add(-age), now.Add(-age)))
	}
	other := filepath.Join(dir, journalFolder, "notes.txt")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	require.NoError(t, sweepJournals(dir))
	files, err := filepath.Glob(filepath.Join(dir, journalFolder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, keptJournals)
	require.FileExists(t, filepath.Join(dir, journalFolder, "actor-0-0.json"))
	require.NoFileExists(t, filepath.Join(dir, journalFolder, fmt.Sprintf("actor-0-%d.json", keptJournals)))
	require.FileExists(t, other)
}
