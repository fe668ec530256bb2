package web

import (
	"log/slog"

	"croupier/engine"
	"croupier/messages"
)

// Kept is what the directory of a run says of it.
type Kept struct {
	Config     []byte             // effective, YAML
	Ladder     *messages.Ladder   // or nil
	Newest     *messages.Pointer  // or nil
	Population []*messages.Member // in any order
	Curves     []*messages.Points
	Ending     *Ending // nil for a run that continues, but cannot be reached
	// Live says of one without an end that what changes of it will be told, by SetLadder.
	Live bool
	// Starting says of one without an end that its processes are still beginning.
	Starting bool
}

// NewKept returns a feed of a run without its bus. It tells what was kept, and of a live one each new
// ladder; Run must not be called.
func NewKept(run string, spec *engine.Spec, k Kept, log *slog.Logger) *Feed {
	f := NewFeed(nil, run, spec, log)
	m := f.model
	m.config, m.game = string(k.Config), gameOf(k.Config)
	m.pointer, m.ending = k.Newest, k.Ending
	m.setConnected(k.Ending != nil || k.Live || k.Starting)
	if !k.Starting {
		m.setCaughtUp()
	}
	for _, points := range k.Curves {
		m.addPoints(points)
	}
	for _, member := range k.Population {
		m.setMember(messages.MemberPrefix+member.Name, member)
	}
	if k.Ladder != nil {
		m.setLadder(k.Ladder)
	}
	return f
}

// SetLadder tells of a newer ladder of a live tournament.
func (f *Feed) SetLadder(l *messages.Ladder) {
	f.update(func(m *model) error { m.setLadder(l); return nil })
}
