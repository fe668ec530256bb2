package actor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// A flipped bit is reported; an empty journal or one of an older program is not.
func TestDamagedJournalsAreNamed(t *testing.T) {
	dir := t.TempDir()
	require.Empty(t, damagedJournals(dir), "no folder yet")
	for _, name := range []string{"whole-0-0", "flipped-0-0", "empty-0-0", "old-0-0"} {
		j, err := openJournal(dir, name)
		require.NoError(t, err)
		if name != "empty-0-0" {
			require.NoError(t, j.write(7, 1))
			require.NoError(t, j.close(true))
		}
	}
	require.Empty(t, damagedJournals(dir))
	path := func(name string) string { return filepath.Join(dir, journalFolder, name) }
	require.NoError(t, os.WriteFile(path("old-0-0.json"), []byte(`{"actor":"old-0-0","episodes":7,"batches":1}`), 0o600))
	require.Empty(t, damagedJournals(dir), "version 0.1 wrote no checksum")
	text, err := os.ReadFile(path("flipped-0-0.json"))
	require.NoError(t, err)
	for i := range text[:len(text)-1] {
		for bit := range 8 {
			flipped := slices.Clone(text)
			flipped[i] ^= 1 << bit
			require.NoError(t, os.WriteFile(path("flipped-0-0.json"), flipped, 0o600))
			require.False(t, intactJournal(path("flipped-0-0.json")), "bit %d of byte %d", bit, i)
		}
	}
	require.Equal(t, []string{"actors/flipped-0-0.json"}, damagedJournals(dir))
}
