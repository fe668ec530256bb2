package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"croupier/engine"
)

// advise prints the advice for the seat that wants it, once for each of its decisions. p is the question to several
// persons, if it is one.
func (t *Terminal) advise(ctx context.Context, show *Show, p *poll) {
	if t.Advice == nil || t.advised == len(t.Table.made) {
		return
	}
	position := t.decisionOf(t.Advised, p)
	if position == nil {
		return
	}
	t.advised = len(t.Table.made)
	text, err := t.Advice(ctx, position)
	if err != nil {
		text = sentence(err.Error()) + "."
	}
	fmt.Fprintf(t.Out, "Advice for %s: %s\n", show.Seats[t.Advised].Name, strings.TrimRight(text, "\n"))
}

// decisionOf returns the position in which a seat decides now, nil where it does not. Where several persons are asked
// at once, it is the one in which those before it do not do it.
func (t *Terminal) decisionOf(seat int, p *poll) engine.State {
	s := t.Table.State()
	switch {
	case s.Player() == seat:
		return s
	case p == nil || !slices.Contains(p.asked, seat):
		return nil
	}
	s = s.Clone()
	for s.Player() >= 0 && s.Player() != seat {
		if s.Apply(p.doesNot) != nil {
			return nil
		}
	}
	if s.Player() != seat {
		return nil
	}
	return s
}

// Decide shows the position to the person to move, and returns what that person types as the move, which is not made.
// At the end of the lines, or on "quit", it returns ErrUnfinished.
func (t *Terminal) Decide(ctx context.Context, lines chan string) (action int, err error) {
	t.begin(lines)
	show := t.Table.Show(t.eye(), time.Now())
	t.told[show.Eye] = show.Step // what led to the position is not shown
	t.state(show)
	for {
		t.ask(show)
		line, err := t.line(ctx)
		if err != nil {
			return 0, err
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if done, err := t.common(ctx, show, line); err != nil {
			return 0, err
		} else if done {
			continue
		}
		if action, err = meant(show, line); err == nil {
			return action, nil
		}
		t.refuse(show, line, err)
	}
}
