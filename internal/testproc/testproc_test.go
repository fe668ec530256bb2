//go:build unix

package testproc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parent makes the process a parent as the tests here need one; its value says how it ends.
const parent = "TESTPROC_PARENT"

// patience is how long a test waits for what must happen in the end.
const patience = time.Minute

func TestMain(m *testing.M) {
	if end := os.Getenv(parent); end != "" {
		becomeParent(end)
	}
	os.Exit(m.Run())
}

// family is a process that starts another one. Both say that they are there, and neither ends by itself.
const family = `sh -c 'echo grandchild; exec sleep 100000' & echo child; wait`

// becomeParent starts a family whose output is this process's, and ends in the given way at a signal of the test.
func becomeParent(end string) {
	child := exec.Command("sh", "-c", family)
	child.Stdout = os.Stdout
	if err := Start(child); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_, _ = io.ReadAll(os.Stdin)
	switch end {
	case "exit":
		os.Exit(0)
	case "panic":
		panic("as when the time of a package is over")
	}
	select {}
}

// A child and a grandchild end with the process that started them. A reader of their output sees its end when none of
// them can write it any more.
func TestChildrenEndWithTheTest(t *testing.T) {
	for _, end := range []string{"exit", "panic", "kill"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			p := exec.Command(os.Args[0])
			p.Env = append(os.Environ(), parent+"="+end)
			input, err := p.StdinPipe()
			require.NoError(t, err)
			out, in, err := os.Pipe()
			require.NoError(t, err)
			defer out.Close()
			p.Stdout = in
			require.NoError(t, Start(p))
			require.NoError(t, in.Close())
			require.NoError(t, out.SetReadDeadline(time.Now().Add(patience)))
			lines := bufio.NewReader(out)
			said := ""
			for range 2 {
				line, err := lines.ReadString('\n')
				require.NoError(t, err)
				said += line
			}
			require.Contains(t, []string{"child\ngrandchild\n", "grandchild\nchild\n"}, said)
			if end == "kill" {
				require.NoError(t, p.Process.Kill())
			}
			require.NoError(t, input.Close())
			require.Equal(t, end == "exit", p.Wait() == nil)
			rest, err := io.ReadAll(lines)
			require.NoError(t, err, "somebody of the family lives on")
			require.Empty(t, rest)
		})
	}
}

// A command that has a group of its own keeps it.
func TestAGroupOfItsOwnStays(t *testing.T) {
	cat := exec.Command("cat")
	cat.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cat.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, Start(cat))
	group, err := syscall.Getpgid(cat.Process.Pid)
	require.NoError(t, err)
	require.Equal(t, cat.Process.Pid, group)
	require.NoError(t, in.Close())
	require.NoError(t, cat.Wait())
}

func TestOutput(t *testing.T) {
	out, err := Output(exec.Command("sh", "-c", "echo found; echo lost >&2"))
	require.NoError(t, err)
	require.Equal(t, "found\n", string(out))
	_, err = Output(exec.Command("sh", "-c", "echo the reason >&2; exit 3"))
	require.EqualError(t, err, "exit status 3\nthe reason")
	out, err = CombinedOutput(exec.Command("sh", "-c", "echo found; echo lost >&2; exit 3"))
	require.EqualError(t, err, "exit status 3")
	require.Equal(t, "found\nlost\n", string(out))
	require.Error(t, Run(exec.Command("/nowhere")))

	taken := exec.Command("true")
	taken.Stdout = io.Discard
	_, err = Output(taken)
	require.Error(t, err)
	_, err = CombinedOutput(taken)
	require.Error(t, err)
}
