package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"croupier/catalog"
	"croupier/internal/check"
	"croupier/internal/regular"
)

// sumsName is the last file of a backup.
const sumsName = "SHA256SUMS"

// maxSums bounds the bytes of that file: hundreds of thousands of lines.
const maxSums = 64 << 20

// blockSize is the size of a tar archive's blocks, in bytes.
const blockSize = 512

// stored is a file in a backup.
type stored struct {
	at, size int64
	sum      string // SHA-256 in hex
	written  time.Time
}

// contents are the files of a backup, by their paths below its folder.
type contents struct {
	file  io.ReaderAt
	files map[string]stored
}

func (c *contents) List() ([]string, error) { return slices.Sorted(maps.Keys(c.files)), nil }

func (c *contents) Open(name string) (check.File, error) {
	s, ok := c.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return section{io.NewSectionReader(c.file, s.at, s.size)}, nil
}

func (*contents) live() bool { return false }

type section struct{ *io.SectionReader }

func (section) Close() error { return nil }

// opened is a backup that is read.
type opened struct {
	contents
	closer io.Closer
}

func (o *opened) Close() error { return o.closer.Close() }

// open reads the list of a backup's files.
func open(name string) (*opened, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	var c *contents
	if err == nil {
		c, err = readContents(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: it is not a backup of a run: %w", name, err)
	}
	return &opened{*c, f}, nil
}

// readContents finds the files of a backup, and compares their names with its list. It refuses an archive in which a
// byte that belongs to no file is not what it has to be, so that no damage goes unseen.
func readContents(f io.ReaderAt, size int64) (*contents, error) {
	c := &contents{f, map[string]stored{}}
	in := io.NewSectionReader(f, 0, size)
	end := int64(0) // of the file before
	for tr, folder := tar.NewReader(in), ""; ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		parent, name, ok := strings.Cut(h.Name, "/")
		if h.Typeflag != tar.TypeReg || !ok || !filepath.IsLocal(name) || path.Clean(name) != name ||
			strings.Contains(name, `\`) ||
			folder != "" && parent != folder {
			return nil, fmt.Errorf("%q does not belong in one", h.Name)
		}
		if _, twice := c.files[name]; twice {
			return nil, fmt.Errorf("%q appears twice", h.Name)
		}
		at, err := in.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		if at+h.Size > size {
			return nil, fmt.Errorf("%q is cut off", h.Name)
		}
		if err := sameHeader(f, h, at); err != nil {
			return nil, err
		}
		if err := zeros(f, end, padded(end)); err != nil {
			return nil, err
		}
		end = at + h.Size
		folder = parent
		c.files[name] = stored{at: at, size: h.Size, written: h.ModTime}
	}
	if err := zeros(f, end, size); err != nil {
		return nil, err
	}
	return c, c.readSums()
}

// sameHeader makes sure that the checksum of a file's header, in the block before its content, is written as archivers
// write it (POSIX.1-1988 ustar: six octal digits, a zero and a space): those who read it accept other bytes.
func sameHeader(f io.ReaderAt, h *tar.Header, at int64) error {
	block := make([]byte, blockSize)
	if _, err := f.ReadAt(block, at-blockSize); err != nil {
		return err
	}
	const from, to = 148, 156
	sum := (to - from) * int(' ')
	for i, b := range block {
		if i < from || i >= to {
			sum += int(b)
		}
	}
	if want := fmt.Sprintf("%06o\x00 ", sum); string(block[from:to]) != want {
		return fmt.Errorf("the checksum of %q is %q, not %q", h.Name, block[from:to], want)
	}
	return nil
}

// zeros makes sure that these bytes of an archive are zero, as between its files and at its end.
func zeros(f io.ReaderAt, from, to int64) error {
	in := io.NewSectionReader(f, from, to-from)
	for buf := make([]byte, 64<<10); ; {
		n, err := in.Read(buf)
		if i := slices.IndexFunc(buf[:n], func(b byte) bool { return b != 0 }); i >= 0 {
			return fmt.Errorf("byte %d is %#02x, where no file is and a zero belongs", from+int64(i), buf[i])
		}
		from += int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readSums takes the list of sums out of the contents, and makes sure that it lists all others.
func (c *contents) readSums() error {
	list, ok := c.files[sumsName]
	if !ok || list.size > maxSums {
		return fmt.Errorf("its end is missing, where %s is", sumsName)
	}
	delete(c.files, sumsName)
	text := make([]byte, list.size)
	if _, err := c.file.ReadAt(text, list.at); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	listed := 0
	for line := range bytes.Lines(text) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		s, there := c.files[name]
		if !ok || len(sum) != 2*sha256.Size || !there || s.sum != "" {
			return fmt.Errorf("%s does not fit its files: %.80q", sumsName, line)
		}
		s.sum = sum
		c.files[name] = s
		listed++
	}
	if listed != len(c.files) {
		return fmt.Errorf("%s lists %d of its %d files", sumsName, listed, len(c.files))
	}
	return nil
}

// verify checks the sums of a backup and then the run in it.
func (c *contents) verify(ctx context.Context, games *catalog.Catalog) (*Result, error) {
	r, err := verify(ctx, games, c)
	if err != nil {
		return nil, err
	}
	names, _ := c.List() // never fails
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		same, err := c.sameSum(name)
		if err != nil {
			return nil, err
		}
		if !same && !slices.ContainsFunc(r.Faults, func(f check.Fault) bool { return f.File == name }) {
			r.Faults = append(r.Faults, check.Fault{File: name, What: "its SHA-256 is not that of " + sumsName})
		}
	}
	return r, nil
}

func (c *contents) sameSum(name string) (bool, error) {
	s := c.files[name]
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(c.file, s.at, s.size))
	return hex.EncodeToString(sum.Sum(nil)) == s.sum, err
}
