package langestrasse

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// refuse says why a step is impossible.
func (s *State) refuse(step int) error {
	reason := "the game is over"
	switch {
	case s.player == engine.Chance:
		left := s.tables.left[s.set]
		reason = fmt.Sprintf("the throws of %d dice are 0 to %d", left, len(s.tables.odds[left])-1)
	case s.player >= 0:
		reason = s.whyNot(step)
	}
	return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
}

// whyNot says why an action is not legal at a decision.
func (s *State) whyNot(action int) string {
	kept, rolled := s.tables.sets[s.set], s.tables.roll(s.set, s.node)
	switch {
	case action == Straight:
		return "the dice are not a Lange Strasse"
	case action == Talheim:
		return "the dice are not a Talheim"
	case action < 2 || action >= actions:
		return "the actions are 2 to 129"
	case action/2 >= 1<<rolled.n:
		return fmt.Sprintf("only %d dice were rolled", rolled.n)
	}
	chosen, canonical := rolled.chosen(action / 2)
	if !canonical {
		return "of equal dice those at the lowest positions are kept"
	}
	if _, points, legal := kept.keep(chosen); legal && points < stopPoints {
		return fmt.Sprintf("%d points in the set are too few to end the turn, it takes %d", points, stopPoints)
	} else if legal {
		return "after the sixth die the turn continues"
	}
	return fmt.Sprintf("%s cannot be kept: single dice are 1 or 5, or join a group", chosen)
}

// ActionName says what is kept, and whether the turn ends.
func (s *State) ActionName(action int) string {
	switch {
	case action == Talheim:
		return "Talheim"
	case action == Straight && s.tables.straightMoney(s.set) == superMoney:
		return "Super Strasse"
	case action == Straight:
		return "Lange Strasse"
	}
	chosen, _ := s.tables.roll(s.set, s.node).chosen(action / 2)
	if action&1 == 1 {
		return fmt.Sprintf("keep %s, stop", chosen)
	}
	return fmt.Sprintf("keep %s, roll", chosen)
}

// OutcomeName shows the dice: "1-2-2".
func (s *State) OutcomeName(outcome int) string {
	return s.tables.rolls[s.tables.left[s.set]][outcome].counts.String()
}

// String shows the dice, ascending: "1-2-2".
func (c counts) String() string {
	var b strings.Builder
	for face, count := range c {
		b.WriteString(strings.Repeat(fmt.Sprintf("-%d", face), int(count)))
	}
	return strings.TrimPrefix(b.String(), "-")
}

// String shows singles and group: "1-5 and the group 2-2-2".
func (s set) String() string {
	loose := counts{1: s.ones, 5: s.fives}.String()
	switch {
	case s.size == 0 && loose == "":
		return "nothing"
	case s.size == 0:
		return loose
	}
	var group counts
	group[s.face] = s.size
	if loose == "" {
		return "the group " + group.String()
	}
	return loose + " and the group " + group.String()
}

// String shows the round, the turn and every seat's points, money and strich.
func (s *State) String() string {
	var b strings.Builder
	if s.player == engine.Terminal {
		fmt.Fprintf(&b, "game over after round %d\n", s.standing.Round)
	} else {
		kept := s.tables.sets[s.set]
		fmt.Fprintf(&b, "round %d, seat %d, %d points of finished sets; kept %s (%d points",
			s.standing.Round, s.standing.Seat, s.turn, kept, kept.points())
		if kept.super {
			b.WriteString(", one by each roll")
		}
		b.WriteString(")")
		if s.player >= 0 {
			fmt.Fprintf(&b, ", rolled %s", s.tables.roll(s.set, s.node).counts)
		}
		b.WriteByte('\n')
	}
	for seat, score := range s.standing.Points {
		fmt.Fprintf(&b, "seat %d: %d points, %+d ct", seat, score, s.money[seat])
		if s.standing.Strich>>seat&1 == 1 {
			b.WriteString(", has had a strich")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
