package external

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// leaving is an agent in the shell that ends at its first question, while a process that it started in a session of its
// own holds its input and output for three seconds. The number of that process is in the file.
const leaving = `read _; echo '{"protocol":1}'; read _
FILE=$1; export FILE
setsid sh -c 'echo $$ >$FILE.new; mv $FILE.new $FILE; exec sleep 3' <&0 2>/dev/null &
until [ -e $FILE ]; do sleep 0.001; done
exit 3
`

// A process that an agent leaves behind keeps no caller waiting. With a supervisor it has ended with the agent; without
// one the question ends with the agent's time.
func TestAgentThatLeavesAProcessBehind(t *testing.T) {
	folder := t.TempDir()
	script, file := filepath.Join(folder, "agent.sh"), filepath.Join(folder, "number")
	require.NoError(t, os.WriteFile(script, []byte(leaving), 0o600))
	conduct, err := asking("exec:sh " + script + " " + file)
	require.NoError(t, err)
	require.Contains(t, conduct, "the process ended (exit status 3)")
	number, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(number)))
	require.NoError(t, err)
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)

	require.NoError(t, os.Remove(file))
	out, err := testproc.Output(exec.Command(os.Args[0], "unsupervised", "exec(time=300ms):sh "+script+" "+file))
	require.NoError(t, err)
	require.Contains(t, string(out), "1 came too late")
	require.FileExists(t, file)
}
