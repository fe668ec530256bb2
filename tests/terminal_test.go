//go:build linux

package tests

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"croupier/internal/testproc"
)

// openTerminal returns both ends of a pseudo-terminal of 80 columns (pty(7)).
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return screen, terminal
}

func TestLiveStatusOnATerminal(t *testing.T) {
	t.Parallel()
	screen, terminal := openTerminal(t)
	args := append([]string{"train", "kuhn", "--for", "3s", "--listen", "off", "--log-level", "info", "--run",
		filepath.Join(t.TempDir(), "run")}, quick...)
	cmd := exec.Command(croupier(t), args...)
	cmd.Stdout, cmd.Stderr = terminal, terminal
	require.NoError(t, testproc.Start(cmd))
	require.NoError(t, terminal.Close())
	var (
		shown  strings.Builder
		reader sync.WaitGroup
	)
	reader.Go(func() { io.Copy(&shown, screen) }) // ends with an error when no process has the terminal any more
	require.NoError(t, cmd.Wait())
	reader.Wait()

	require.Greater(t, strings.Count(shown.String(), "training "), 2, "the status does not live")
	require.Contains(t, shown.String(), "s left")
	left := display(t, shown.String(), 80)
	require.NotContains(t, left, "games/s", "a part of the status stays")
	require.Regexp(t, `^Run directory  \S+\n`, left)
	require.Regexp(t, `(?m)^time=.* level=INFO msg="version frozen".* agent=main@1`, left,
		"log lines stay above the status")
	require.Contains(t, left, "\nkuhn: ratings in antes per game; 0 is equilibrium(0.2)\n")
}

// display returns what a terminal shows in the end, as far as it scrolls back. A row
// that it would break is one that the status must not have.
func display(t *testing.T, output string, columns int) string {
	t.Helper()
	rows := [][]rune{nil}
	row, column := 0, 0
	for output != "" {
		switch {
		case strings.HasPrefix(output, "\x1b[K"):
			rows[row] = rows[row][:min(column, len(rows[row]))]
			output = output[3:]
			continue
		case strings.HasPrefix(output, "\x1b[A"):
			row--
			output = output[3:]
			continue
		case output[0] == '\r':
			column = 0
		case output[0] == '\n':
			if row++; row == len(rows) {
				rows = append(rows, nil)
			}
		default:
			r, size := utf8.DecodeRuneInString(output)
			if text := string(rows[row]); strings.HasPrefix(text, "training") {
				require.Less(t, column, columns, "too long for the terminal: %s", text)
			}
			rows[row] = append(rows[row][:column], r)
			column++
			output = output[size:]
			continue
		}
		output = output[1:]
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = string(r)
	}
	return strings.Join(lines, "\n")
}
