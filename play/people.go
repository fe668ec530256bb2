package play

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"croupier/internal/durable"
)

// People keeps a [Diary] for each person who plays at the tables of a [Hall], below one folder. A
// person is known by a key that nobody else has. It may be shared by goroutines.
type People struct {
	Dir   string // made with the first diary
	mutex sync.Mutex
}

// Bounds of what is kept: diaries, and the newest games of each of them.
const (
	maxDiaries    = 2000
	maxDiaryGames = 1000
	maxDiaryBytes = 1 << 20
)

// personKeys are 128 bits.
var personKeys = regexp.MustCompile(`^[0-9a-f]{32}$`)

// CheckPersonKey refuses what is no key of a person.
func CheckPersonKey(key string) error {
	if !personKeys.MatchString(key) {
		return refuse(Wrong, "the key of a person is 32 hexadecimal digits in lower case")
	}
	return nil
}

// diary returns the diary of a person.
func (p *People) diary(key string) (Diary, error) {
	return Diary{Path: filepath.Join(p.Dir, key+".jsonl")}, CheckPersonKey(key)
}

// Read returns the games of a person; there are none of a key that nobody has.
func (p *People) Read(key string) ([]Entry, error) {
	d, err := p.diary(key)
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return d.Read()
}

// Delete forgets a person's games.
func (p *People) Delete(key string) error {
	d, err := p.diary(key)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return d.Delete()
}

// add writes a game into a person's diary. A game of the same table takes the place of the one
// before: its end was taken back.
func (p *People) add(key string, e Entry) error {
	return p.change(key, func(entries []Entry) ([]Entry, error) {
		for i := range entries {
			if entries[i].Table == e.Table {
				entries[i] = e
				return entries, nil
			}
		}
		return append(entries, e), p.fits(key)
	})
}

// judge notes how accurately a person played at a table. A game that is not in the diary, or no
// more, does not come into it.
func (p *People) judge(key, table string, accuracy float64) error {
	return p.change(key, func(entries []Entry) ([]Entry, error) {
		for i := range entries {
			if entries[i].Table == table {
				entries[i].Accuracy = &accuracy
				return entries, nil
			}
		}
		return nil, nil
	})
}

// fits refuses a diary more than there may be.
func (p *People) fits(key string) error {
	if _, err := os.Stat(filepath.Join(p.Dir, key+".jsonl")); err == nil {
		return nil
	}
	files, err := os.ReadDir(p.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(files) >= maxDiaries {
		return fmt.Errorf("there are %d files of people already: the games of one more are not kept", len(files))
	}
	return nil
}

// change replaces a person's diary as a whole, so that a crash leaves the old one or the new one.
// do returns nil where nothing changes.
func (p *People) change(key string, do func([]Entry) ([]Entry, error)) error {
	d, err := p.diary(key)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	entries, err := d.Read()
	if err != nil {
		return err
	}
	if entries, err = do(entries); err != nil || entries == nil {
		return err
	}
	document, err := newest(entries)
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(p.Dir, 0o700); err != nil {
		return fmt.Errorf("diary: %w", err)
	}
	return durable.WriteSecret(d.Path, document)
}

// newest writes as many of the newest games as fit.
func newest(entries []Entry) ([]byte, error) {
	var lines [][]byte
	size := 0
	for _, e := range entries[max(0, len(entries)-maxDiaryGames):] {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("diary: %w", err)
		}
		lines = append(lines, append(line, '\n'))
		size += len(line) + 1
	}
	for ; size > maxDiaryBytes; lines = lines[1:] {
		size -= len(lines[0])
	}
	return bytes.Join(lines, nil), nil
}

// note writes a finished game into the diaries of those who played it from its beginning. A diary
// that cannot be written does not keep anybody from playing.
func (r *room) note(now time.Time) {
	if len(r.table.plan.From) > 0 || r.table.plan.Start != nil || r.hall.People == nil {
		return
	}
	entries, err := r.table.Entries(now)
	if err != nil {
		r.hall.Log.Error("A finished game cannot be noted", "table", r.id, "error", err)
		return
	}
	for _, e := range entries {
		key := r.table.Chair(e.Seat).PersonKey
		if key == "" {
			continue
		}
		e.Table, e.History = r.id, nil
		if err := r.hall.People.add(key, e); err != nil {
			r.hall.Log.Warn("A person's game is not kept", "table", r.id, "error", err)
		}
	}
}

// Judge notes in the diary of the person with that key how accurate a review found them, 0..100.
func (h *Hall) Judge(id, key string, accuracy float64) error {
	r, p, err := h.pass(id, key)
	if err != nil {
		return err
	}
	if err := p.seated(); err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch person := r.table.Chair(p.seats[0]).PersonKey; {
	case !(accuracy >= 0 && accuracy <= 100):
		return refuse(Wrong, "accuracy is %v, not in 0..100", accuracy)
	case !r.table.Over():
		return refuse(Forbidden, "a game is reviewed when it is over")
	case person == "" || h.People == nil:
		return nil
	default:
		return h.People.judge(person, r.id, accuracy)
	}
}
