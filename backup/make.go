package backup

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"croupier/catalog"
	"croupier/internal/check"
	"croupier/internal/durable"
	"croupier/internal/rundir"
)

// DamagedError reports that a run or a backup is not as it was written.
type DamagedError struct{ *Result }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%d faults; the first: %v", len(e.Faults), e.Faults[0])
}

// Make writes a backup of the run in a directory, which may be at work, to a file, which is replaced. What it copies is
// checked in the copy; a run with a fault gives a [DamagedError], and no file.
func Make(ctx context.Context, games *catalog.Catalog, dir, file string) (r *Result, err error) {
	c, err := check.New(directory(dir))
	if err == nil {
		_, err = partsOf(games, c)
	}
	if err != nil {
		return nil, within(dir, err)
	}
	err = durable.Create(file, func(f *os.File) error {
		r, err = fill(ctx, games, directory(dir), f)
		return err
	})
	return r, err
}

// writer writes a backup.
type writer struct {
	contents
	file   *os.File
	end    int64 // of what is complete
	folder string
}

func fill(ctx context.Context, games *catalog.Catalog, from directory, f *os.File) (*Result, error) {
	c, err := check.New(from)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(games, c)
	if err != nil {
		return nil, err
	}
	info, _ := rundir.Identity(c)
	folder, err := rundir.ID(string(from))
	if err != nil {
		return nil, err
	}
	w := &writer{contents: contents{f, map[string]stored{}}, file: f, folder: cmp.Or(info.ID, folder)}
	for _, part := range parts {
		found, err := retry(ctx, from, func() (check.Found, error) { return w.copyPart(ctx, from, &part) })
		if err != nil {
			return nil, err
		}
		if len(found.Faults) > 0 {
			r := newResult(info)
			r.add(found)
			return nil, &DamagedError{r}
		}
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	return w.proof(ctx, games)
}

// proof reads the backup as somebody does who restores it.
func (w *writer) proof(ctx context.Context, games *catalog.Catalog) (*Result, error) {
	c, err := readContents(w.file, w.end)
	if err != nil {
		return nil, fmt.Errorf("the copy differs from what was written: %w", err)
	}
	r, err := c.verify(ctx, games)
	if err == nil && len(r.Faults) > 0 {
		err = &DamagedError{r}
	}
	return r, err
}

// copyPart appends the files of a part, in the place of those of an earlier try, and checks them.
func (w *writer) copyPart(ctx context.Context, from directory, part *check.Part) (check.Found, error) {
	for name := range w.files {
		if part.Has(name) {
			delete(w.files, name)
		}
	}
	if err := w.file.Truncate(w.end); err != nil {
		return check.Found{}, err
	}
	c, err := check.New(from)
	if err != nil {
		return check.Found{}, err
	}
	end, gone := w.end, []check.Fault(nil)
	for _, pattern := range part.Patterns {
		for _, name := range c.Matching(pattern) {
			if err := ctx.Err(); err != nil {
				return check.Found{}, err
			}
			s, err := w.copyFile(from, name, end)
			if w.own(err) {
				return check.Found{}, err
			}
			if err != nil {
				gone = append(gone, check.Fault{File: name, What: err.Error()})
				break
			}
			w.files[name], end = s, s.at+padded(s.size)
		}
	}
	found, err := part.Of(&w.contents)
	if found.Faults = append(found.Faults, gone...); err == nil && len(found.Faults) == 0 {
		w.end = end
	}
	return found, err
}

// own reports whether an error is one of the backup's file, and not of what is copied: the disk may be full.
func (w *writer) own(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Path == w.file.Name()
}

// padded returns the space that size bytes take in a tar archive.
func padded(size int64) int64 { return (size + blockSize - 1) &^ (blockSize - 1) }

// copyFile writes a file, as long as it is now, at a place of the backup.
func (w *writer) copyFile(from directory, name string, at int64) (s stored, err error) {
	in, err := from.Open(name)
	if err != nil {
		return s, err
	}
	defer in.Close()
	written := in.(openFile).info.ModTime()
	return w.put(name, io.NewSectionReader(in, 0, in.Size()), in.Size(), written, at)
}

// put writes a file at a place of the backup.
func (w *writer) put(name string, in io.Reader, size int64, written time.Time, at int64) (s stored, err error) {
	if _, err := w.file.Seek(at, io.SeekStart); err != nil {
		return s, err
	}
	out := tar.NewWriter(w.file)
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(w.folder, name), Size: size, Mode: 0o644,
		ModTime: written.Truncate(time.Second),
	}
	if err := out.WriteHeader(header); err != nil {
		return s, err
	}
	if s.at, err = w.file.Seek(0, io.SeekCurrent); err != nil {
		return s, err
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, sum), in); err != nil {
		return s, err
	}
	s.size, s.sum, s.written = size, hex.EncodeToString(sum.Sum(nil)), written
	return s, out.Flush()
}

// finish writes the list of sums and the end of the archive.
func (w *writer) finish() error {
	var sums bytes.Buffer
	names, _ := w.List() // never fails
	for _, name := range names {
		fmt.Fprintf(&sums, "%s  %s\n", w.files[name].sum, name)
	}
	s, err := w.put(sumsName, &sums, int64(sums.Len()), time.Now(), w.end)
	if err != nil {
		return err
	}
	w.end = s.at + padded(s.size)
	if err := tar.NewWriter(w.file).Close(); err != nil {
		return err
	}
	w.end, err = w.file.Seek(0, io.SeekCurrent)
	return err
}
