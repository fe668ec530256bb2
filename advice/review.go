package advice

import (
	"context"
	"encoding/json"

	"croupier/engine"
	"croupier/engine/history"
)

// Decision is one decision of a game that was played, judged by what the seat knew.
type Decision struct {
	GameIndex int             `json:"game_index"` // from 0
	Step      int             `json:"step"`       // index in the history
	Seat      int             `json:"seat"`
	Position  json.RawMessage `json:"position,omitempty"` // if it can be written down
	Taken     int             `json:"taken"`
	TakenName string          `json:"taken_name"`
	Best      int             `json:"best"`
	BestName  string          `json:"best_name"`
	Loss      float64         `json:"loss"` // of the action taken
	LossLow   float64         `json:"loss_low"`
	LossHigh  float64         `json:"loss_high"`
	Reason    string          `json:"reason"`
}

// Lost is what one seat lost by its decisions.
type Lost struct {
	Seat      int     `json:"seat"`
	Decisions int     `json:"decisions"` // with a choice
	Mistakes  int     `json:"mistakes"`  // with a certain loss: its whole interval is above 0
	Loss      float64 `json:"loss"`      // sum
}

// Reviewer judges records of one game with one agent, and keeps the sums.
type Reviewer struct {
	Game  engine.Game
	Agent Agent
	// Options limit the playouts for one decision.
	Options Options

	Exact bool
	Unit  string
	Seats []Lost
	Games int
}

// NewReviewer returns a Reviewer that has not judged a game yet.
func NewReviewer(g engine.Game, agent Agent, o Options) *Reviewer {
	r := &Reviewer{Game: g, Agent: agent, Options: o, Exact: true}
	for seat := range g.Spec().Seats {
		r.Seats = append(r.Seats, Lost{Seat: seat})
	}
	return r
}

// Review judges every decision of a record, a game played to its end, and calls show in
// order for each decision that was a choice. An invalid record gives a *history.Error.
func (r *Reviewer) Review(ctx context.Context, rec *history.Record, show func(*Decision) error) error {
	err := history.NewReplayer(r.Game).Replay(rec, func(s engine.State, step int) error {
		if seat := s.Player(); seat < 0 || len(s.LegalActions(nil)) < 2 || !legal(s, rec.History[step]) {
			return nil // the replay itself refuses illegal steps
		}
		d, err := r.judge(ctx, s, rec.History[:step], rec.History[step])
		if err != nil {
			return err
		}
		return show(d)
	})
	if err == nil {
		r.Games++
	}
	return err
}

func legal(s engine.State, action int) bool {
	for _, a := range s.LegalActions(nil) {
		if a == action {
			return true
		}
	}
	return false
}

// judge asks about one decision.
func (r *Reviewer) judge(ctx context.Context, s engine.State, past []int, taken int) (*Decision, error) {
	a, err := Advise(ctx, Question{Game: r.Game, State: s, History: past}, r.Agent, r.Options)
	if err != nil {
		return nil, err
	}
	r.Exact = r.Exact && a.Exact
	r.Unit = a.Unit
	entry, best := a.Of(taken), a.Of(a.Best)
	d := &Decision{
		GameIndex: r.Games, Step: len(past), Seat: a.Seat,
		Taken: taken, TakenName: entry.Name, Best: a.Best, BestName: best.Name,
		Loss: entry.Loss, LossLow: entry.LossLow, LossHigh: entry.LossHigh, Reason: a.Reason,
	}
	if g, ok := r.Game.(engine.Positioned); ok {
		d.Position = g.FormatPosition(s, a.Seat)
	}
	sum := &r.Seats[a.Seat]
	sum.Decisions++
	sum.Loss += entry.Loss
	if entry.LossLow > same {
		sum.Mistakes++
	}
	return d, nil
}
