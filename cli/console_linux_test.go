package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
)

// onTerminal returns what do writes to a pseudo-terminal (pty(7)).
func onTerminal(t *testing.T, do func(terminal *os.File)) string {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer screen.Close()
	fd := int(screen.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	var seen bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&seen, screen) // ends with an error when no process has the terminal any more
	}()
	do(terminal)
	require.NoError(t, terminal.Close())
	<-read
	return strings.ReplaceAll(seen.String(), "\r\n", "\n")
}

// Names of directories, and errors, cannot steer the terminal.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	evil := "a\x1b[2J\u202eb\u009b"
	rundirtest.Create(t, filepath.Join("runs", evil), rundir.Info{ID: evil, Game: "pig", Created: time.Now()})
	for _, line := range [][]string{
		{"runs"}, {"runs", "--runs", evil}, {"archive", "list"}, {"archive", "list", "--run", "runs/" + evil},
		{"ladder", "--run", "runs/" + evil},
		{"ladder"}, {"status", "--run", "runs/" + evil}, {"replay", evil}, {"arena", evil, "random", "--game", "pig"},
		{"export", "--out", "x"},
		{"train", evil}, {evil}, {"train", "--" + evil}, {"sweep", "show", evil}, {"web", "passwd", evil, "--users", evil},
		{"advise", "review", evil},
	} {
		var out, errs bytes.Buffer
		status := installed.run(t.Context(), line, strings.NewReader("12345678\n"), &out, &errs)
		for _, text := range []string{
			errs.String(),
			onTerminal(t, func(terminal *os.File) {
				require.Equal(t, status, installed.run(t.Context(), line, strings.NewReader("12345678\n"), terminal, terminal))
			}),
		} {
			require.NotContains(t, text, "\x1b", line)
			require.NotContains(t, text, "\u202e", line)
			require.NotContains(t, text, "\u009b", line)
		}
	}
	var out bytes.Buffer
	require.Zero(t, installed.run(t.Context(), []string{"runs"}, nil, &out, io.Discard))
	require.Contains(t, out.String(), `a\x1b[2J\u202eb\u009b`)
	require.NotContains(t, out.String(), "\x1b", "tables are readable in pipes, too")
}

// A status lives where the cursor moves, which it does not on a dumb terminal.
func TestADumbTerminalHasNoLiveStatus(t *testing.T) {
	for name, live := range map[string]bool{"xterm": true, "dumb": false} {
		t.Setenv("TERM", name)
		seen := onTerminal(t, func(terminal *os.File) {
			c := newConsole(escaped(terminal), true)
			require.Equal(t, live, c.live)
			require.False(t, newConsole(escaped(terminal), false).live)
			if c.live {
				c.status([]string{"evil\x1b[2J"})
				c.status(nil)
			}
			_, err := c.Write([]byte("line\x1b\n"))
			require.NoError(t, err)
		})
		want := `line\x1b` + "\n"
		if live {
			want = `evil\x1b[2J` + "\r\x1b[K" + want
		}
		require.Equal(t, want, seen)
	}
}
