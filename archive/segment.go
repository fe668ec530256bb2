package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"croupier/internal/regular"
)

// Folder is the archive's place in a run directory.
const Folder = "archive"

const segmentSuffix = ".games"

// segment is a file of blocks.
type segment struct {
	class  Class
	number int // from 1
	bytes  int64
}

// name is the file's name: "arena-000012.games".
func (s segment) name() string { return fmt.Sprintf("%v-%06d%s", s.class, s.number, segmentSuffix) }

// listSegments returns the segments in a folder by class and number. A folder that is not
// there has none.
func listSegments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("archive: %w", err)
	}
	var list []segment
	for _, e := range entries {
		class, digits, _ := strings.Cut(strings.TrimSuffix(e.Name(), segmentSuffix), "-")
		number, err := strconv.ParseUint(digits, 10, 31)
		c := slices.IndexFunc(classes[:], func(c Class) bool { return c.String() == class })
		if s := (segment{class: Class(c), number: int(number)}); c >= 0 && err == nil && s.name() == e.Name() {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() { // else it is none, or no more
				s.bytes = info.Size()
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b segment) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.number, b.number))
	})
	return list, nil
}

// walk calls visit for every block of a segment in order, with its place in the file, and
// continues behind what is damaged. end is where the last block ends, and damaged how many
// stretches of the file before it are no blocks.
func walk(f io.ReaderAt, size int64, visit func(h *header, at int64) error) (end int64, damaged int, err error) {
	buf := make([]byte, headerSize)
	for at := int64(0); at+headerSize <= size; {
		if _, err := f.ReadAt(buf, at); err != nil {
			return end, damaged, err
		}
		h, ok := parseHeader(buf)
		if !ok || at+h.size() > size {
			next, err := nextHeader(f, at+1, size)
			if err != nil || next == size {
				return end, damaged, err
			}
			at = next
			damaged++
			continue
		}
		if err := visit(&h, at); err != nil {
			return end, damaged, err
		}
		at += h.size()
		end = at
	}
	return end, damaged, nil
}

// nextHeader returns the place of the first header of a whole block from at on, or size.
func nextHeader(f io.ReaderAt, at, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for at < size {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return size, err
		}
		for i := 0; i+headerSize <= n; i++ {
			found := bytes.Index(buf[i:n], mark)
			if found < 0 || i+found+headerSize > n {
				break
			}
			i += found
			if h, ok := parseHeader(buf[i : i+headerSize]); ok && at+int64(i)+h.size() <= size {
				return at + int64(i), nil
			}
		}
		if int64(n) == size-at {
			return size, nil
		}
		at += int64(n) - headerSize + 1 // a header may lie across two buffers
	}
	return size, nil
}

// readPart reads the first or the second part of a block.
func readPart(f io.ReaderAt, h *header, at int64, second bool) ([]byte, error) {
	at += headerSize
	size := h.index
	if second {
		at, size = at+int64(h.index), h.histories
	}
	data := make([]byte, size)
	_, err := f.ReadAt(data, at)
	return data, err
}

// open opens a segment for reading; nil if it has been thrown away meanwhile.
func (s segment) open(dir string) (*os.File, int64, error) {
	f, err := regular.Open(filepath.Join(dir, s.name()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("archive: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("archive: %w", err)
	}
	return f, info.Size(), nil
}

// newDecoder returns a decoder with bounded memory.
func newDecoder() *zstd.Decoder {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPart))
	if err != nil {
		panic(err) // of the options
	}
	return dec
}
