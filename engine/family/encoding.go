package family

import "croupier/engine"

// encoding shows the states of a table as the family does.
type encoding struct {
	game  *Game
	inner int // values of the plain observation
	moves []move
	rules []float32 // the segment of the rules
	at    int       // where it begins
}

// move takes a segment from its place in the plain observation to that in the family's, and fills it up.
type move struct{ from, to, size, end int }

func (g *Game) encode(t *table) encoding {
	spec := t.game.Spec()
	e := encoding{game: g, inner: spec.ObservationSize}
	for i, s := range spec.Segments {
		to := g.spec.Segments[i]
		e.moves = append(e.moves, move{s.Offset, to.Offset, s.Size, to.Offset + to.Size})
	}
	last := g.spec.Segments[len(g.spec.Segments)-1]
	e.at = last.Offset
	for i := range g.varying {
		e.rules = g.varying[i].encode(e.rules, t.values[i])
	}
	return e
}

// Game implements [engine.Encoding].
func (e *encoding) Game() engine.Game { return e.game }

// Observe implements [engine.Encoding]. States of the family are shown as they are.
func (e *encoding) Observe(s engine.State, seat int, dst []float32) {
	if _, is := s.(*State); is {
		s.Observe(seat, dst)
		return
	}
	// Segments only move up, the last ones first, so that none is overwritten before it has moved.
	s.Observe(seat, dst[:e.inner])
	for i := len(e.moves) - 1; i >= 0; i-- {
		if m := e.moves[i]; m.from != m.to || m.to+m.size != m.end {
			copy(dst[m.to:], dst[m.from:m.from+m.size])
			clear(dst[m.to+m.size : m.end])
		}
	}
	copy(dst[e.at:], e.rules)
}
