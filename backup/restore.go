package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"croupier/catalog"
	"croupier/internal/durable"
	"croupier/internal/platform"
)

// Restore makes the run directory of a backup, which is not there yet. It checks the whole backup before it writes, and
// the directory appears when it is complete.
func Restore(ctx context.Context, games *catalog.Catalog, file, dir string) (*Result, error) {
	b, err := open(file)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists already: a backup is restored to a new directory")
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r, err := b.verify(ctx, games)
	if err != nil {
		return nil, err
	}
	if len(r.Faults) > 0 {
		return nil, fmt.Errorf("%s: %w", file, &DamagedError{r})
	}
	parent := filepath.Dir(dir)
	if err := durable.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	made := filepath.Join(parent, fmt.Sprintf(".%s.%d.tmp", filepath.Base(dir), rand.Uint32()))
	if err := b.writeTo(ctx, made); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	if err := os.Rename(made, dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	return r, platform.SyncDir(parent)
}

// writeTo writes all files below a new directory.
func (o *opened) writeTo(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	names, _ := o.List() // never fails
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := o.writeFile(filepath.Join(dir, filepath.FromSlash(name)), o.files[name]); err != nil {
			return err
		}
	}
	return nil
}

func (o *opened) writeFile(path string, s stored) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err := durable.Create(path, func(f *os.File) error {
		_, err := io.Copy(f, io.NewSectionReader(o.file, s.at, s.size))
		return err
	})
	if err != nil {
		return err
	}
	return os.Chtimes(path, s.written, s.written)
}
