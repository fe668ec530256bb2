package backup

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"croupier/games/standard"
)

// Where the backup cannot be written, as on a full disk, that is the error, and the run has no fault.
func TestABackupThatCannotBeWrittenIsNoFaultOfTheRun(t *testing.T) {
	fd, err := unix.MemfdCreate("full", unix.MFD_ALLOW_SEALING)
	require.NoError(t, err)
	full := os.NewFile(uintptr(fd), "full")
	defer full.Close()
	_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_GROW)
	require.NoError(t, err)
	_, err = fill(t.Context(), standard.Games, directory(small(t)), full)
	require.ErrorContains(t, err, "write full: ")
	var damaged *DamagedError
	require.NotErrorAs(t, err, &damaged)
}
