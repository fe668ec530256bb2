package curves

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// An event file that cannot be begun, as on a full disk, leaves neither itself nor its folder.
func TestEventsThatCannotBeWrittenLeaveNothing(t *testing.T) {
	fd, err := unix.MemfdCreate("full", unix.MFD_ALLOW_SEALING)
	require.NoError(t, err)
	full := os.NewFile(uintptr(fd), "full")
	defer full.Close()
	_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_GROW)
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "runs", "events")
	_, err = openEvents(folder, func(path string) (*os.File, error) {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		return full, nil
	})
	require.ErrorContains(t, err, "write full: ")
	require.NoDirExists(t, filepath.Dir(folder))
}
