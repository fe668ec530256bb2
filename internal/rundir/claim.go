package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"croupier/internal/durable"
	"croupier/internal/sealed"
)

// Claim is a directory whose roles this process has. Before it has their locks it writes and removes nothing: another
// process may have chosen the same new directory in the same second.
type Claim struct {
	path  string
	fresh bool // the directory was not there before
	made  bool // this process made the run in it
	locks []io.Closer
	draft durable.Draft // the directory and those above it, as far as they were not there
}

// Take takes the locks of the roles on the directory, which is made if it is not there, and removes what their last
// holder left half written.
func Take(path string, roles ...string) (*Claim, error) {
	_, err := os.Lstat(path)
	c := &Claim{path: path, fresh: errors.Is(err, fs.ErrNotExist)}
	if err := c.draft.MkdirAll(path, 0o777); err != nil {
		c.draft.Undo()
		return nil, fmt.Errorf("run directory: %w", err)
	}
	for _, role := range roles {
		lock, err := Lock(path, role)
		if err == nil {
			c.locks = append(c.locks, lock)
			err = Sweep(path, role)
		}
		if err != nil {
			c.Release()
			return nil, err
		}
	}
	return c, nil
}

// Create writes the configuration, the file of the game, if it comes from one, and then run.json, with the next order
// among the runs next to it: from then on the directory holds a run, which others can read. A directory that already
// holds a run is an error, and so is a config.yaml that belongs to none.
func (c *Claim) Create(info Info, config, game []byte) error {
	if err := CheckFree(c.path); err != nil {
		return err
	}
	if _, err := os.Lstat(c.configPath()); err == nil {
		return fmt.Errorf("run directory %s holds a %s of something else, which the run would replace: name another directory",
			c.path, ConfigFile)
	}
	if there, err := ReadGame(c.path); err != nil || there != nil && !bytes.Equal(there, game) {
		return errors.Join(err, fmt.Errorf("run directory %s holds a %s of something else: name another directory", c.path,
			GameFile))
	}
	c.made = true
	info.Order = nextOrder(filepath.Dir(filepath.Clean(c.path)))
	doc, err := sealed.Document(info)
	if err == nil {
		err = durable.MkdirAll(c.path, 0o777)
	}
	if err == nil {
		err = WriteConfig(c.path, config)
	}
	if err == nil && game != nil {
		err = durable.WriteFile(filepath.Join(c.path, GameFile), game)
	}
	if err == nil {
		err = durable.WriteFile(infoPath(c.path), doc)
	}
	if err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	return nil
}

// Release gives the locks back.
func (c *Claim) Release() {
	for _, lock := range c.locks {
		lock.Close()
	}
}

// Abandon undoes Create and gives the locks back: the directory goes with all that has come into it, unless it was
// there before. What was created earlier stays.
func (c *Claim) Abandon() {
	switch {
	case c.made && c.fresh:
		os.RemoveAll(c.path)
		c.draft.Undo() // the folders above it that were made for it
	case c.made:
		os.Remove(infoPath(c.path))
		os.Remove(c.configPath())
		os.Remove(filepath.Join(c.path, ConfigCopy))
		os.Remove(filepath.Join(c.path, GameFile))
	}
	c.Release()
}

func (c *Claim) configPath() string { return filepath.Join(c.path, ConfigFile) }
