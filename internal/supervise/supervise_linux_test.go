package supervise

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"croupier/internal/testproc"
)

// parent makes this program one that starts the script in its value and says so; the script's output is its own.
const parent = "SUPERVISE_PARENT"

// allowed is how long a test waits for what must happen in the end.
const allowed = time.Minute

func TestMain(m *testing.M) {
	Main()
	if script := os.Getenv(parent); script != "" {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Stdout = os.Stdout
		if _, err := Start(cmd, 0); err != nil {
			fmt.Println(err)
		}
		select {}
	}
	os.Exit(m.Run())
}

// Children of a program. Each writes a line when it is there; then it holds the output and never ends.
const (
	child  = `sh -c 'echo child $$; exec sleep 100000' &`
	daemon = `setsid sh -c '(echo daemon $$; exec sleep 100000) & exit' &`
)

// begun starts a script and returns it with its output, of which it reads the given number of lines. Then the input
// ends.
func begun(t *testing.T, script string, lines int) (*Process, *os.File) {
	t.Helper()
	out, theirs, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { out.Close() })
	require.NoError(t, out.SetReadDeadline(time.Now().Add(allowed)))
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Stdout = theirs
	input, in, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	cmd.Stdin = input
	p, err := Start(cmd, 0)
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	require.NoError(t, input.Close())
	one := make([]byte, 1)
	for lines > 0 {
		_, err := io.ReadFull(out, one)
		require.NoError(t, err)
		if one[0] == '\n' {
			lines--
		}
	}
	return p, out
}

// nobody requires that no process holds the output any more.
func nobody(t *testing.T, out *os.File) {
	t.Helper()
	rest, err := io.ReadAll(out)
	require.NoError(t, err, "a process lives on")
	require.Empty(t, rest)
}

// What a program leaves behind has ended when the program counts as ended, and so it is when it is killed.
func TestDescendantsEnd(t *testing.T) {
	for name, script := range map[string]string{"child": child, "daemon": daemon, "both": child + daemon} {
		lines := strings.Count(script, "echo")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, out := begun(t, script+" read _; exit 3", lines)
			<-p.Ended()
			require.Equal(t, "exit status 3", p.State())
			nobody(t, out)

			p, out = begun(t, script+" wait; exec sleep 100000", lines)
			p.Kill()
			<-p.Ended()
			require.Equal(t, "signal: killed", p.State())
			nobody(t, out)
		})
	}
}

// All of them end with this process when it is killed.
func TestDescendantsEndWithTheProgramThatStartsThem(t *testing.T) {
	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), parent+"="+child+daemon+" wait; exec sleep 100000")
	out, theirs, err := os.Pipe()
	require.NoError(t, err)
	defer out.Close()
	p.Stdout = theirs
	require.NoError(t, testproc.Start(p))
	require.NoError(t, theirs.Close())
	require.NoError(t, out.SetReadDeadline(time.Now().Add(allowed)))
	lines := bufio.NewReader(out)
	for range 2 {
		_, err := lines.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, p.Process.Kill())
	require.Error(t, p.Wait())
	rest, err := io.ReadAll(lines)
	require.NoError(t, err, "a process lives on")
	require.Empty(t, rest)
}

// A program that does not call Main has the process group alone.
func TestWithoutSupervisorTheGroupEnds(t *testing.T) {
	hooked = false
	defer func() { hooked = true }()
	p, out := begun(t, child+" read _; exit 3", 1)
	<-p.Ended()
	require.Equal(t, "exit status 3", p.State())
	nobody(t, out)
	p, out = begun(t, child+" wait", 1)
	p.Kill()
	<-p.Ended()
	nobody(t, out)
	p.Kill() // its number may be another's: nothing happens
}

// A supervisor passes on what the program is given and how it ends, and has no limit itself.
func TestSupervisorIsNotSeen(t *testing.T) {
	in, theirs, err := os.Pipe()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	require.NoError(t, err)
	// The limit is set when the program has begun.
	cmd := exec.Command("/bin/sh", "-c", `read line; while [ "$(ulimit -v)" = unlimited ]; do sleep 0.001; done
		echo "$line $1 $(ulimit -v)"; kill -TERM $$`, "zero", "one two")
	cmd.Stdin, cmd.Stdout = in, out
	p, err := Start(cmd, 1<<30)
	require.NoError(t, err)
	limit := unix.Rlimit{}
	require.NoError(t, unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_AS, nil, &limit))
	require.NotEqual(t, uint64(1<<30), limit.Max)
	_, err = theirs.WriteString("given\n")
	require.NoError(t, err)
	<-p.Ended()
	require.Equal(t, "signal: terminated", p.State())
	said, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "given one two "+strconv.Itoa(1<<20)+"\n", string(said))
}

func TestWhatCannotStart(t *testing.T) {
	_, err := Start(exec.Command("/nowhere/program"), 0)
	require.ErrorContains(t, err, "no such file")
	_, err = Start(exec.Command("no-such-program"), 0)
	require.ErrorIs(t, err, exec.ErrNotFound)

	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("\x00"), 0o755))
	var said strings.Builder
	cmd := exec.Command(path)
	cmd.Stderr = &said
	p, err := Start(cmd, 0)
	require.NoError(t, err)
	<-p.Ended()
	require.Equal(t, "exit status 127", p.State())
	require.Contains(t, said.String(), "exec format error")

	for _, args := range [][]string{nil, {"0", "/bin/true"}, {"much", "/bin/true", "true"}} {
		status, err := supervise(args)
		require.Equal(t, wrongUse, status)
		require.ErrorIs(t, err, errNoSupervisor)
	}
	_, err = parentOf(1 << 30)
	require.True(t, errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH))
}
