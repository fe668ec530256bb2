package program

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"croupier/internal/dialogue"
)

// kind begins the names of programs that are games.
const kind = "exec"

// Command is how a program is started.
type Command struct {
	dialogue.Options
	name  string   // as people write it
	words []string // the program and its arguments
	files []string // those among them that name files
}

// Named reads exec:COMMAND or openspiel:GAME, both with options: exec(OPTIONS):COMMAND.
func Named(name string) (*Command, error) {
	c := &Command{name: name, Options: dialogue.Options{Time: 30 * time.Second, Copies: runtime.GOMAXPROCS(0)}}
	asked, rest, err := c.Cut(name)
	switch {
	case err != nil:
	case c.Log != "":
		err = errors.New("option log is for agents: games have time, copies and memory")
	case asked == kindOpenSpiel:
		err = c.openSpiel(rest)
	default:
		err = c.program(rest)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// program sets the command that people have written.
func (c *Command) program(command string) (err error) {
	if c.words, err = dialogue.Words(command); err != nil {
		return err
	}
	if len(c.words) == 0 {
		return errors.New("it does not say which program: it must look like exec:COMMAND")
	}
	for i, word := range c.words {
		if i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue // it is looked for where programs are
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			c.files = append(c.files, word)
		}
	}
	return nil
}

// Is reports whether a name is that of a program.
func Is(name string) bool {
	end := strings.IndexAny(name, "(:")
	return end > 0 && (name[:end] == kind || name[:end] == kindOpenSpiel)
}

// String is the command as people write it.
func (c *Command) String() string { return c.name }

// absolute returns the command as it is written in any folder.
func (c *Command) absolute() (string, error) {
	name := c.name
	for _, file := range c.files {
		path, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		name = strings.Replace(name, file, path, 1)
	}
	return name, nil
}

// hash is the SHA-256 of a description and the files that the command names.
func (c *Command) hash(description []byte) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s", len(description), description)
	for _, path := range c.files {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
