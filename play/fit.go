package play

import (
	"encoding/json"
	"fmt"

	"croupier/catalog"
	"croupier/engine"
)

// playersRule is the rule by which a game says how many play, where it lets people choose. There
// may be a dealer besides.
const playersRule = "players"

// maxSeats is the most seats that a game has.
const maxSeats = 8

// Fit returns the game under the same rules for that many seats.
func Fit(entry catalog.Game, game engine.Game, seats int) (engine.Game, error) {
	spec := game.Spec()
	if spec.Seats == seats {
		return game, nil
	}
	text, err := json.Marshal(game.Rules())
	if err != nil {
		return nil, fmt.Errorf("rules of %s: %w", spec.Name, err)
	}
	var rules map[string]any
	if err := json.Unmarshal(text, &rules); err != nil {
		return nil, fmt.Errorf("rules of %s: %w", spec.Name, err)
	}
	players, ok := rules[playersRule].(float64)
	if !ok {
		return nil, fmt.Errorf("%s has %d seats, not %d", spec.Title, spec.Seats, seats)
	}
	others := spec.Seats - int(players)
	rules[playersRule] = seats - others
	if text, err = json.Marshal(rules); err != nil {
		return nil, fmt.Errorf("rules of %s: %w", spec.Name, err)
	}
	fitting, err := entry.New(text)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be played with %d seats: %w", spec.Title, seats, err)
	}
	return fitting, nil
}

// PlayedGame describes a game to people who choose one.
type PlayedGame struct {
	Name           string   `json:"name"`
	Title          string   `json:"title"`
	Summary        string   `json:"summary"`
	Seats          int      `json:"seats"` // under the usual rules
	Fewest         int      `json:"fewest"`
	Most           int      `json:"most"`
	Roles          []string `json:"roles,omitempty"`
	TimeoutSeconds float64  `json:"timeout_seconds"`
	// Entered: people can say what chance does (Request.Entered).
	Entered bool `json:"entered"`
	// Figures are what statistics of the game are about.
	Figures []engine.Figure `json:"figures,omitempty"`
}

// Describe describes a game.
func Describe(entry catalog.Game, game engine.Game) PlayedGame {
	spec := game.Spec()
	p := PlayedGame{
		Name: spec.Name, Title: spec.Title, Summary: spec.Summary,
		Seats: spec.Seats, Fewest: spec.Seats, Most: spec.Seats, Roles: spec.Roles,
		Entered: spec.PerfectInformation && spec.Outcomes > 0, Figures: spec.Figures,
	}
	for seats := 1; seats <= maxSeats; seats++ {
		if _, err := Fit(entry, game, seats); err == nil {
			p.Fewest, p.Most = min(p.Fewest, seats), max(p.Most, seats)
		}
	}
	if timed, ok := game.(engine.Timed); ok {
		p.TimeoutSeconds = timed.Patience().Seconds()
	}
	return p
}
