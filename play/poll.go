package play

import (
	"slices"
	"time"

	"croupier/engine"
)

// poll is a question to several persons at one screen at once: does anybody do it now?
type poll struct {
	asked         []int // persons, in the order in which they are asked
	does, doesNot int
	yes           []int // those of them who do
	from, rounds  int   // of the table, when it was asked
}

// poll returns the question that those of the seats who are persons are asked together, nil where the seat to move is
// asked alone, or is none of them.
func (t *Table) poll(seats []int) *poll {
	player := t.story.Player()
	if player < 0 || !t.plan.Game.Spec().PerfectInformation || !slices.Contains(seats, player) {
		return nil
	}
	view, ok := ViewOf(t.plan.Game, t.story.state, engine.Public).(engine.Polled)
	if !ok {
		return nil
	}
	queue, does, doesNot := view.Poll()
	p := &poll{does: does, doesNot: doesNot, from: len(t.made), rounds: t.rounds}
	for _, seat := range queue {
		if slices.Contains(seats, seat) && t.places[seat].Kind == Person {
			p.asked = append(p.asked, seat)
		}
	}
	return p
}

// answer returns what the seat to move has answered already. A seat that does it has answered until the question is
// over, and one that does not until another one does, because that can change its mind.
func (p *poll) answer(t *Table) (action int, ok bool) {
	seat := t.story.Player()
	if p == nil || p.rounds != t.rounds || !slices.Contains(p.asked, seat) {
		return 0, false
	}
	done := false
	for i := p.from; i < len(t.made); i++ {
		if t.made[i].player == engine.Chance {
			return 0, false
		}
		done = done || t.story.history[i] == p.does
	}
	if slices.Contains(p.yes, seat) {
		return p.does, true
	}
	return p.doesNot, !done
}

// unasked makes the step of a person who need not be asked, or has answered p already, and reports whether the one to
// move is one. It is no decision, so nobody goes back to it.
func (t *Table) unasked(p *poll, now time.Time) (done bool, err error) {
	action, ok := t.Settled()
	if !ok {
		action, ok = p.answer(t)
	}
	if !ok {
		return false, nil
	}
	t.since = now
	if err := t.apply(action, engine.RNG{}, ""); err != nil {
		return true, err
	}
	t.made[len(t.made)-1].unasked = true
	return true, nil
}
