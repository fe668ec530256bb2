package advice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/strict"
)

// Report is the review of a number of games under the same rules.
type Report struct {
	Game      string     `json:"game"`
	Rules     any        `json:"rules"`
	Agent     string     `json:"agent"`
	Exact     bool       `json:"exact"`
	Unit      string     `json:"unit"`
	Games     int        `json:"games"`
	Seats     []Lost     `json:"seats"`
	Decisions []Decision `json:"decisions"` // in order
}

// ReviewAll judges all records of a reader, which must share the first one's game and
// rules; begin is called once, with that game. Errors name the line.
func ReviewAll(
	ctx context.Context, in *history.Reader, find history.Find, begin func(engine.Game) (*Reviewer, error),
) (*Report, error) {
	var (
		rec      history.Record
		reviewer *Reviewer
		report   = &Report{Decisions: []Decision{}}
		show     = func(d *Decision) error { report.Decisions = append(report.Decisions, *d); return nil }
	)
	for {
		err := in.Read(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		game, err := find(rec.Game, strict.JSON(rec.Rules))
		if err == nil && reviewer == nil {
			reviewer, err = begin(game)
		}
		if err == nil && engine.RulesHash(game) != engine.RulesHash(reviewer.Game) {
			err = fmt.Errorf("a review covers one game: this record is of %s, those before it of %s",
				describe(game), describe(reviewer.Game))
		}
		if err == nil {
			err = reviewer.Review(ctx, &rec, show)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", in.Line(), err)
		}
	}
	if reviewer == nil {
		return nil, errors.New("there are no games")
	}
	report.Game, report.Rules = reviewer.Game.Spec().Name, reviewer.Game.Rules()
	report.Agent, report.Unit = reviewer.Agent.Name, reviewer.Unit
	report.Exact, report.Games, report.Seats = reviewer.Exact, reviewer.Games, reviewer.Seats
	return report, nil
}

// describe names a game with its rules.
func describe(g engine.Game) string {
	rules, err := json.Marshal(g.Rules())
	if err != nil {
		return g.Spec().Name
	}
	return g.Spec().Name + " " + string(rules)
}
