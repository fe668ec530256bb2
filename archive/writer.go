package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"croupier/internal/durable"
	"croupier/internal/plural"
)

// Writer appends games to an archive and keeps it within its bound. It belongs to one
// goroutine; an archive has one writer.
type Writer struct {
	dir   string
	limit int64
	piece int64 // size from which on a segment is followed by another
	enc   *zstd.Encoder

	segments []segment // by class and number
	bytes    int64     // of all
	outputs  [len(classes)]output
	removed  [len(classes)]int64 // bytes thrown away, by class
}

// output is where games of a class are written.
type output struct {
	file    *os.File // the newest segment; nil: there is none yet
	games   uint32   // numbers given in it
	pending *block   // nil: no game waits
}

// Recovered reports what Open had to mend.
type Recovered struct {
	TornBytes int64 // cut off the ends of segments: they were being written
	Damaged   int   // stretches within the newest segments that are no blocks
}

// Open opens the archive in a run directory for writing, and makes it if it is not there. Of
// the newest segments it cuts off what was not written to its end; archives above the bound
// shrink to it.
func Open(run string, maxBytes int64) (*Writer, Recovered, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(256<<10))
	if err != nil {
		return nil, Recovered{}, fmt.Errorf("archive: %w", err)
	}
	w := &Writer{dir: filepath.Join(run, Folder), limit: maxBytes, piece: min(max(maxBytes/32, 32<<10), 8<<20), enc: enc}
	if err := durable.MkdirAll(w.dir, 0o777); err != nil {
		return nil, Recovered{}, fmt.Errorf("archive: %w", err)
	}
	if w.segments, err = listSegments(w.dir); err != nil {
		return nil, Recovered{}, err
	}
	for _, s := range w.segments {
		w.bytes += s.bytes
	}
	var mended Recovered
	for _, c := range classes {
		if err := w.resume(c, &mended); err != nil {
			w.Close()
			return nil, mended, err
		}
	}
	return w, mended, w.makeRoom(0)
}

// newest returns the newest segment of a class, nil if it has none.
func (w *Writer) newest(c Class) *segment {
	for i := len(w.segments) - 1; i >= 0; i-- {
		if w.segments[i].class == c {
			return &w.segments[i]
		}
	}
	return nil
}

// resume opens the newest segment of a class, to continue after its last whole block.
func (w *Writer) resume(c Class, mended *Recovered) error {
	s := w.newest(c)
	if s == nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(w.dir, s.name()), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	o := &w.outputs[c]
	o.file = f
	end, damaged, err := walk(f, s.bytes, func(h *header, _ int64) error {
		o.games = h.first + h.games
		return nil
	})
	if err == nil && end < s.bytes {
		err = f.Truncate(end)
	}
	if err != nil {
		return fmt.Errorf("archive: %s: %w", s.name(), err)
	}
	mended.TornBytes += s.bytes - end
	mended.Damaged += damaged
	w.bytes -= s.bytes - end
	s.bytes = end
	return nil
}

// Add takes a game; ID, Purpose and Best of its summary are given by its class. Its error is
// that of writing: see Flush.
func (w *Writer) Add(c Class, g *Game) error {
	o := &w.outputs[c]
	var err error
	if o.pending != nil && !o.pending.takes(g) {
		err = w.write(c)
	}
	if o.pending == nil {
		o.pending = newBlock(g)
	}
	o.pending.add(g)
	return err
}

// LostError reports that games could not be written. The archive is as it was before, and
// the next caller that adds games tries again.
type LostError struct {
	Games int
	Err   error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("archive: %s could not be written: %v", plural.Of(e.Games, "game"), e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// Flush writes what was added. Its error is one or several [LostError].
func (w *Writer) Flush() error {
	var problems []error
	for _, c := range classes {
		if w.outputs[c].pending != nil {
			problems = append(problems, w.write(c))
		}
	}
	return errors.Join(problems...)
}

// write writes the pending block of a class, which is gone afterwards also if that fails.
func (w *Writer) write(c Class) error {
	o := &w.outputs[c]
	b := o.pending
	o.pending = nil
	err := w.follow(c)
	var data []byte
	if err == nil {
		data, err = b.encode(w.enc, o.games)
	}
	if err == nil {
		err = w.makeRoom(int64(len(data)))
	}
	if err == nil {
		err = w.appendTo(c, data)
	}
	if err != nil {
		return &LostError{b.games, err}
	}
	o.games += uint32(b.games)
	return nil
}

// follow begins a new segment of a class where there is none yet or the newest is full.
func (w *Writer) follow(c Class) error {
	o, next := &w.outputs[c], segment{class: c, number: 1}
	if s := w.newest(c); s != nil {
		if s.bytes < w.piece {
			return nil
		}
		next.number = s.number + 1
	}
	f, err := os.OpenFile(filepath.Join(w.dir, next.name()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if o.file != nil {
		err = errors.Join(o.file.Sync(), o.file.Close())
	}
	o.file, o.games = f, 0
	at := slices.IndexFunc(w.segments, func(s segment) bool { return s.class > c })
	if at < 0 {
		at = len(w.segments)
	}
	w.segments = slices.Insert(w.segments, at, next)
	return err
}

// appendTo appends a block to the newest segment of a class, or leaves the file as it was.
func (w *Writer) appendTo(c Class, data []byte) error {
	s, f := w.newest(c), w.outputs[c].file
	if _, err := f.WriteAt(data, s.bytes); err != nil {
		// A part that stays is behind the last whole block: the next block covers it.
		return errors.Join(err, f.Truncate(s.bytes))
	}
	s.bytes += int64(len(data))
	w.bytes += int64(len(data))
	return nil
}

// errFull reports that the newest segments alone fill the archive.
var errFull = errors.New("the newest segments alone fill the archive: raise archive.max_bytes")

// makeRoom throws segments away until that many more bytes fit within the bound.
func (w *Writer) makeRoom(more int64) error {
	for w.bytes+more > w.limit {
		i := w.oldest()
		if i < 0 {
			return errFull
		}
		s := w.segments[i]
		if err := os.Remove(filepath.Join(w.dir, s.name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("archive: %w", err)
		}
		w.segments = slices.Delete(w.segments, i, i+1)
		w.bytes -= s.bytes
		w.removed[s.class] += s.bytes
	}
	return nil
}

// oldest returns the segment that goes first: the oldest of the first class that has more
// than the one that is being written. -1: there is none.
func (w *Writer) oldest() int {
	for i := 0; i+1 < len(w.segments); i++ {
		if w.segments[i].class == w.segments[i+1].class {
			return i
		}
	}
	return -1
}

// Bytes returns the size of the archive on disk.
func (w *Writer) Bytes() int64 { return w.bytes }

// Removed returns how many bytes of a class this writer has thrown away.
func (w *Writer) Removed(c Class) int64 { return w.removed[c] }

// Close writes what was added and closes the files.
func (w *Writer) Close() error {
	err := w.Flush()
	for i := range w.outputs {
		if f := w.outputs[i].file; f != nil {
			err = errors.Join(err, f.Sync(), f.Close())
		}
	}
	w.enc.Close()
	return err
}
