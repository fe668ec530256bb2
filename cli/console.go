package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"croupier/internal/platform"
	"croupier/internal/visible"
)

// console is the terminal shared by log lines and a live status, which stays below
// them. Without a terminal it passes lines through.
type console struct {
	mu   sync.Mutex
	out  io.Writer
	live bool     // whether there is a live status
	rows []string // the live status on the screen
}

// newConsole returns a console, with a live status if that is wanted and out is a
// terminal that can move its cursor.
func newConsole(out io.Writer, live bool) *console {
	return &console{out: unwrapped(out), live: live && isTerminal(out) && os.Getenv("TERM") != "dumb"}
}

// escaped returns the writer for text on a stream: on a terminal, nothing steers it but what a console writes.
func escaped(stream io.Writer) io.Writer {
	if isTerminal(stream) {
		return visible.Writer{Writer: stream}
	}
	return stream
}

// unwrapped undoes escaped.
func unwrapped(w io.Writer) io.Writer {
	if v, ok := w.(visible.Writer); ok {
		return v.Writer
	}
	return w
}

func isTerminal(w io.Writer) bool {
	f, ok := unwrapped(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// logs returns the writer for log lines that are meant for errOut: the console itself
// where they would otherwise break up the live status.
func (c *console) logs(errOut io.Writer) io.Writer {
	if c.live && isTerminal(errOut) {
		return c
	}
	return errOut
}

// Write prints whole lines above the live status.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows := c.rows
	c.draw(nil)
	n, err := visible.Writer{Writer: c.out}.Write(p)
	c.draw(rows)
	return n, err
}

// gone reports whether a write failed because the console is no longer seen: the reader of a pipe has ended, or the
// terminal was closed.
func (c *console) gone(err error) bool {
	if f, ok := c.out.(*os.File); ok && errors.Is(err, syscall.EIO) {
		info, failed := f.Stat()
		return failed == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return platform.IsReaderGone(err)
}

// status replaces the live status, wrapped to the terminal's width. No parts remove it.
func (c *console) status(parts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	width := c.width()
	if width == 0 {
		width = defaultWidth
	}
	c.draw(wrap(parts, width-1))
}

// defaultWidth is the width of a terminal that does not report its own.
const defaultWidth = 80

// width returns the characters in a line of the terminal, 0 where there is none.
func (c *console) width() int { return widthOf(c.out) }

// widthOf returns the characters in a line of the terminal to which out writes, 0 if it writes to
// none, or to one that does not report it.
func widthOf(out io.Writer) int {
	if f, ok := unwrapped(out).(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			return w
		}
	}
	return 0
}

// draw replaces the rows on the screen.
func (c *console) draw(rows []string) {
	if len(c.rows) > 0 {
		fmt.Fprint(c.out, strings.Repeat("\r\x1b[K\x1b[A", len(c.rows)-1)+"\r\x1b[K")
	}
	c.rows = rows
	fmt.Fprint(c.out, strings.Join(rows, "\n"))
}

// wrap joins parts into rows of at most width characters. A longer part is cut.
func wrap(parts []string, width int) []string {
	var rows []string
	for _, part := range parts {
		part = visible.Text(part)
		part = string([]rune(part)[:min(width, utf8.RuneCountInString(part))])
		last := len(rows) - 1
		if last >= 0 && utf8.RuneCountInString(rows[last]+separator+part) <= width {
			rows[last] += separator + part
		} else {
			rows = append(rows, part)
		}
	}
	return rows
}

// separator is between the parts of a status.
const separator = " | "

// logFlags are the flags that say what is logged, and how.
type logFlags struct {
	quiet bool
	json  bool
	level string
}

// add adds the flags of a role in a process of its own, which prints only its log.
func (l *logFlags) add(f *pflag.FlagSet) {
	f.BoolVarP(&l.quiet, "quiet", "q", false, "log errors only")
	f.BoolVar(&l.json, "json-logs", false, "log as JSON lines")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
	group(f, outputFlags, "quiet", "json-logs", "log-level")
}

// addWithStatus adds the flags of a command that also prints a status.
func (l *logFlags) addWithStatus(f *pflag.FlagSet) {
	f.BoolVarP(&l.quiet, "quiet", "q", false, "log errors only, and print no status")
	f.BoolVar(&l.json, "json-logs", false, "log as JSON lines, the status as well")
	f.StringVar(&l.level, "log-level", "", "debug, info, warn or error (default warn, with --json-logs info)")
	group(f, outputFlags, "quiet", "json-logs", "log-level")
}

// logger returns a logger that writes to w as the flags say.
func (l *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	level := slog.LevelWarn
	switch {
	case l.quiet:
		level = slog.LevelError
	case l.level != "":
		if err := level.UnmarshalText([]byte(l.level)); err != nil {
			return nil, usage("--log-level %s: it must be debug, info, warn or error", l.level)
		}
	case l.json:
		level = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: level}
	if l.json {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
