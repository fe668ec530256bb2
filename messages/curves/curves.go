// Package curves keeps the learning curves of a run in a file of its directory, so that they can be
// shown without a broker. The file is the stream bus.Curves, a message a line:
//
//	{"sequence":7,"source":"learner","seconds":1.7,"samples":4096,"points":{"entropy":[0.69],"rating/best":[12,-5,29]},"crc32c":"e3069283"}
//
// A point is its value, or value and 95 % interval. The checksum is that of the line before `,"crc32c"`.
// Lines are only appended, so that a process that is killed at any moment leaves at most the last line
// in part; readers pass over lines that are not intact, and count them. When the file has grown to a
// limit, it is replaced by one of about half the size: neighbouring messages of a source become their means.
package curves

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"

	"croupier/internal/check"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/messages"
)

// MaxBytes is how large a file becomes: hours of training at full detail, and several times the
// points that a chart keeps.
const MaxBytes = 8 << 20

// Entry is a message of the stream.
type Entry struct {
	Sequence uint64 // in the stream; of a mean, the newest
	Points   *messages.Points
}

// line is a record as it is written.
type line struct {
	Sequence uint64               `json:"sequence"`
	Source   string               `json:"source"`
	Seconds  float64              `json:"seconds"`
	Samples  uint64               `json:"samples"`
	Points   map[string][]float64 `json:"points"`
}

// encode returns the line of a record. Values that JSON cannot hold are left out, as charts do.
func encode(r Entry) ([]byte, error) {
	l := line{r.Sequence, r.Points.Source, r.Points.Seconds, r.Points.Samples, map[string][]float64{}}
	if !finite(l.Seconds) {
		l.Seconds = 0
	}
	for _, p := range r.Points.Points {
		switch {
		case !finite(p.Value):
		case p.HasInterval && finite(p.Low) && finite(p.High):
			l.Points[p.Series] = []float64{round(p.Value), round(p.Low), round(p.High)}
		default:
			l.Points[p.Series] = []float64{round(p.Value)}
		}
	}
	return sealed.Line(l)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// round keeps what a float32 holds, which no chart can distinguish.
func round(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil {
		return v // beyond a float32
	}
	return short
}

// decode reads a line without its newline.
func decode(text []byte) (r Entry, ok bool) {
	var l line
	if !sealed.Open(text, &l) {
		return r, false
	}
	r = Entry{l.Sequence, &messages.Points{
		Schema: messages.SchemaVersion, Source: l.Source, Seconds: l.Seconds, Samples: l.Samples,
	}}
	for series, values := range l.Points {
		p := &messages.Point{Series: series}
		switch len(values) {
		case 1:
			p.Value = values[0]
		case 3:
			p.Value, p.Low, p.High, p.HasInterval = values[0], values[1], values[2], true
		default:
			return r, false
		}
		r.Points.Points = append(r.Points.Points, p)
	}
	return r, true
}

// Read returns the records of a file in order, and how many of its lines are not intact. A last line
// that is not complete is still being written, or never was. It is fs.ErrNotExist where there is no file.
func Read(path string) (records []Entry, damaged int, err error) {
	text, err := load(path)
	if err != nil {
		return nil, 0, err
	}
	records, damaged, _ = parse(text)
	return records, damaged, nil
}

// Part is the learning curves of a run.
var Part = check.Part{
	Patterns: []string{rundir.CurvesFile},
	Grows:    []string{rundir.CurvesFile},
	Check: func(c *check.Check) {
		if !c.Has(rundir.CurvesFile) {
			return
		}
		c.Lines(rundir.CurvesFile, 8*MaxBytes, func(line []byte) (sealed.Condition, error) {
			if _, ok := decode(bytes.TrimSuffix(line, []byte("\n"))); !ok {
				return sealed.Damaged, sealed.ErrDamaged
			}
			return sealed.Intact, nil
		})
	},
}

// load reads a whole file, unless it is much larger than any that this package writes.
func load(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && (info.Size() > 8*MaxBytes || !info.Mode().IsRegular()) {
		return nil, fmt.Errorf("%s: it is not a file of learning curves, which has %d bytes at most", path, 8*MaxBytes)
	}
	return os.ReadFile(path)
}

// tail is how much of a file is read to find its newest record: a few hundred messages.
const tail = 256 << 10

// Newest returns the newest record of a source among the last of a file, and whether there is one.
func Newest(path, source string) (newest Entry, found bool) {
	file, err := regular.Open(path)
	if err != nil {
		return newest, false
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > tail {
		_, err = file.Seek(-tail, io.SeekEnd)
		if err != nil {
			return newest, false
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, tail))
	if err != nil {
		return newest, false
	}
	records, _, _ := parse(text)
	for _, r := range slices.Backward(records) {
		if r.Points.Source == source {
			return r, true
		}
	}
	return newest, false
}

// parse also returns the length of the complete lines.
func parse(text []byte) (records []Entry, damaged, complete int) {
	for {
		end := bytes.IndexByte(text[complete:], '\n')
		if end < 0 {
			return records, damaged, complete
		}
		if r, ok := decode(text[complete : complete+end]); ok {
			records = append(records, r)
		} else {
			damaged++
		}
		complete += end + 1
	}
}

// Writer appends to a file. It is for one goroutine, of the process that has the run's directory.
type Writer struct {
	path  string
	file  *os.File
	size  int
	limit int
	next  uint64

	damaged int
}

// Open opens a file to append to, and makes it where there is none.
func Open(path string) (*Writer, error) { return open(path, MaxBytes) }

func open(path string, limit int) (*Writer, error) {
	text, err := load(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("curves: %w", err)
	}
	records, damaged, complete := parse(text)
	w := &Writer{path: path, size: complete, limit: limit, next: 1, damaged: damaged}
	if len(records) > 0 {
		w.next = records[len(records)-1].Sequence + 1
	}
	if w.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return nil, fmt.Errorf("curves: %w", err)
	}
	if err := w.file.Truncate(int64(complete)); err != nil {
		w.file.Close()
		return nil, fmt.Errorf("curves: %w", err)
	}
	return w, nil
}

// Next is the sequence of the stream from which on nothing has been written.
func (w *Writer) Next() uint64 { return w.next }

// Damaged is how many lines of the file were not intact when it was opened. They stay.
func (w *Writer) Damaged() int { return w.damaged }

// Restart has the next message be the stream's first: the stream is another one than that of the
// file. What both have is there twice, which charts pass over, because samples go back.
func (w *Writer) Restart() { w.next = 1 }

// Append writes a message of the stream, of which data is the encoded Points.
func (w *Writer) Append(sequence uint64, data []byte) error {
	w.next = sequence + 1
	points := &messages.Points{}
	if messages.Decode(data, points) != nil {
		return nil // it cannot be shown
	}
	text, err := encode(Entry{sequence, points})
	if err != nil {
		return fmt.Errorf("curves: %w", err)
	}
	if w.size+len(text) > w.limit {
		if err := w.thin(); err != nil {
			return fmt.Errorf("curves: %w", err)
		}
	}
	n, err := w.file.Write(text)
	if err != nil {
		// Without the rest of the line, the next one would be lost as well.
		return fmt.Errorf("curves: %w", errors.Join(err, w.file.Truncate(int64(w.size))))
	}
	w.size += n
	return nil
}

// Close closes the file after everything is on the disk.
func (w *Writer) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }
