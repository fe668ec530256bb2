package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/actor"
	"croupier/engine"
	"croupier/internal/texttable"
	"croupier/policy"
)

// stopwatch measures how long the agents of an arena think. Networks, which answer many
// games at once, are not measured.
type stopwatch struct{ agents []*thinking }

// thinking is what one agent has used.
type thinking struct {
	name         string
	moves, nanos atomic.Int64
}

// watch returns the player with its policies measured.
func (w *stopwatch) watch(p *actor.Player) *actor.Player {
	if p.NewPolicy == nil {
		return p
	}
	t := &thinking{name: p.Name}
	w.agents = append(w.agents, t)
	watched := *p
	watched.NewPolicy = func() policy.Policy { return timed{p.NewPolicy(), t} }
	return &watched
}

// timed is a policy that is measured.
type timed struct {
	policy.Policy
	*thinking
}

func (t timed) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	start := time.Now()
	action := t.Policy.Choose(s, legal, rng)
	t.nanos.Add(int64(time.Since(start)))
	t.moves.Add(1)
	return action
}

// render prints the mean times, if there are any.
func (w *stopwatch) render(out io.Writer) error {
	if len(w.agents) == 0 {
		return nil
	}
	t := texttable.New(1, 2)
	t.AppendHeader(table.Row{"agent", "moves", "ms a move"})
	for _, a := range w.agents {
		moves := a.moves.Load()
		t.AppendRow(table.Row{a.name, moves, fmt.Sprintf("%.4f", float64(a.nanos.Load())/1e6/float64(max(moves, 1)))})
	}
	_, err := fmt.Fprintf(out, "\nTime to think, networks apart\n%s\n", t.Render())
	return err
}
