package crew

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"croupier/messages"
	"croupier/messages/bus"
)

const (
	// Period is the time between two reports, and between two orders.
	Period = time.Second
	// Silence is how long a desk or a worker may be silent before it counts as lost.
	Silence = 30 * time.Second
)

// Limits of messages.
const (
	// MaxFiles is the most files of a task, and of an outcome.
	MaxFiles = 8
	// MaxTask and MaxOutcome are the most bytes of these files.
	MaxTask    = 1 << 20
	MaxOutcome = 300 << 20
	// MaxProcessors is the most processors of a task, and of a worker.
	MaxProcessors = 1024

	maxAssignments = 1024 // of a worker, and of an order
	maxWords       = 300  // bytes of a sentence or a title
	partBytes      = 256 << 10
)

// message has one of the fields.
type message struct {
	Report *report `json:"report,omitempty"` // worker to all desks
	Orders *orders `json:"orders,omitempty"` // desk to worker
	Ask    *ask    `json:"ask,omitempty"`    // for a part of a file, either way
	Part   *part   `json:"part,omitempty"`   // the answer
}

// report is all that a worker says of itself.
type report struct {
	Instance   string   `json:"instance"` // of the worker: another one for each start of it
	Processors int      `json:"processors"`
	Free       int      `json:"free"` // of the processors
	Work       []status `json:"work,omitempty"`
	Leaving    bool     `json:"leaving,omitempty"`
}

// phase is how far an assignment is.
type phase string

const (
	fetching phase = "fetching" // its files are on their way to the worker
	working  phase = "working"
	done     phase = "done"    // there is an outcome
	refused  phase = "refused" // the worker does no such tasks
	busy     phase = "busy"    // the worker has no processors for it
	broken   phase = "broken"  // it could not be finished here, for a reason that is not the task's
)

// status is what a worker says of an assignment.
type status struct {
	Desk  string  `json:"desk"`
	Name  string  `json:"name"`
	Phase phase   `json:"phase"`
	Why   string  `json:"why,omitempty"` // refused, broken
	Files []entry `json:"files,omitempty"`
}

// orders are all that a desk wants of a worker.
type orders struct {
	Desk     string  `json:"desk"` // another one for each start of it
	Title    string  `json:"title"`
	Version  string  `json:"version"` // of the program
	Instance string  `json:"instance"`
	Work     []order `json:"work,omitempty"`
	Over     bool    `json:"over,omitempty"` // the desk ends
}

// order is an assignment that a worker is to have.
type order struct {
	Name       string  `json:"name"`
	Title      string  `json:"title"`
	Processors int     `json:"processors"`
	Files      []entry `json:"files"`
}

// entry describes a file.
type entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// place is a place in a file of an assignment, of the task or of the outcome.
type place struct {
	Desk     string `json:"desk"`
	Instance string `json:"instance"` // of the worker
	Name     string `json:"name"`     // of the assignment
	File     string `json:"file"`
	Offset   int64  `json:"offset"`
}

type ask struct{ place }

type part struct {
	place
	Data []byte `json:"data"`
}

// File is a file of a task or of an outcome. Its name has no folder.
type File struct {
	Name string
	Data []byte
}

// entries describes files.
func entries(files []File) (list []entry) {
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		list = append(list, entry{f.Name, int64(len(f.Data)), hex.EncodeToString(sum[:])})
	}
	return list
}

// checkEntries reports why files are not fetched.
func checkEntries(list []entry, most int64) error {
	if len(list) > MaxFiles {
		return fmt.Errorf("%d files are more than %d", len(list), MaxFiles)
	}
	var bytes int64
	for _, e := range list {
		if e.Size < 0 || e.Size > most {
			return fmt.Errorf("a file of %d bytes is not within 0..%d", e.Size, most)
		}
		if bytes += e.Size; bytes > most {
			return fmt.Errorf("the files have more than %d bytes", most)
		}
	}
	if bytes == 0 {
		return errors.New("there are no files")
	}
	return nil
}

// encode writes a message.
func encode(m message) ([]byte, error) {
	data, err := json.Marshal(m)
	if err == nil && len(data) > bus.MaxDatagram {
		err = fmt.Errorf("a message of %d bytes is more than %d", len(data), bus.MaxDatagram)
	}
	return data, err
}

// decode reads a message, and refuses what no program of this kind says. Fields that it does not know are passed over:
// they may be of another version.
func decode(data []byte) (m message, err error) {
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&m); err != nil {
		return m, fmt.Errorf("message: %w", err)
	}
	switch {
	case m.Report != nil:
		return m, m.Report.check()
	case m.Orders != nil:
		return m, m.Orders.check()
	case m.Ask != nil:
		return m, m.Ask.check()
	case m.Part != nil:
		return m, m.Part.check()
	}
	return m, errors.New("message: it says nothing")
}

func (r *report) check() error {
	if err := messages.CheckToken(r.Instance); err != nil {
		return err
	}
	if r.Processors < 1 || r.Processors > MaxProcessors || r.Free < 0 || r.Free > r.Processors ||
		len(r.Work) > maxAssignments {
		return errors.New("report: numbers out of range")
	}
	for i := range r.Work {
		s := &r.Work[i]
		s.Why = shown(s.Why)
	}
	return nil
}

func (o *orders) check() error {
	if err := errors.Join(messages.CheckToken(o.Desk), messages.CheckToken(o.Instance)); err != nil {
		return err
	}
	if len(o.Work) > maxAssignments {
		return errors.New("orders: too many assignments")
	}
	o.Title, o.Version = shown(o.Title), shown(o.Version)
	for i := range o.Work {
		if err := messages.CheckToken(o.Work[i].Name); err != nil {
			return err
		}
		o.Work[i].Title = shown(o.Work[i].Title)
	}
	return nil
}

func (p *place) check() error {
	if err := errors.Join(messages.CheckToken(p.Desk), messages.CheckToken(p.Instance)); err != nil {
		return err
	}
	if p.Offset < 0 {
		return errors.New("a negative place in a file")
	}
	return nil
}

// shown is a text from the network as it may be printed: on one line, and not long.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + "…"
	}
	return text
}
