package platform

import (
	"io"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command ends with all that it has started, and takes no more memory than it may.
func TestCommandsAreBounded(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo begun; wait")
	EndTogether(cmd)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	begun := make([]byte, 6)
	_, err = io.ReadFull(out, begun)
	require.NoError(t, err)
	require.NoError(t, LimitMemory(cmd.Process.Pid, 1<<30))
	KillTogether(cmd)
	_, err = io.ReadAll(out) // which sleep holds open as long as it lives
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	require.ErrorContains(t, LimitMemory(1<<30, 1<<30), "limit the memory of process")
}

func TestFreeSpace(t *testing.T) {
	free, total, err := FreeSpace(t.TempDir())
	require.NoError(t, err)
	require.Positive(t, total)
	require.LessOrEqual(t, free, total)
	_, _, err = FreeSpace("/nowhere")
	require.Error(t, err)
}
