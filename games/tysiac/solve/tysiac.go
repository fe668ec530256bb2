// Package solve solves positions of Tysiąc exactly: the play of a hand with open cards. It
// answers single positions, and says of whole games what the timing of melds was worth.
package solve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"croupier/engine/history"
	"croupier/games/tysiac"
	"croupier/games/tysiac/cards"
	"croupier/games/tysiac/doubledummy"
)

// Answer is the result of perfect play with open cards from one position, from the point of
// view of the side that leads the trick.
type Answer struct {
	LeaderDifference int           `json:"leader_difference"`
	Actions          []ActionValue `json:"actions"`
	Nodes            uint64        `json:"nodes"`
	Milliseconds     float64       `json:"ms"`
}

// ActionValue is what an action is worth to the side that leads the trick.
type ActionValue struct {
	Action int `json:"action"`
	Value  int `json:"value"`
}

// Positions answers the histories of the reader as they come; each must stop in the play of a
// hand. An answer is a JSON object on a line of its own, or a line of text. Errors are
// [history.Error] values, except those of w and ctx, and [history.ErrNoGames].
func Positions(ctx context.Context, in io.Reader, w io.Writer, asJSON bool) error {
	var (
		reader = history.NewReader(in)
		solver = doubledummy.New()
		rec    history.Record
	)
	for ctx.Err() == nil {
		err := reader.Read(&rec)
		if errors.Is(err, io.EOF) && reader.Games() == 0 {
			return history.ErrNoGames
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s, err := inPlay(&rec)
		if err != nil {
			return located(err, reader.Line())
		}
		answer := solve(solver, s)
		if asJSON {
			err = json.NewEncoder(w).Encode(answer)
		} else {
			err = answer.print(w, s)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// inPlay replays a history that must stop where a card is to be played.
func inPlay(rec *history.Record) (*tysiac.State, error) {
	s, err := newState(rec)
	if err != nil {
		return nil, err
	}
	for i, step := range rec.History {
		if err := s.Apply(step); err != nil {
			return nil, &history.Error{Step: i, Err: err}
		}
	}
	if _, ok := s.OpenPosition(); !ok {
		return nil, &history.Error{Step: len(rec.History), Err: errors.New("the history does not stop in the play of a hand")}
	}
	return s, nil
}

// solve solves a position in play. Earlier positions do not affect its number of nodes.
func solve(solver *doubledummy.Solver, s *tysiac.State) Answer {
	p, _ := s.OpenPosition()
	solver.Reset()
	begin := time.Now()
	moves := solver.Moves(&p, nil)
	answer := Answer{
		Nodes:        solver.Nodes,
		Milliseconds: float64(time.Since(begin)) / float64(time.Millisecond),
	}
	better := func(a, b int) int { return max(a, b) }
	if p.Led != cards.NoCard {
		better = func(a, b int) int { return min(a, b) }
	}
	answer.LeaderDifference = moves[0].Value
	for _, m := range moves {
		answer.LeaderDifference = better(answer.LeaderDifference, m.Value)
		answer.Actions = append(answer.Actions, ActionValue{tysiac.MoveAction(m.Move), m.Value})
	}
	return answer
}

// print writes the answer for people.
func (a *Answer) print(w io.Writer, s *tysiac.State) error {
	_, err := fmt.Fprintf(w, "%+d for the side that leads (%d nodes, %.1f ms):",
		a.LeaderDifference, a.Nodes, a.Milliseconds)
	if err != nil {
		return err
	}
	for i, v := range a.Actions {
		separator := ","
		if i == 0 {
			separator = ""
		}
		if _, err := fmt.Fprintf(w, "%s %s %+d", separator, s.ActionName(v.Action), v.Value); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(w)
	return err
}
