package advice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"croupier/engine"
	"croupier/engine/history"
)

// Report is the review of a number of games under the same rules.
type Report struct {
	Game        string       `json:"game"`
	Rules       any          `json:"rules"`
	Agent       string       `json:"agent"`
	Adviser     Adviser      `json:"adviser"`
	Exact       bool         `json:"exact"`
	coins       bool         // Unit is one that people count in
	Unit        string       `json:"unit"`
	UnitMeaning string       `json:"unit_meaning,omitempty"` // see [Answer]
	Games       int          `json:"games"`
	Seats       []SeatReview `json:"seats"`
	Decisions   []Decision   `json:"decisions"` // in order
	Notes       []string     `json:"notes,omitempty"`
}

// ReviewAll judges all records of a reader, which must share the first one's game and
// rules; begin is called once, with that game. Errors name the line. When the budget, unless it
// is 0, is over, the report covers the games judged by then, at least one, and notes it.
func ReviewAll(
	ctx context.Context, in *history.Reader, find history.Find, budget time.Duration,
	begin func(engine.Game) (*Reviewer, error),
) (*Report, error) {
	var (
		rec      history.Record
		reviewer *Reviewer
		report   = &Report{Decisions: []Decision{}}
		show     = func(d *Decision) error { report.Decisions = append(report.Decisions, *d); return nil }
	)
	timed, stop := ctx, context.CancelFunc(func() {})
	if budget > 0 {
		timed, stop = context.WithTimeout(ctx, budget)
	}
	defer stop()
	for {
		err := in.Read(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		limit := timed
		if reviewer == nil {
			limit = ctx
		}
		if reviewer, err = reviewerOf(&rec, find, reviewer, begin); err == nil {
			err = reviewer.Review(limit, &rec, show)
		}
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			report.Notes = append(report.Notes, fmt.Sprintf("the time of %v was used up after %d of the games; "+
				"\"croupier advise review\" judges all of them, with the same numbers", budget, reviewer.Games))
			break
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", in.Line(), err)
		}
	}
	if reviewer == nil {
		return nil, errors.New("there are no games")
	}
	report.sum(reviewer)
	return report, nil
}

// reviewerOf returns the reviewer of a record: the one of those before it, or for the first, which
// has none, a new one.
func reviewerOf(
	rec *history.Record, find history.Find, reviewer *Reviewer, begin func(engine.Game) (*Reviewer, error),
) (*Reviewer, error) {
	game, err := find(rec.Game, rec.Rules)
	switch {
	case err != nil:
		return reviewer, err
	case reviewer == nil:
		return begin(game)
	case engine.RulesHash(game) != engine.RulesHash(reviewer.Game):
		return reviewer, fmt.Errorf("a review covers one game: this record is of %s, those before it of %s",
			describe(game), describe(reviewer.Game))
	}
	return reviewer, nil
}

// sum enters what the reviewer found out.
func (r *Report) sum(reviewer *Reviewer) {
	r.Game, r.Rules = reviewer.Game.Spec().Name, reviewer.Game.Rules()
	r.Agent, r.Adviser = reviewer.Agent.Name, reviewer.Agent.Adviser
	r.Unit, r.UnitMeaning = reviewer.Unit, reviewer.UnitMeaning
	r.coins = r.Unit == reviewer.Game.Spec().Coin.Name
	idle := reviewer.Options.idle(reviewer.Agent, reviewer.Agent.New())
	r.Notes = slices.Concat(reviewer.Agent.Adviser.notes(reviewer.Game.Spec()), idle, r.Notes)
	r.Exact, r.Games, r.Seats = reviewer.Exact, reviewer.Games, reviewer.Seats()
}

// describe names a game with its rules.
func describe(g engine.Game) string {
	rules, err := json.Marshal(g.Rules())
	if err != nil {
		return g.Spec().Name
	}
	return g.Spec().Name + " " + string(rules)
}
