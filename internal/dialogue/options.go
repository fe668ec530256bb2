package dialogue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Options are how a program is reached and what it may use. They are in parentheses:
// exec(time=2s,memory=1GiB):COMMAND.
type Options struct {
	Time   time.Duration // for one answer; time=5s
	Copies int           // processes or connections at the same time; copies=1
	Memory uint64        // bytes that a process may use, 0: unlimited; memory=0 (Linux)
	Log    string        // file to which all messages are added; log=PATH
}

// Bounds of the options.
const (
	maxTime   = time.Hour
	maxCopies = 64
)

// Cut cuts the kind and the options from a name: exec and COMMAND, of exec(OPTIONS):COMMAND.
func (o *Options) Cut(name string) (kind, rest string, err error) {
	end := strings.IndexAny(name, "(:")
	if end < 0 || name[end] == ':' {
		kind, rest, _ = strings.Cut(name, ":")
		return kind, rest, nil
	}
	list, rest, ok := strings.Cut(name[end+1:], "):")
	if !ok {
		return "", "", errors.New("the options are not closed: they must look like exec(time=2s,memory=1GiB):COMMAND")
	}
	for _, option := range strings.Split(list, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(option), "=")
		if err := o.set(key, value); err != nil {
			return "", "", err
		}
	}
	return name[:end], rest, nil
}

// set reads one option.
func (o *Options) set(key, value string) (err error) {
	switch key {
	case "time":
		if o.Time, err = time.ParseDuration(value); err == nil && (o.Time < time.Millisecond || o.Time > maxTime) {
			err = fmt.Errorf("it must lie in 1ms..%v", maxTime)
		}
	case "copies":
		if o.Copies, err = strconv.Atoi(value); err == nil && (o.Copies < 1 || o.Copies > maxCopies) {
			err = fmt.Errorf("they must lie in 1..%d", maxCopies)
		}
	case "memory":
		o.Memory, err = parseBytes(value)
	case "log":
		if o.Log = value; value == "" {
			err = errors.New("it names no file")
		}
	default:
		return fmt.Errorf("unknown option %q: there are time, copies, memory and log", key)
	}
	if err != nil {
		return fmt.Errorf("option %s=%s: %w", key, value, err)
	}
	return nil
}

// parseBytes reads sizes such as 512MiB.
func parseBytes(text string) (uint64, error) {
	number := strings.TrimRight(text, "KMGTiB")
	unit, ok := map[string]uint{"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[text[len(number):]]
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || n == 0 || n > 1<<(63-unit) {
		return 0, errors.New("it must look like 512MiB or 2GiB")
	}
	return n << unit, nil
}

// Words splits a command at spaces; quotes, single or double, keep spaces together.
func Words(command string) (list []string, err error) {
	var (
		word  strings.Builder
		begun bool
		quote rune
	)
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				list = append(list, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if begun {
		list = append(list, word.String())
	}
	return list, nil
}
