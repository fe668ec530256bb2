package langestrasse

import "croupier/engine"

// Move is a legal action with the set it leads to (0, the empty one, if it fills the set or
// ends the turn) and the score of the present set after it.
type Move struct {
	Action, Next uint8
	Points       uint16
}

// Fills reports whether the move takes the last dice and continues with a new set.
func (m Move) Fills() bool { return m.Action == Straight || m.Action&1 == 0 && m.Next == 0 }

// Stops reports whether the move ends the turn. (The number of Talheim is odd as well.)
func (m Move) Stops() bool { return m.Action&1 == 1 }

// Turn is the tree of a turn as tables, for solvers. A set, a number from 0, is what is kept of
// six dice; 0 is the empty one, and moves lead from a set to one with a higher number, or to 0.
type Turn struct{ tables *tables }

// NewTurn returns the tree, which is shared and immutable.
func NewTurn() Turn { return Turn{sharedTables()} }

// Sets returns the number of sets.
func (t Turn) Sets() int { return len(t.tables.sets) }

// Throws returns the throws of the remaining dice of the set. The caller must not change them.
func (t Turn) Throws(set int) []engine.Outcome { return t.tables.odds[t.tables.left[set]] }

// Moves returns the legal moves at a throw, ascending by action; none is a strich. The
// caller must not change them.
func (t Turn) Moves(set, throw int) []Move { return t.tables.at(t.tables.base[set] + uint16(throw)) }

// StraightMoney is what each other seat pays for a Lange Strasse of the set, in ct.
func (t Turn) StraightMoney(set int) int32 { return t.tables.straightMoney(uint8(set)) }

func (t *tables) straightMoney(set uint8) int32 {
	if t.sets[set].super {
		return superMoney
	}
	return StraightMoney
}

// Standing returns the game as it was when the turn began.
func (s *State) Standing() Standing { return s.standing }

// Money returns the money that has been paid so far.
func (s *State) Money() Money { return s.money }

// InTurn returns the state of the turn: the points of its finished sets, what is kept of the
// present set, and the throw of the remaining dice, which is meaningless at a chance node.
func (s *State) InTurn() (points, set, throw int) {
	return int(s.turn), int(s.set), int(s.node) - int(s.tables.base[s.set])
}
