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
	live bool   // out is a terminal
	line string // the live line as it stands
}

func newConsole(out io.Writer) *console {
	f, isFile := out.(*os.File)
	return &console{out: out, live: isFile && term.IsTerminal(int(f.Fd()))}
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

func (l *logFlags) add(f *pflag.FlagSet, level string) {
	f.BoolVarP(&l.quiet, "quiet", "q", false, "print no status, and only errors")
	f.BoolVar(&l.json, "json-logs", false, "print logs and status as JSON lines")
	f.StringVar(&l.level, "log-level", level, "debug, info, warn or error")
}

// logger returns the log that writes to w as the flags say.
func (l *logFlags) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, usage("--log-level %s: it must be debug, info, warn or error", l.level)
	}
	if l.quiet {
		level = slog.LevelError
	}
	opts := &slog.HandlerOptions{Level: level}
	if l.json {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
