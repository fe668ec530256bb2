package advice

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/stat"
)

// Decision is one decision of a game that was played, judged by what the seat knew.
type Decision struct {
	GameIndex int             `json:"game_index"` // from 0
	Step      int             `json:"step"`       // index in the history
	Seat      int             `json:"seat"`
	Position  json.RawMessage `json:"position,omitempty"` // if it can be written down
	Line      string          `json:"line,omitempty"`     // the position in one line
	Taken     int             `json:"taken"`
	TakenName string          `json:"taken_name"`
	Best      int             `json:"best"`
	BestName  string          `json:"best_name"`
	Value     float64         `json:"value"` // of the action taken
	Loss      float64         `json:"loss"`  // of the action taken, see [Action]
	LossLow   float64         `json:"loss_low"`
	LossHigh  float64         `json:"loss_high"`
	P         float64         `json:"p_value"`
	Mistake   bool            `json:"mistake"`
	Reason    string          `json:"reason"`
	// Alternatives are all legal actions, ascending.
	Alternatives []Alternative `json:"alternatives"`

	shortfall stat.Interval // against what the judge plays
	spread    float64       // shortfall of the worst action
	key       string        // of the position
	odd       bool          // the judge itself would not do it; found out only where P is small
}

// Alternative is what a decision could have been, with the loss of an [Action].
type Alternative struct {
	Action    int      `json:"action"`
	Name      string   `json:"name"`
	Loss      float64  `json:"loss"`
	Frequency *float64 `json:"frequency,omitempty"`
}

// SeatReview is how one seat decided where it had a choice.
type SeatReview struct {
	Seat      int `json:"seat"`
	Decisions int `json:"decisions"`
	// Mistakes are decisions that certainly lost something and that the judge would not have made.
	// A seat that makes none is charged with one in at most 5 % of games.
	Mistakes int `json:"mistakes"`
	// LossPerDecision is what the judge's own play was worth more than the seat's, on average: the
	// mean of the judge's advantage function, with the opposite sign. So a judge that reviews itself
	// loses nothing, however weak it is, and an agent that plays better than the judge is below 0 (S. Kakade,
	// J. Langford, "Approximately optimal approximate reinforcement learning", 2002, lemma 6.1).
	LossPerDecision float64 `json:"loss_per_decision"`
	LossLow         float64 `json:"loss_low"` // 95 % interval of the mean
	LossHigh        float64 `json:"loss_high"`
	// Accuracy is 100 for a seat that lost nothing, 0 for one that always took the worst action:
	// 100·(1 - Σ loss / Σ loss of the worst action).
	Accuracy float64 `json:"accuracy"`
}

// charge is the probability, for each seat and game, with which a seat that makes no mistake is
// charged with one.
const charge = 0.05

// Reviewer judges records of one game with one agent, and keeps the sums.
type Reviewer struct {
	Game  engine.Game
	Agent Agent
	// Options limit the playouts for one decision.
	Options Options
	// Span bounds the steps of a game whose decisions are judged.
	Span Span
	// Wait, unless nil, is called before each decision that is judged, and may hold it up.
	Wait func(ctx context.Context) error
	// Progress, unless nil, is called after each decision that was judged, with the steps of the game up to it.
	Progress func(game, steps, of int)

	Exact       bool
	Unit        string
	UnitMeaning string
	Games       int

	sums []seatSums
}

// Span is a part of a game: the steps From to To-1, or all from From on where To is 0.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func (s Span) covers(step int) bool { return step >= s.From && (s.To == 0 || step < s.To) }

// seatSums are what a [SeatReview] is made of.
type seatSums struct {
	decisions, mistakes int
	loss, spread        float64
	below, above        map[string]float64 // by position, the sum of margins
}

// NewReviewer returns a Reviewer that has not judged a game yet.
func NewReviewer(g engine.Game, agent Agent, o Options) *Reviewer {
	r := &Reviewer{Game: g, Agent: agent, Options: o, Exact: true}
	for range g.Spec().Seats {
		r.sums = append(r.sums, seatSums{below: map[string]float64{}, above: map[string]float64{}})
	}
	return r
}

