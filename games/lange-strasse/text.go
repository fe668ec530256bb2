package langestrasse

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// refuse reports why a step is impossible.
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

// whyNot reports why an action is not legal at a decision.
func (s *State) whyNot(action int) string {
	kept, rolled := s.tables.sets[s.set], s.tables.roll(s.set, s.node)
	switch {
	case action == Straight && kept.size > 0, action == Talheim && kept.size > 0:
		return "a Lange Strasse or a Talheim needs a set in which nothing but single dice is kept"
	case action == Straight:
		return "a Lange Strasse is 1-2-3-4-5-6, with at most one 1 and one 5 kept before"
	case action == Talheim:
		return "a Talheim is three pairs of different faces, the dice kept before included"
	case action < 2 || action >= actions:
		return "the actions are 2 to 129: which dice to keep, and whether to roll on"
	case action/2 >= 1<<rolled.n:
		return fmt.Sprintf("only %d dice were rolled", rolled.n)
	}
	chosen, canonical := rolled.chosen(action / 2)
	if !canonical {
		return "of equal dice those at the lowest positions are kept"
	}
	if _, points, legal := kept.keep(chosen); legal && points < stopPoints {
		return fmt.Sprintf("ending the turn takes %d points in this set, and these dice make %d", stopPoints, points)
	} else if legal {
		return "when all six dice are kept the turn continues with six new ones"
	}
	for face, count := range chosen {
		if least := kept.least(face, rolled.counts); count > 0 && (least == 0 || int(count) < least) {
			return mustKeep(face, least)
		}
	}
	return "a move keeps at least one die"
}

// mustKeep is the rule that forbids keeping fewer dice of a face than set.least.
func mustKeep(face, least int) string {
	if least > 1 {
		return fmt.Sprintf("a single %d counts nothing: keep three or more of them, as a group", face)
	}
	return fmt.Sprintf("a %d counts only among three or more of one roll, or next to a group of %ds", face, face)
}

// ActionName reports what is kept, and whether the turn ends.
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
			s.standing.Round, s.standing.Seat+1, s.turn, kept, kept.points())
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
		fmt.Fprintf(&b, "seat %d: %d points, %+d ct", seat+1, score, s.money[seat])
		if s.standing.Strich>>seat&1 == 1 {
			b.WriteString(", has had a strich")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
