package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/seed"
	"croupier/messages"
)

// Errors of readers, wrapped with what was being read.
var (
	// ErrNoGame: the archive has no such game, or not any more.
	ErrNoGame = errors.New("there is no such game in the archive; the oldest are thrown away when it is full")
	// ErrDamaged: the game was there, and its block was damaged on disk.
	ErrDamaged = errors.New("its block is damaged on disk")
)

// Class reports how long a game is kept.
type Class int

// The classes, in the order in which they are thrown away.
const (
	Training Class = iota
	Arena
	Best // games of the arena with the agent that was best
)

// classes lists all of them.
var classes = [...]Class{Training, Arena, Best}

func (c Class) String() string { return [...]string{"training", "arena", "best"}[c] }

// Purposes of games.
const (
	TrainingPurpose = "training"
	ArenaPurpose    = "arena"
)

// Purpose is what games of the class were played for.
func (c Class) Purpose() string {
	if c == Training {
		return TrainingPurpose
	}
	return ArenaPurpose
}

// ID identifies a game within an archive.
type ID struct {
	class   Class
	segment int
	number  uint32 // in the segment
}

func (id ID) String() string {
	return fmt.Sprintf("%c%d.%d", id.class.String()[0], id.segment, id.number)
}

// MarshalText implements encoding.TextMarshaler.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// ParseID reads an ID as String writes it.
func ParseID(text string) (ID, error) {
	segment, number, _ := strings.Cut(text, ".")
	for _, c := range classes {
		digits, found := strings.CutPrefix(segment, c.String()[:1])
		s, err := strconv.ParseUint(digits, 10, 31)
		n, wrong := strconv.ParseUint(number, 10, 32)
		if id := (ID{c, int(s), uint32(n)}); found && err == nil && wrong == nil && id.String() == text {
			return id, nil
		}
	}
	return ID{}, fmt.Errorf("invalid ID of a game %.40q: it must look like a12.345", text)
}

// Agent is who played.
type Agent struct {
	Name string `json:"name"`
	// Version of a learning agent's published weights; 0 for others.
	Version uint64 `json:"version,omitempty"`
	// SHA256 of the file with the weights, hex; "" where there is none.
	SHA256 string `json:"sha256,omitempty"`
}

// Summary is what the index says of a game.
type Summary struct {
	ID      ID     `json:"id"`
	Purpose string `json:"purpose"`         // "training" or "arena"
	Best    bool   `json:"best,omitempty"`  // the agent that was best took part, in the arena
	Match   string `json:"match,omitempty"` // of the arena
	// Time at which the game came into the archive, to the millisecond.
	Time    time.Time `json:"time"`
	Agents  []Agent   `json:"agents"`  // by seat
	Returns []float64 `json:"returns"` // by seat, in the game's unit, to the precision of float32
	Steps   int       `json:"steps"`   // actions and outcomes of chance
	// Review is of the game's most expensive decision; nil: it was not judged.
	Review *Review `json:"review,omitempty"`
}

// Game is a game with all that is kept of it.
type Game struct {
	Summary
	Game    string          `json:"game"`
	Rules   json.RawMessage `json:"rules"`
	Seed    seed.Number     `json:"seed"`
	History []byte          `json:"-"` // packed as in messages.Episode
	Width   int             `json:"-"` // bytes of a step there
}

// Record makes the game that was played and its history, as programs read it. An error says
// that the catalog has no such game, or plays it differently.
func (g *Game) Record(games *catalog.Catalog) (engine.Game, *history.Record, error) {
	game, err := games.New(g.Game, g.Rules)
	if err != nil {
		return nil, nil, fmt.Errorf("game %v: %w", g.ID, err)
	}
	rec := &history.Record{Game: g.Game, Rules: g.Rules, Seed: (*uint64)(&g.Seed), History: make([]int, g.Steps)}
	for i := range rec.History {
		rec.History[i] = messages.StepAt(g.History, g.Width, i)
	}
	if err := history.NewReplayer(game).Complete(rec); err != nil {
		return nil, nil, fmt.Errorf("game %v: %w", g.ID, err)
	}
	return game, rec, nil
}

// Opened is a game as programs are shown it.
type Opened struct {
	*Game
	// History is the game as the line that replay and review read, without its newline.
	History string `json:"history"`
}

// Opened adds the line of the game's history.
func (g *Game) Opened(games *catalog.Catalog) (*Opened, error) {
	_, rec, err := g.Record(games)
	if err != nil {
		return nil, err
	}
	return &Opened{g, strings.TrimSpace(string(history.Append(nil, rec)))}, nil
}
