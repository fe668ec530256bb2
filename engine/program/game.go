package program

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"croupier/engine"
	"croupier/engine/described"
)

// Game is a game of a program under fixed rules.
type Game struct {
	described.Game
	program *Program
	lanes   []*lane
	next    atomic.Uint64 // whose the next state is
	start   *State        // which does not change
}

// newGame makes a game with the process that has described it, or with one of its own.
func (p *Program) newGame(rules any) (*Game, error) {
	g := &Game{program: p}
	values := p.rules.Values(rules)
	for range p.command.Copies {
		g.lanes = append(g.lanes, &lane{command: p.command, rules: values})
	}
	first := g.lanes[0]
	if p.first != nil {
		first.process, first.lines, p.first = p.first.process, p.first.lines, nil
	}
	d, beginning, err := first.describe(values)
	if err == nil && d.Name != p.name {
		err = fmt.Errorf("%s: description: the name of the game changes with the rules", p.command)
	}
	if err != nil {
		first.close()
		return nil, err
	}
	g.Init(d, fmt.Sprintf("program %q", p.command), p.rules, rules)
	g.start = g.newState(first)
	if err = g.start.follow(beginning, nobody); err != nil {
		err = g.Fail(first.line(askGame), nil, err)
	} else if g.start.Player() == engine.Terminal {
		err = g.Fail(first.line(askGame), nil, errors.New("the game is over at its beginning"))
	} else {
		err = g.try()
	}
	if err != nil {
		first.close()
		return nil, err
	}
	return g, nil
}

// close ends the processes of a game that has failed.
func (g *Game) close() {
	for _, l := range g.lanes {
		l.asking.Lock()
		l.close()
		l.asking.Unlock()
	}
}

// Program returns the program that the game comes from.
func (g *Game) Program() *Program { return g.program }

// NewState returns the initial state. States take turns at the processes.
func (g *Game) NewState() engine.State {
	s := g.newState(g.lanes[(g.next.Add(1)-1)%uint64(len(g.lanes))])
	s.CopyFrom(g.start)
	return s
}

// shown returns the game, as one with a view where every seat sees every step.
func (g *Game) shown() engine.Game {
	if g.Spec().PerfectInformation {
		return viewed{g}
	}
	return g
}

type viewed struct{ *Game }

// View implements engine.Viewed.
func (g viewed) View(s engine.State, _ int) any { return described.View{Text: s.String()} }

// trySteps is how many steps are made before a game is used.
const trySteps = 100

// try plays games at random, with everything that is asked of a game, and has the steps of the first made again as one
// path: what the program depends on besides state and step may differ there.
func (g *Game) try() error {
	s, rng := g.newState(g.lanes[0]), engine.NewRNG(1, 0)
	var passed []*State // of the first game
	first := true
	for left := trySteps; left > 0; first = false {
		s.Reset()
		for ; s.Player() != engine.Terminal && left > 0; left-- {
			if err := s.askEverything(); err != nil {
				return err
			}
			if err := s.Apply(int(s.node.Steps()[rng.IntN(len(s.node.Steps()))])); err != nil {
				return err
			}
			if first {
				passed = append(passed, s.Clone().(*State))
			}
		}
		if first {
			if err := g.again(passed); err != nil {
				return err
			}
		}
	}
	return g.Failed()
}

// askEverything asks what does not come with a step.
func (s *State) askEverything() error {
	_ = s.String()
	for seat := range s.game.Spec().Seats {
		s.Observe(seat, make([]float32, s.game.Spec().ObservationSize))
	}
	step := int(s.node.Steps()[0])
	if s.Player() >= 0 {
		s.ActionName(step)
	} else {
		s.OutcomeName(step)
	}
	s.Seen(0, step)
	return s.game.Failed()
}

// again makes the steps through these states once more as one path, and compares.
func (g *Game) again(passed []*State) error {
	s, last := g.newState(g.lanes[0]), passed[len(passed)-1].node.History()
	s.Reset()
	engine.Foresee(s, len(last), func(i int) int { return int(last[i]) })
	for i, before := range passed {
		if err := s.Apply(int(last[i])); err != nil {
			return g.Fail("steps as one path", s.node.History(), err)
		}
		same := s.Player() == before.Player() && slices.Equal(s.node.Steps(), before.node.Steps())
		if !same || !bytes.Equal(s.raw, before.raw) {
			return g.Fail("steps as one path", s.node.History(), errors.New("they lead to another state than one by one: the "+
				"game depends on something besides its state"))
		}
	}
	return g.Failed()
}
