package solver

import (
	"fmt"
	"strconv"
	"strings"

	"croupier/engine"
)

// Entry is an action at an information set of a [Strategy].
type Entry struct {
	Seat        int     `json:"seat"`        // to move, from 0
	Seen        string  `json:"seen"`        // one history that leads there, with "?" for what the seat does not see
	Action      int     `json:"action"`      // a legal one
	Name        string  `json:"name"`        // of the action, for people
	Probability float64 `json:"probability"` // with which the strategy takes it, 0..1
	// Value is the seat's expected return in the game's unit, given what it has seen, if it takes the
	// action and continues with its best response.
	Value float64 `json:"value"`
}

// EntryColumns names the cells of an [Entry].
var EntryColumns = []string{"seat", "seen", "action", "name", "probability", "value"}

// Cells returns the entry as a row of a table.
func (e Entry) Cells() []string {
	return []string{strconv.Itoa(e.Seat), e.Seen, strconv.Itoa(e.Action), e.Name, decimal(e.Probability), decimal(e.Value)}
}

// decimal writes a number with as many digits as it needs.
func decimal(v float64) string { return fmt.Sprintf("%g", v) }

// Entries lists the whole strategy by seat, information set and action.
func (s *Strategy) Entries() []Entry {
	var (
		entries []Entry
		values  = s.actionValues()
		state   = s.tree.game.NewState()
	)
	for seat := range s.tree.sides {
		side := &s.tree.sides[seat]
		for set, history := range side.history {
			seen := seenBy(state, seat, history)
			first, end := side.span(set)
			for q := first; q < end; q++ {
				action := side.action[q]
				entries = append(entries, Entry{
					seat, seen, action, state.ActionName(action), s.probability[seat][q], values[seat][q],
				})
			}
		}
	}
	return entries
}

// seenBy puts the state at the end of the history and names the steps that the seat sees.
func seenBy(s engine.State, seat int, history []int) string {
	s.Reset()
	names := make([]string, len(history))
	for i, step := range history {
		switch {
		case s.Seen(seat, step) != step:
			names[i] = "?"
		case s.Player() == engine.Chance:
			names[i] = s.OutcomeName(step)
		default:
			names[i] = s.ActionName(step)
		}
		engine.MustApply(s, step)
	}
	return strings.Join(names, " ")
}
