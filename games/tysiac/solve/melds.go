package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/tysiac"
	"croupier/games/tysiac/cards"
	"croupier/games/tysiac/doubledummy"
	"croupier/internal/stat"
	"croupier/internal/texttable"
)

// MeldTiming is what open cards say about when melds were declared: about all leads to a trick by
// a seat that could have declared one. Intervals take each game as one observation.
type MeldTiming struct {
	Trick int `json:"trick"` // from 1; 0: all
	Leads int `json:"leads"`
	// Declared is the share of the leads that declare a meld.
	Declared stat.Interval `json:"declared"`
	// Waiting is the best value of a lead without declaration less that of one with it: points that
	// the leader still gets, less the other's, under perfect play of both with open cards.
	Waiting stat.Interval `json:"waiting"`
	// Lost is what the choice between the two gave up by that measure, points per lead.
	Lost stat.Interval `json:"lost"`
}

// handTricks is the number of tricks of a hand.
const handTricks = 10

// meldSums are the sums of a trick's leads: over games, and those of the present game.
type meldSums struct {
	leads                   int
	declared, waiting, lost stat.Ratio
	now                     struct{ leads, declared, waiting, lost float64 }
}

func (m *meldSums) add(declared bool, waiting float64) {
	m.leads++
	m.now.leads++
	m.now.waiting += waiting
	if declared {
		m.now.declared++
		m.now.lost += max(0, waiting)
	} else {
		m.now.lost += max(0, -waiting)
	}
}

func (m *meldSums) endGame() {
	m.declared.Add(m.now.declared, m.now.leads)
	m.waiting.Add(m.now.waiting, m.now.leads)
	m.lost.Add(m.now.lost, m.now.leads)
	m.now = struct{ leads, declared, waiting, lost float64 }{}
}

// TimeMelds reads histories of tysiac and tysiac-hand, and returns the timing of the melds of all
// tricks and, after it, of each trick with enough leads for intervals. Errors are [history.Error]
// values, except that of ctx and [history.ErrNoGames]. It calls progress, unless that is nil, after each game.
func TimeMelds(ctx context.Context, in io.Reader, progress func(games int)) ([]MeldTiming, error) {
	var (
		reader = history.NewReader(in)
		solver = doubledummy.New()
		rec    history.Record
		sums   [1 + handTricks]meldSums
	)
	for ctx.Err() == nil {
		err := reader.Read(&rec)
		if errors.Is(err, io.EOF) && reader.Games() == 0 {
			return nil, history.ErrNoGames
		}
		if errors.Is(err, io.EOF) {
			return timings(&sums), nil
		}
		if err != nil {
			return nil, err
		}
		if err := timeMelds(&rec, solver, &sums); err != nil {
			return nil, located(err, reader.Line())
		}
		for i := range sums {
			sums[i].endGame()
		}
		if progress != nil {
			progress(reader.Games())
		}
	}
	return nil, ctx.Err()
}

// located names the line of an error.
func located(err error, line int) error {
	var at *history.Error
	if !errors.As(err, &at) {
		at = &history.Error{Step: -1, Err: err}
	}
	return &history.Error{Line: line, Step: at.Step, Err: at.Err}
}

// timeMelds replays a game and adds its leads with a meld.
func timeMelds(rec *history.Record, solver *doubledummy.Solver, sums *[1 + handTricks]meldSums) error {
	s, err := newState(rec)
	if err != nil {
		return err
	}
	for i, step := range rec.History {
		p, playing := s.OpenPosition()
		if err := s.Apply(step); err != nil {
			return &history.Error{Step: i, Err: err}
		}
		if !playing || p.Led != cards.NoCard || p.Leader.Melds() == 0 {
			continue
		}
		waiting := waitingValue(solver.Moves(&p, nil))
		for _, trick := range []int{0, handTricks - p.Leader.Len() + 1} {
			sums[trick].add(step >= tysiac.Declare, waiting)
		}
	}
	return nil
}

// newState begins the game of a record.
func newState(rec *history.Record) (*tysiac.State, error) {
	entry, known := map[string]func([]byte) (engine.Game, error){"tysiac": tysiac.New,
		"tysiac-hand": tysiac.NewHand}[rec.Game]
	if !known {
		return nil, fmt.Errorf("the game is %s, not tysiac or tysiac-hand", rec.Game)
	}
	game, err := entry([]byte(rec.Rules))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rec.Game, err)
	}
	return game.NewState().(*tysiac.State), nil
}

// waitingValue is the best value of a move that declares nothing less that of one that declares.
func waitingValue(moves []doubledummy.Valued) float64 {
	waiting, declaring := math.MinInt, math.MinInt
	for _, m := range moves {
		if m.Declare {
			declaring = max(declaring, m.Value)
		} else {
			waiting = max(waiting, m.Value)
		}
	}
	return float64(waiting - declaring)
}

// timings turns sums into numbers, without tricks that have too few games.
func timings(sums *[1 + handTricks]meldSums) (all []MeldTiming) {
	for trick := range sums {
		m := &sums[trick]
		t := MeldTiming{Trick: trick, Leads: m.leads}
		var known bool
		if t.Waiting, known = m.waiting.Estimate(); !known {
			continue
		}
		t.Declared, _ = m.declared.EstimateShare()
		t.Lost, _ = m.lost.Estimate()
		all = append(all, t)
	}
	return all
}

// RenderMelds writes the timing for people.
func RenderMelds(w io.Writer, timings []MeldTiming) error {
	t := texttable.New(1, 2, 3, 4)
	t.AppendHeader([]any{"trick", "leads with a meld", "declared", "value of waiting, points", "lost, points"})
	for _, m := range timings {
		name := any(m.Trick)
		if m.Trick == 0 {
			name = "all"
		}
		t.AppendRow([]any{name, m.Leads, fmt.Sprintf("%.1f %%", 100*m.Declared.Value), withHalf(m.Waiting), withHalf(m.Lost)})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

func withHalf(i stat.Interval) string { return fmt.Sprintf("%+.1f ± %.1f", i.Value, (i.High-i.Low)/2) }
