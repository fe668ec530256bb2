package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// console is the terminal shared by log lines and one live status line, which
// stays below them. Without a terminal it passes lines through.
type console struct {
	mu   sync.Mutex
	out  io.Writer
	live bool   // there is to be a live line
	line string // the live line as it stands
}

// newConsole returns a console that can have a live line if that is wanted and out
// is a terminal.
func newConsole(out io.Writer, live bool) *console {
	return &console{out: out, live: live && isTerminal(out)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// logs returns where log lines for errOut have to go so that they do not tear the
// live line.
func (c *console) logs(errOut io.Writer) io.Writer {
	if c.live && isTerminal(errOut) {
		return c
	}
	return errOut
}

// Write prints whole lines above the live line.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != "" {
		fmt.Fprint(c.out, "\r\x1b[K")
	}
	n, err := c.out.Write(p)
	if c.line != "" {
		fmt.Fprint(c.out, c.line)
	}
	return n, err
}

// status replaces the live line, cut to the terminal's width. An empty one removes it.
func (c *console) status(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && len([]rune(line)) >= width {
			line = string([]rune(line)[:max(width-1, 0)])
		}
	}
	fmt.Fprint(c.out, "\r\x1b[K"+line)
	c.line = line
}

// logFlags are the flags about what is printed.
type logFlags struct {
	quiet bool
	json  bool
	level string
}

// add adds the flags of a role on its own, all of whose output is its log.
func (l *logFlags) add(f *pflag.FlagSet) {
	f.BoolVarP(&l.quiet, "quiet", "q", false, "log errors only")
	f.BoolVar(&l.json, "json-logs", false, "log as JSON lines")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
}

// addWithStatus adds the flags of a command that also prints its status.
func (l *logFlags) addWithStatus(f *pflag.FlagSet) {
	f.BoolVarP(&l.quiet, "quiet", "q", false, "log errors only, and print no status")
	f.BoolVar(&l.json, "json-logs", false, "log as JSON lines, the status as well")
	f.StringVar(&l.level, "log-level", "", "debug, info, warn or error (default warn, with --json-logs info)")
}

// logger returns the log that writes to w as the flags say.
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
