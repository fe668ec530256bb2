package durable

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A draft that is undone takes away what it has made, and nothing that was there or that others have made.
func TestUndoneDraftsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	require.NoError(t, os.WriteFile(at("there"), []byte("before"), 0o600))
	var d Draft
	require.NoError(t, d.MkdirAll(at("a", "b"), 0o777))
	require.NoError(t, d.WriteFile(at("a", "b", "file"), []byte("x")))
	require.NoError(t, d.WriteFile(at("there"), []byte("after")))
	require.FileExists(t, at("a", "b", "file"))
	d.Undo()
	require.NoDirExists(t, at("a"))
	require.FileExists(t, at("there"))

	require.NoError(t, d.MkdirAll(at("c", "d"), 0o777))
	require.NoError(t, os.WriteFile(at("c", "other"), nil, 0o600))
	d.Undo()
	require.NoDirExists(t, at("c", "d"))
	require.FileExists(t, at("c", "other"), "somebody else's")
}