// Review judges every decision of a record, a game played to its end, and calls show in
// order for each decision that was a choice and lies in the Span. An invalid record gives a
// *history.Error.
func (r *Reviewer) Review(ctx context.Context, rec *history.Record, show func(*Decision) error) error {
	var made []*Decision
	choices := make([]int, len(r.sums)) // by seat, in the whole game
	err := history.NewReplayer(r.Game).Replay(rec, func(s engine.State, step int) error {
		legal := s.LegalActions(nil)
		if s.Player() < 0 || len(legal) < 2 || !slices.Contains(legal, rec.History[step]) {
			return nil // the replay itself refuses illegal steps
		}
		choices[s.Player()]++
		if !r.Span.covers(step) {
			return nil
		}
		if r.Wait != nil {
			if err := r.Wait(ctx); err != nil {
				return err
			}
		}
		d, err := r.judge(ctx, s, rec.History[:step], rec.History[step])
		made = append(made, d)
		if r.Progress != nil {
			r.Progress(r.Games, step+1, len(rec.History))
		}
		return err
	})
	if err != nil {
		return err
	}
	for seat := range r.sums {
		charged(seat, choices[seat], made)
	}
	for _, d := range made {
		r.sums[d.Seat].add(d)
		if err := show(d); err != nil {
			return err
		}
	}
	r.Games++
	return nil
}

// judge asks about one decision.
func (r *Reviewer) judge(ctx context.Context, s engine.State, past []int, taken int) (*Decision, error) {
	q := Question{Game: r.Game, State: s, History: past}
	a, err := Advise(ctx, q, r.Agent, r.Options)
	if err != nil {
		return nil, err
	}
	r.Exact = r.Exact && a.Exact
	r.Unit, r.UnitMeaning = a.Unit, a.UnitMeaning
	entry, best := a.Of(taken), a.Of(a.Best)
	d := &Decision{
		GameIndex: r.Games, Step: len(past), Seat: a.Seat, Position: a.Position, Line: a.Line,
		Taken: taken, TakenName: entry.Name, Best: a.Best, BestName: best.Name,
		Value: entry.Value, Alternatives: a.alternatives(),
		Loss: entry.Loss, LossLow: entry.LossLow, LossHigh: entry.LossHigh, P: entry.P, Reason: a.Reason,
		shortfall: entry.shortfall, spread: a.spread, key: q.key(), odd: true,
	}
	if !a.Exact && d.P <= charge {
		d.odd, err = q.odd(r.Agent, taken)
	}
	return d, err
}

// alternatives lists the actions.
func (a *Answer) alternatives() []Alternative {
	list := make([]Alternative, len(a.Actions))
	for i, entry := range a.Actions {
		list[i] = Alternative{entry.Action, entry.Name, entry.Loss, entry.Frequency}
	}
	return list
}

// charged marks the mistakes of a seat among the decisions made of its choices in one game: by Holm's
// procedure ("A simple sequentially rejective multiple test procedure", 1979) a seat that loses
// nothing at any of its decisions is charged with a mistake with a probability of at most 5 %. Where
// only a part of the game is judged, a mistake there is one in the review of the whole game, too.
func charged(seat, choices int, made []*Decision) {
	own := slices.DeleteFunc(slices.Clone(made), func(d *Decision) bool { return d.Seat != seat })
	slices.SortStableFunc(own, func(a, b *Decision) int { return cmp.Compare(a.P, b.P) })
	for i, d := range own {
		if d.P > charge/float64(choices-i) {
			return
		}
		d.Mistake = d.odd
	}
}

func (s *seatSums) add(d *Decision) {
	s.decisions++
	if d.Mistake {
		s.mistakes++
	}
	s.loss += d.shortfall.Value
	s.spread += d.spread
	s.below[d.key] += d.shortfall.Value - d.shortfall.Low
	s.above[d.key] += d.shortfall.High - d.shortfall.Value
}

// Seats sums up what was judged so far.
func (r *Reviewer) Seats() []SeatReview {
	list := make([]SeatReview, len(r.sums))
	for seat, s := range r.sums {
		list[seat] = SeatReview{Seat: seat, Decisions: s.decisions, Mistakes: s.mistakes, Accuracy: s.accuracy()}
		if s.decisions > 0 {
			n := float64(s.decisions)
			list[seat].LossPerDecision = s.loss / n
			list[seat].LossLow = (s.loss - r.margin(s.below)) / n
			list[seat].LossHigh = (s.loss + r.margin(s.above)) / n
		}
	}
	return list
}

// margin adds up the margins of losses. The errors of different positions are independent, because
// each meets chance of its own; the same position has the same error again, and the bounds of
// computed values may all be off to the same side.
func (r *Reviewer) margin(margins map[string]float64) float64 {
	sum, squares := 0.0, 0.0
	for _, key := range slices.Sorted(maps.Keys(margins)) {
		sum += margins[key]
		squares += margins[key] * margins[key]
	}
	if r.Exact {
		return sum
	}
	return math.Sqrt(squares)
}

// accuracy is that of a [SeatReview]: 100 where nothing was at stake.
func (s *seatSums) accuracy() float64 {
	if s.loss <= 0 || s.spread <= 0 {
		return 100
	}
	return 100 * max(0, 1-s.loss/s.spread)
}
