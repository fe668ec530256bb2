package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"croupier/engine"
)

// returnTolerance is how far a given return may be from the game's.
const returnTolerance = 1e-6

// Replayer replays records of one game under fixed rules. It belongs to one goroutine.
type Replayer struct {
	spec    *engine.Spec
	state   engine.State
	returns []float64
	scores  []int64
	chance  engine.RNG // of a seed that is checked
}

// NewReplayer returns a Replayer of the game.
func NewReplayer(g engine.Game) *Replayer {
	return &Replayer{spec: g.Spec(), state: g.NewState(), returns: make([]float64, g.Spec().Seats)}
}

// Visit is called with the number of a step and the state before it is made. It
// must not change the state; its error ends the replay.
type Visit func(s engine.State, step int) error

// Replay makes every step of the record from the beginning of the game, and calls visit, unless
// it is nil, before each. The error is an [*Error] that names the step: an illegal one, the
// missing one if the history stops early, the first extra one if it continues after the end, or
// the end (the length of the history) if the record's returns or scores are not the game's. A seed
// that looks as if another program had rounded it must yield the record's chance.
func (r *Replayer) Replay(rec *Record, visit Visit) error {
	s := r.state
	s.Reset()
	if rec.rounded {
		r.chance.Seed(*rec.Seed, engine.ChanceStream)
	}
	engine.Foresee(s, len(rec.History), func(i int) int { return rec.History[i] })
	for i, step := range rec.History {
		if s.Player() == engine.Terminal {
			return stepError(i, "the history continues after the end of the game")
		}
		if rec.rounded && s.Player() == engine.Chance && s.SampleChance(&r.chance) != step {
			return stepError(i, "its chance is not that of the seed %d, which another program has rounded: "+
				"leave the seed out, or take the history as it was written", *rec.Seed)
		}
		if visit != nil {
			if err := visit(s, i); err != nil {
				return err
			}
		}
		if err := s.Apply(step); err != nil {
			return &Error{Step: i, Err: err}
		}
	}
	end := len(rec.History)
	switch seat := s.Player(); seat {
	case engine.Terminal:
		return r.compare(rec)
	case engine.Chance:
		return stepError(end, "the history stops where chance is to move")
	default:
		return stepError(end, "the history stops where seat %d is to move", seat+1)
	}
}

// Complete replays the record, whatever its returns and scores, and sets them to those of the game.
func (r *Replayer) Complete(rec *Record) error {
	rec.Returns, rec.Scores = nil, nil
	if err := r.Replay(rec, nil); err != nil {
		return err
	}
	rec.Returns = slices.Clone(r.returns)
	rec.Scores = append([]int64{}, r.scores...)
	return nil
}

// compare compares the record's results with those of the game, which has ended.
func (r *Replayer) compare(rec *Record) error {
	end := len(rec.History)
	close := func(a, b float64) bool { return math.Abs(a-b) <= returnTolerance }
	recordedReturns(r.spec, r.state, r.returns)
	if rec.Returns != nil && !slices.EqualFunc(r.returns, rec.Returns, close) {
		return stepError(end, "the returns are %v, not %v", r.returns, rec.Returns)
	}
	r.scores = r.state.Scores(r.scores[:0])
	if rec.Scores != nil && !slices.Equal(r.scores, rec.Scores) {
		return stepError(end, "the scores are %v, not %v", r.scores, rec.Scores)
	}
	return nil
}

// Find makes the game of that name under a rules document; games.New is one.
type Find func(game string, rules []byte) (engine.Game, error)

// ErrNoGames is the error for input that holds no record.
var ErrNoGames = errors.New("there are no games")

// Summary counts what Check has read.
type Summary struct {
	Games int
	Steps int
}

// Check reads and replays all records of r; with a trace it also writes every node and every
// end to it. It stops at the first mistake, with an [*Error] that names the line, or when ctx
// ends. Input without a record is an error that wraps [ErrNoGames]. The summary counts the games
// before that.
func Check(ctx context.Context, r io.Reader, find Find, trace *Trace) (Summary, error) {
	var (
		total   Summary
		rec     Record
		current table
	)
	reader := NewReader(r)
	for {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		err := reader.Read(&rec)
		if errors.Is(err, io.EOF) && reader.Games() == 0 {
			return total, ErrNoGames
		}
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		if err := current.set(&rec, find); err != nil {
			return total, atLine(reader.Line(), err)
		}
		if err := current.replay(&rec, total.Games, trace); err != nil {
			return total, atLine(reader.Line(), err)
		}
		total.Games++
		total.Steps += len(rec.History)
	}
}

// table is a Replayer together with what it was made from: the lines of a file mostly have the
// same game and rules.
type table struct {
	*Replayer
	played engine.Game
	game   string
	rules  []byte
}

// set makes the table fit the record.
func (t *table) set(rec *Record, find Find) error {
	if t.Replayer != nil && t.game == rec.Game && bytes.Equal(t.rules, rec.Rules) {
		return nil
	}
	g, err := find(rec.Game, rec.Rules)
	if err != nil {
		return err
	}
	*t = table{Replayer: NewReplayer(g), played: g, game: rec.Game, rules: rec.Rules}
	return nil
}

func (t *table) replay(rec *Record, game int, trace *Trace) error {
	if trace == nil {
		return t.Replay(rec, nil)
	}
	trace.played = t.played
	err := t.Replay(rec, func(s engine.State, step int) error {
		return trace.Node(game, step, s, rec.History[step])
	})
	if err != nil {
		return err
	}
	return trace.End(game, t.returns, t.scores)
}
