// Package rundirtest makes run directories for tests.
package rundirtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
)

// Create makes the directory of a run that no process works at, and of which nothing but run.json is there.
func Create(t testing.TB, path string, info rundir.Info) {
	t.Helper()
	claim, err := rundir.Take(path)
	require.NoError(t, err)
	require.NoError(t, claim.Create(info, nil, nil))
	require.NoError(t, os.Remove(filepath.Join(path, rundir.ConfigFile)))
	require.NoError(t, os.Remove(filepath.Join(path, rundir.ConfigCopy)))
}
