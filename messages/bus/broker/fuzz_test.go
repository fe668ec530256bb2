package broker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A public file that is understood is written as the same keys, and each of them gets an account of its own.
func FuzzKeys(f *testing.F) {
	dir := f.TempDir()
	s, err := CreateSet(dir, "run")
	require.NoError(f, err)
	require.NoError(f, s.Add("anna", ContributorRole))
	require.NoError(f, s.Rotate("anna"))
	doc, err := ReadPublic(filepath.Join(dir, PublicFile))
	require.NoError(f, err)
	f.Add(doc)
	f.Add([]byte("run: run\nkeys: []\n"))
	f.Add([]byte("run: r\nkeys: [{name: a, role: actor, key: UAAA}, {name: a, role: leaf, key: ''}]\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		k, err := ParseKeys(doc)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		dir := t.TempDir()
		require.NoError(t, (&Set{Dir: dir, Keys: *k}).save())
		again, err := OpenSet(dir)
		require.NoError(t, err)
		require.Equal(t, k.Run, again.Run)
		require.Equal(t, len(k.Keys), len(again.Keys.Keys))
		accounts := map[string]bool{}
		for i, key := range k.Keys {
			require.Equal(t, key, again.Keys.Keys[i])
			require.False(t, accounts[k.account(key)])
			accounts[k.account(key)] = true
		}
		// A set that was read can be changed.
		before := len(k.Keys)
		require.NoError(t, again.Add("one-more-that-nobody-has-yet", OperatorRole))
		require.Len(t, again.Keys.Keys, before+1)
		_, err = os.Stat(again.Seed("one-more-that-nobody-has-yet"))
		require.NoError(t, err)
	})
}

// A request that a leaf answers itself asks for one piece of one object, and for nothing else.
func FuzzPieceRequests(f *testing.F) {
	c := &cache{stream: "OBJ_run"}
	f.Add([]byte(`{"seq":7,"next_by_subj":"$O.run.C.0011"}`))
	f.Add([]byte(`{"seq":1,"next_by_subj":"$O.run.C.>"}`))
	f.Add([]byte(`{"seq":1,"SEQ":2,"next_by_subj":"$O.run.C.a"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		key, ok := c.parse(data)
		if !ok {
			return
		}
		require.NotZero(t, key.Sequence)
		request, err := json.Marshal(key)
		require.NoError(t, err)
		again, ok := c.parse(request)
		require.True(t, ok)
		require.Equal(t, key, again)
	})
}
