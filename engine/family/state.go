package family

import (
	"encoding/binary"
	"fmt"

	"croupier/engine"
)

// State is a game of a family: first chance draws its table, then it is played there.
//
// Chance first reports whether the game is at the default table (0) or not (1). If not, it draws the value of one rule
// after the other: its index among the values of the rule, so that all tables are equally likely.
type State struct {
	game  *Game
	rule  int          // to be drawn next; beforeRules: whether it is the default table
	first int          // of the tables that agree with what was drawn, which are in a row,
	end   int          // and the first after them
	inner engine.State // nil: the table is not drawn yet

	inners []engine.State // by table, made for the first game there
}

// beforeRules is the node that reports whether the default table is played at.
const beforeRules = -1

var _ engine.Measured = (*State)(nil)

// Reset implements [engine.State], as the other methods do.
func (s *State) Reset() { s.rule, s.first, s.end, s.inner = beforeRules, 0, len(s.game.tables), nil }

// Table returns the state of the plain game, nil before the table is drawn.
func (s *State) Table() engine.State { return s.inner }

func (s *State) Player() int {
	if s.inner == nil {
		return engine.Chance
	}
	return s.inner.Player()
}

func (s *State) LegalActions(buf []int) []int {
	if s.inner == nil {
		return buf
	}
	return s.inner.LegalActions(buf)
}

func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	switch {
	case s.inner != nil:
		return s.inner.Outcomes(buf)
	case s.rule == beforeRules:
		for i, p := range [2]float64{s.game.share, 1 - s.game.share} {
			if p > 0 {
				buf = append(buf, engine.Outcome{Index: i, Probability: p})
			}
		}
		return buf
	}
	for first := s.first; first < s.end; {
		value := s.game.tables[first].values[s.rule]
		_, end := s.game.with(first, s.end, s.rule, value)
		buf = append(buf, engine.Outcome{Index: value, Probability: float64(end-first) / float64(s.end-s.first)})
		first = end
	}
	return buf
}

func (s *State) SampleChance(rng *engine.RNG) int {
	switch {
	case s.inner != nil:
		return s.inner.SampleChance(rng)
	case s.rule != beforeRules:
		return s.game.draw(rng, s.first, s.end, s.rule)
	case s.game.drawsDefault(rng):
		return 0
	}
	return 1
}

func (s *State) Apply(step int) error {
	if s.inner != nil {
		return s.inner.Apply(step)
	}
	if s.rule == beforeRules {
		switch {
		case step == 0 && s.game.share > 0:
			s.sit(s.game.standard)
			return nil
		case step == 1:
			s.rule = 0
			s.settle()
			return nil
		}
		return &engine.IllegalError{Player: engine.Chance, Action: step, Reason: "0 is the default table, 1 one that is drawn"}
	}
	if first, end := s.game.with(s.first, s.end, s.rule, step); first < end {
		s.first, s.end = first, end
		s.rule++
		s.settle()
		return nil
	}
	return &engine.IllegalError{Player: engine.Chance, Action: step,
		Reason: fmt.Sprintf("no table has that value of %s", s.game.varying[s.rule].key)}
}

// settle sits down at the table once all rules are drawn.
func (s *State) settle() {
	if s.rule == len(s.game.varying) {
		s.sit(s.first)
	}
}

func (s *State) sit(table int) {
	s.first, s.end, s.rule = table, table+1, len(s.game.varying)
	s.inner = s.at(table)
	s.inner.Reset()
}

// at returns the state for games at a table.
func (s *State) at(table int) engine.State {
	if s.inners[table] == nil {
		s.inners[table] = s.game.tables[table].game.NewState()
	}
	return s.inners[table]
}

func (s *State) Seen(seat, step int) int {
	if s.inner == nil {
		return step
	}
	return s.inner.Seen(s.seat(seat), step)
}

// seat returns the seat of the table whose eyes a seat has: those that the table does not have are empty, and
// they see what seat 0 sees.
func (s *State) seat(seat int) int {
	if seat >= s.seats() {
		return 0
	}
	return seat
}

// seats returns how many seats the table has.
func (s *State) seats() int { return s.game.tables[s.first].game.Spec().Seats }

func (s *State) Observe(seat int, dst []float32) {
	dst = dst[:s.game.spec.ObservationSize]
	if s.inner == nil {
		clear(dst)
		return
	}
	s.game.tables[s.first].Observe(s.inner, s.seat(seat), dst)
}

func (s *State) InformationKey(seat int, buf []byte) []byte {
	buf = append(buf, byte(s.rule+1))
	buf = binary.LittleEndian.AppendUint16(buf, uint16(s.first))
	buf = binary.LittleEndian.AppendUint16(buf, uint16(s.end))
	if s.inner == nil {
		return buf
	}
	return s.inner.InformationKey(s.seat(seat), buf)
}

// Returns writes 0 for the seats that the table does not have.
func (s *State) Returns(dst []float64) {
	clear(dst[:s.game.spec.Seats])
	if s.inner != nil {
		s.inner.Returns(dst[:s.seats()])
	}
}

// Scores appends 0 for the seats that the table does not have, and before it is drawn.
func (s *State) Scores(buf []int64) []int64 {
	if !s.game.scores {
		return buf
	}
	end := len(buf) + s.game.spec.Seats
	if s.inner != nil {
		buf = s.inner.Scores(buf)
	}
	for len(buf) < end {
		buf = append(buf, 0)
	}
	return buf
}

func (s *State) CopyFrom(src engine.State) {
	o := src.(*State)
	s.rule, s.first, s.end, s.inner = o.rule, o.first, o.end, nil
	if o.inner != nil {
		s.inner = s.at(o.first)
		s.inner.CopyFrom(o.inner)
	}
}

func (s *State) Clone() engine.State {
	c := s.game.NewState()
	c.CopyFrom(s)
	return c
}

func (s *State) ActionName(action int) string {
	if s.inner == nil {
		return fmt.Sprint(action)
	}
	return s.inner.ActionName(action)
}

func (s *State) OutcomeName(outcome int) string {
	switch {
	case s.inner != nil:
		return s.inner.OutcomeName(outcome)
	case s.rule == beforeRules:
		return [2]string{"default table", "drawn table"}[min(max(outcome, 0), 1)]
	}
	v := s.game.varying[s.rule]
	return fmt.Sprintf("%s: %v", v.key, v.values[outcome])
}

func (s *State) String() string {
	if s.inner == nil {
		return "a table is drawn"
	}
	return fmt.Sprintf("table %s\n%s", s.game.describe(s.first), s.inner)
}

// MeasureStep implements [engine.Measured]. Drawing a table contributes nothing.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	if m, is := s.inner.(engine.Measured); is {
		m.MeasureStep(step, sums)
	}
}

// MeasureEnd implements [engine.Measured].
func (s *State) MeasureEnd(sums engine.Sums) {
	if m, is := s.inner.(engine.Measured); is {
		m.MeasureEnd(sums)
	}
}
