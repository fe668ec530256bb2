// Package rundirtest makes run directories for tests.
package rundirtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
)

// Create makes the directory of a run that nobody works at.
func Create(t testing.TB, path string, info rundir.Info) {
	t.Helper()
	claim, err := rundir.Take(path)
	require.NoError(t, err)
	require.NoError(t, claim.Create(info))
}
