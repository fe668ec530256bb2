package crew

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// fetch is files that come part by part.
type fetch struct {
	from  place // whose files; without file and offset
	want  []entry
	have  []File
	asked time.Time // when the next part was asked for last
}

func newFetch(from place, want []entry, most int64) (*fetch, error) {
	if err := checkEntries(want, most); err != nil {
		return nil, err
	}
	return &fetch{from: from, want: want}, nil
}

// next returns the place of the part that comes next; false: all files are there.
func (f *fetch) next() (place, bool) {
	at := f.from
	if n := len(f.have); n > 0 && int64(len(f.have[n-1].Data)) < f.want[n-1].Size {
		at.File, at.Offset = f.have[n-1].Name, int64(len(f.have[n-1].Data))
		return at, true
	}
	for n := len(f.have); n < len(f.want); n = len(f.have) {
		f.have = append(f.have, File{Name: f.want[n].Name})
		if f.want[n].Size > 0 {
			at.File = f.want[n].Name
			return at, true
		}
	}
	return at, false
}

// take adds a part. One that was not expected, as the second answer to a question that was repeated, is left out. done
// says that all files are there, and are what was announced.
func (f *fetch) take(p *part) (done bool, err error) {
	next, more := f.next()
	if !more || p.place != next || len(p.Data) == 0 {
		return false, nil
	}
	n := len(f.have) - 1
	if int64(len(f.have[n].Data)+len(p.Data)) > f.want[n].Size {
		return false, fmt.Errorf("file %s is longer than was announced", shown(f.want[n].Name))
	}
	f.have[n].Data = append(f.have[n].Data, p.Data...)
	if _, more = f.next(); more {
		return false, nil
	}
	return true, f.verify()
}

func (f *fetch) verify() error {
	for i, file := range f.have {
		if sum := sha256.Sum256(file.Data); hex.EncodeToString(sum[:]) != f.want[i].SHA256 {
			return fmt.Errorf("file %s is not what was announced", shown(file.Name))
		}
	}
	return nil
}

// due returns the question for the next part where it is time to ask: at first, after an answer, and again when no
// answer has come within a while.
func (f *fetch) due(now time.Time, again time.Duration) (*message, bool) {
	at, more := f.next()
	if !more || now.Sub(f.asked) < again {
		return nil, false
	}
	f.asked = now
	return &message{Ask: &ask{at}}, true
}

// partOf answers a question about files; false: there is no such part.
func partOf(files []File, at place) (*message, bool) {
	for _, f := range files {
		if f.Name == at.File && at.Offset < int64(len(f.Data)) {
			end := min(at.Offset+partBytes, int64(len(f.Data)))
			return &message{Part: &part{at, f.Data[at.Offset:end]}}, true
		}
	}
	return nil, false
}
