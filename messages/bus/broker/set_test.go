package broker

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// A key whose secret cannot be written is no key of the set: its name can be used for the next try.
func TestAKeyWithoutItsSecretIsNone(t *testing.T) {
	s, err := CreateSet(filepath.Join(t.TempDir(), "set"), "evening", "actor-1")
	require.NoError(t, err)
	before, err := os.ReadFile(filepath.Join(s.Dir, PublicFile))
	require.NoError(t, err)
	requireUnchanged := func() {
		t.Helper()
		now, err := os.ReadFile(filepath.Join(s.Dir, PublicFile))
		require.NoError(t, err)
		require.Equal(t, string(before), string(now))
	}
	require.NoError(t, os.Mkdir(s.Seed("actor-2"), 0o700)) // what cannot be replaced by a file
	require.Error(t, s.Add("actor-2", messages.ActorRole))
	requireUnchanged()
	require.NoError(t, os.Remove(s.Seed("actor-2")))
	require.NoError(t, s.Add("actor-2", messages.ActorRole))

	before, err = os.ReadFile(filepath.Join(s.Dir, PublicFile))
	require.NoError(t, err)
	require.NoError(t, os.Remove(s.Seed("actor-1")))
	require.NoError(t, os.Mkdir(s.Seed("actor-1"), 0o700))
	require.Error(t, s.Rotate("actor-1"))
	requireUnchanged()
}

// A set that cannot be made leaves nothing of itself, and nothing else goes.
func TestASetThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, messages.LeagueRole+SeedSuffix)
	require.NoError(t, os.Mkdir(blocked, 0o700))
	_, err := CreateSet(dir, "evening")
	require.Error(t, err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.DirExists(t, blocked)
	require.NoError(t, os.Remove(blocked))
	_, err = CreateSet(dir, "evening")
	require.NoError(t, err)
}

// A flipped bit of a set's public file gives no key another role, and no key that nobody has made.
func TestAFlippedBitOfASetGivesNobodyMore(t *testing.T) {
	s, err := CreateSet(filepath.Join(t.TempDir(), "set"), "evening", "actor-1")
	require.NoError(t, err)
	doc, err := ReadPublic(filepath.Join(s.Dir, PublicFile))
	require.NoError(t, err)
	roles := map[string]string{}
	for _, k := range s.Keys.Keys {
		roles[k.Public] = k.Role
	}
	read := 0
	for i := range doc {
		for bit := range 8 {
			damaged := bytes.Clone(doc)
			damaged[i] ^= 1 << bit
			keys, err := ParseKeys(damaged)
			if err != nil {
				continue
			}
			read++
			for _, k := range keys.Keys {
				require.Contains(t, roles, k.Public, "byte %d, bit %d", i, bit)
				require.Equal(t, roles[k.Public], k.Role, "byte %d, bit %d", i, bit)
				require.Empty(t, k.Previous)
			}
		}
	}
	require.Positive(t, read, "comments and names can be others")
}
