package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/seed"
	"croupier/internal/strict"
)

// Saved is a game that is not over, as a file, with all that is needed to continue.
type Saved struct {
	History string `json:"history"` // a line as package history writes it
	// Position is where the history begins (engine.Positioned), where that is not the beginning of the game.
	Position       string        `json:"position,omitempty"`
	Seats          []SeatRequest `json:"seats"`
	TimeoutSeconds float64       `json:"timeout_seconds,omitempty"`
	Entered        bool          `json:"entered,omitempty"`
	Seed           seed.Number   `json:"seed"`
	Run            string        `json:"run,omitempty"` // directory
}

// Save returns the table as a file.
func (t *Table) Save(run string) ([]byte, error) {
	s, err := t.saved(run)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(s, "", "  ")
}

// saved returns the game, as it is written.
func (t *Table) saved(run string) (*Saved, error) {
	s := &Saved{
		History: strings.TrimSpace(string(history.Append(nil, t.Record()))), Seed: seed.Number(t.plan.Seed), Run: run,
		TimeoutSeconds: t.plan.Timeout.Seconds(), Entered: t.plan.Entered,
	}
	if start := t.plan.Start; start != nil {
		game, err := engine.Written(t.Game())
		if err != nil {
			return nil, err
		}
		s.Position = cmp.Or(engine.LineOf(game, start), string(game.FormatPosition(start, start.Player())))
	}
	for _, p := range t.places {
		s.Seats = append(s.Seats, SeatRequest{Person: p.Name, Agent: p.Agent.Name, Open: p.Kind == Vacant})
	}
	return s, nil
}

// ReadSaved reads such a file.
func ReadSaved(document []byte) (*Saved, error) {
	s := &Saved{}
	if err := strict.JSON(document).DecodeWhole(s); err != nil {
		return nil, fmt.Errorf("not a saved game: %w", err)
	}
	for seat, q := range s.Seats {
		if err := q.check(); err != nil {
			return nil, fmt.Errorf("seats[%d]: %w", seat, err)
		}
	}
	return s, nil
}

// Plan returns the plan of a table at which the game continues, with agents that find knows.
func (s *Saved) Plan(
	ctx context.Context, games *catalog.Catalog, find func(engine.Game) *agents.Agents,
) (Plan, error) {
	record, err := s.record()
	if err != nil {
		return Plan{}, err
	}
	game, err := games.New(record.Game, record.Rules)
	if err != nil {
		return Plan{}, err
	}
	p, err := s.plan(game, record)
	if err != nil {
		return Plan{}, err
	}
	known := find(game)
	for _, q := range s.Seats {
		chair := Chair{Kind: Person, Name: q.Person}
		if q.Agent != "" {
			chair.Kind = Robot
			if chair.Agent, err = Find(ctx, known, q.Agent); err != nil {
				return Plan{}, err
			}
		}
		p.Chairs = append(p.Chairs, chair)
	}
	return p, nil
}

// record reads the history.
func (s *Saved) record() (*history.Record, error) {
	record := &history.Record{}
	if err := history.NewReader(strings.NewReader(s.History)).Read(record); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("there is none")
		}
		return nil, fmt.Errorf("history: %w", err)
	}
	return record, nil
}

// plan returns the plan of a table without its chairs.
func (s *Saved) plan(game engine.Game, record *history.Record) (p Plan, err error) {
	p = Plan{
		Game: game, Seed: uint64(s.Seed), From: record.History, Undo: true, Entered: s.Entered,
		Timeout: time.Duration(s.TimeoutSeconds * float64(time.Second)),
	}
	if s.Position != "" {
		if p.Start, _, _, err = engine.PositionOf(game, []byte(s.Position), engine.NewRNG(1, 0)); err != nil {
			return p, fmt.Errorf("position: %w", err)
		}
	}
	return p, nil
}
