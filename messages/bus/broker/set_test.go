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

// A flipped bit of a set's public file gives no key another role, and none to a key that was never made.
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

// What is wrong in a set's public file is named with its line and, where something is near, with what was meant.
func TestMistakesInASetAreNamed(t *testing.T) {
	s, err := CreateSet(filepath.Join(t.TempDir(), "set"), "evening", "actor-1", "actor-2")
	require.NoError(t, err)
	require.NoError(t, s.Rotate("actor-2"))
	doc, err := ReadPublic(filepath.Join(s.Dir, PublicFile))
	require.NoError(t, err)
	_, err = ParseKeys(doc)
	require.NoError(t, err)
	operator, previous := s.Keys.Keys[0].Public, s.Keys.Keys[5].Previous
	for _, c := range []struct{ old, with, message string }{
		{"run: evening", "runn: evening", "line 2: runn: unknown key (did you mean run?); the keys are run, keys"},
		{"run: evening", "run: an evening", `line 2: run: name "an evening"`},
		{"role: league", "role: leauge", `line 11: keys[2].role: "leauge" is none of learner, peer, league, web, actor, ` +
			"arena, sweep, sweeper, contributor, leaf, operator (did you mean league?)"},
		{"name: actor-2", "name: actor-1", "line 19: keys[5].name: actor-1 appears twice"},
		{"name: actor-2", "nmae: actor-2", "line 19: keys[5].nmae: unknown key (did you mean name?)"},
		{"key: " + operator, "key: U", `line 6: keys[0].key: "U" is not the public nkey of a user`},
		{previous, operator, "line 22: keys[5].previous: " + operator + " appears twice"},
	} {
		_, err := ParseKeys(bytes.Replace(doc, []byte(c.old), []byte(c.with), 1))
		require.ErrorContains(t, err, c.message)
	}
}
