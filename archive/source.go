package archive

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"croupier/engine"
	"croupier/internal/seed"
	"croupier/messages"
)

// Source makes the games of batches into games of an archive.
type Source struct {
	name  string
	rules json.RawMessage
	width int // bytes of a step
	seats int
}

// NewSource returns the source of games of these rules.
func NewSource(g engine.Game) (*Source, error) {
	rules, err := json.Marshal(g.Rules())
	if err != nil {
		return nil, fmt.Errorf("archive: rules: %w", err)
	}
	spec := g.Spec()
	return &Source{spec.Name, rules, messages.HistoryWidth(spec), spec.Seats}, nil
}

// Game is game i of a batch that is known to be sound.
func (s *Source) Game(batch *messages.Kept, i int) *Game {
	ep := batch.Games[i]
	g := &Game{Game: s.name, Rules: s.rules, Seed: seed.Number(ep.Seed), History: ep.History, Width: s.width}
	g.Match, g.Time, g.Steps = batch.Match, time.Now(), len(ep.History)/s.width
	for seat := range s.seats {
		a := batch.Agents[ep.Seats[seat]]
		g.Agents = append(g.Agents, Agent{Name: a.Name, Version: a.Version, SHA256: hex.EncodeToString(a.Sha256)})
		g.Returns = append(g.Returns, float64(messages.FloatAt(ep.Returns, seat)))
	}
	return g
}
