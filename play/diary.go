package play

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/durable"
)

// Diary is a person's own record of the games they played: a file of JSON lines, which they may
// delete at any time.
type Diary struct{ Path string }

// Entry is a game in a [Diary], as one person played it.
type Entry struct {
	Ended     time.Time       `json:"ended"`
	Game      string          `json:"game"`
	Name      string          `json:"name"`
	Seat      int             `json:"seat"`
	Opponents []string        `json:"opponents"` // agents, and names of people
	Result    string          `json:"result"`    // of Over
	Return    float64         `json:"return"`
	Unit      string          `json:"unit"`
	Figures   []engine.Sum    `json:"figures,omitempty"` // of the game, for the person's seat
	Accuracy  *float64        `json:"accuracy,omitempty"`
	History   json.RawMessage `json:"history,omitempty"`
	Table     string          `json:"table,omitempty"` // of a page; "" in the terminal
}

// Entries returns what a finished table gives each person to write down.
func (t *Table) Entries(now time.Time) (entries []Entry, err error) {
	spec := t.plan.Game.Spec()
	over := t.story.over(t.story.returns()) // of bets of one unit, as statistics are
	sums, err := t.measure()
	if err != nil {
		return nil, err
	}
	line := bytes.TrimSpace(history.Append(nil, t.Record()))
	for seat, p := range t.places {
		if p.Kind != Person {
			continue
		}
		e := Entry{
			Ended: now.UTC().Truncate(time.Second), Game: spec.Name, Name: p.Name, Seat: seat,
			Result: over.Results[seat], Return: over.Returns[seat], Unit: over.Unit, History: line,
			Figures: slices.Clone(sums.Of(seat)),
		}
		for other, o := range t.places {
			if other != seat && !slices.Contains(e.Opponents, o.title()) {
				e.Opponents = append(e.Opponents, o.title())
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// title names who sits in a seat.
func (p *place) title() string {
	if p.Kind == Robot {
		return p.Agent.Title
	}
	return p.Name
}

// measure sums up the figures of the game so far.
func (t *Table) measure() (engine.Sums, error) {
	sums := engine.NewSums(t.plan.Game.Spec())
	s := t.plan.Game.NewState()
	measured, ok := s.(engine.Measured)
	if !ok {
		return sums, nil
	}
	for _, step := range t.story.history {
		measured.MeasureStep(step, sums)
		if err := s.Apply(step); err != nil {
			return sums, fmt.Errorf("measuring the game: %w", err)
		}
	}
	if s.Player() == engine.Terminal {
		measured.MeasureEnd(sums)
	}
	return sums, nil
}

// Add writes a game down, on a line of its own also after one that was not written to its end.
func (d Diary) Add(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("diary: %w", err)
	}
	if err := durable.MkdirAll(filepath.Dir(d.Path), 0o700); err != nil {
		return fmt.Errorf("diary: %w", err)
	}
	f, err := os.OpenFile(d.Path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("diary: %w", err)
	}
	last := []byte{'\n'}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size > 0 {
		_, err = f.ReadAt(last, size-1)
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Close())
}

// maxLine bounds a line of a diary: a long game.
const maxLine = 16 << 20

// Read returns all games; a file that is not there holds none. A line that was not written to its
// end is passed over.
func (d Diary) Read() (entries []Entry, err error) {
	f, err := os.Open(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("diary: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Game != "" {
			entries = append(entries, e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("diary: %s: %w", d.Path, err)
	}
	return entries, nil
}

// Delete forgets everything.
func (d Diary) Delete() error {
	err := os.Remove(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Tally counts games of one kind.
type Tally struct {
	Game     string  `json:"game"`
	What     string  `json:"what"` // "all", "against Expert", "in seat 1"
	Games    int     `json:"games"`
	Won      int     `json:"won"` // or gained
	Tied     int     `json:"tied"`
	Return   float64 `json:"return"` // mean, in Unit
	Unit     string  `json:"unit"`
	Reviewed int     `json:"reviewed"` // games of which the accuracy is known
	Accuracy float64 `json:"accuracy"` // mean of those
	// Accuracies are those of the reviewed games, oldest first.
	Accuracies []float64 `json:"accuracies,omitempty"`
	// Figures are those of the game, by their number; without weight where there was no case.
	Figures []engine.Sum `json:"figures"`
}

// Statistics sums up the games of a diary: for each game all of them, the newest ten, by opponent
// and by seat.
func Statistics(entries []Entry) (tallies []Tally) {
	var gameNames []string
	for _, e := range entries {
		if !slices.Contains(gameNames, e.Game) {
			gameNames = append(gameNames, e.Game)
		}
	}
	for _, game := range gameNames {
		own := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Game != game })
		tallies = append(tallies, tally("all", own))
		if len(own) > recent {
			tallies = append(tallies, tally(fmt.Sprintf("the newest %d", recent), own[len(own)-recent:]))
		}
		tallies = append(tallies, grouped(own, func(e Entry) string {
			return "against " + strings.Join(e.Opponents, ", ")
		})...)
		tallies = append(tallies, grouped(own, func(e Entry) string { return fmt.Sprintf("in seat %d", e.Seat+1) })...)
	}
	return tallies
}

// recent is how many games show how somebody plays now.
const recent = 10

// grouped tallies entries by what a function calls them, in alphabetical order.
func grouped(entries []Entry, by func(Entry) string) (tallies []Tally) {
	groups := map[string][]Entry{}
	var names []string
	for _, e := range entries {
		name := by(e)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], e)
	}
	slices.Sort(names)
	for _, name := range names {
		tallies = append(tallies, tally(name, groups[name]))
	}
	return tallies
}

// tally sums up games of one game, at least one. The mean is of those that are noted in the unit of the newest one.
func tally(what string, entries []Entry) Tally {
	t := Tally{Game: entries[0].Game, What: what, Games: len(entries), Unit: entries[len(entries)-1].Unit}
	counted := 0
	for _, e := range entries {
		switch e.Result {
		case "won", "gained":
			t.Won++
		case "tied", "even":
			t.Tied++
		}
		if e.Unit == t.Unit {
			t.Return += e.Return
			counted++
		}
		if e.Accuracy != nil {
			t.Reviewed++
			t.Accuracy += *e.Accuracy
			t.Accuracies = append(t.Accuracies, *e.Accuracy)
		}
		for i, sum := range e.Figures {
			if i == len(t.Figures) {
				t.Figures = append(t.Figures, engine.Sum{})
			}
			t.Figures[i].Add(sum)
		}
	}
	t.Return /= float64(counted)
	if t.Reviewed > 0 {
		t.Accuracy /= float64(t.Reviewed)
	}
	return t
}
