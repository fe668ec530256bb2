package league

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
)

// drop writes into the run directory's list what becomes of members, and only then has the core forget
// them and removes their weights, from the broker and from the run directory. Before that the journal has all that
// counts: nothing of theirs is counted afterwards, at a restart either. After a failure to write it is tried again
// when the list has been written.
func (l *League) drop(ctx context.Context, e drop) error {
	if l.filed.changed || !l.keepJournal() {
		return nil
	}
	members, going := make([]*messages.Member, len(e.members)), map[uint64]bool{}
	for i, m := range e.members {
		members[i], going[m.Order] = m.Member, true
	}
	list := messages.MemberList{Dropped: append(l.filed.dropped, e.members...)}
	for _, m := range l.core.members {
		if !going[m.Order] {
			list.Kept = append(list.Kept, m)
		}
	}
	if err := l.writeList(list); err != nil {
		l.log.Warn("no member dropped: list of members not written; trying again later", "error", err)
		l.filed.changed = true
		return nil
	}
	l.filed.dropped = list.Dropped
	for _, m := range e.members {
		l.log.Info("version dropped", "agent", m.Name, "rating", m.Rating, "games", m.Games)
		l.removals[m.Order] = m.Member
		delete(l.copies, m.Name)
	}
	return l.step(ctx, membersDropped{members})
}

// writeList writes the run directory's list of members.
func (l *League) writeList(list messages.MemberList) error {
	if l.o.Dir == "" {
		return nil
	}
	doc, err := messages.FormatMembers(list)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(l.o.Dir, rundir.MembersFile), doc)
}

// removeDropped removes what is left of dropped members, until the next tick if the broker takes nothing.
func (l *League) removeDropped(ctx context.Context) {
	for order, m := range l.removals {
		if err := l.remove(ctx, m); err != nil {
			l.log.Warn("dropped version not removed yet", "agent", m.Name, "error", err)
			return
		}
		delete(l.removals, order)
	}
}

func (l *League) remove(ctx context.Context, m *messages.Member) error {
	if err := l.o.Bus.State().Delete(ctx, messages.MemberKey(agentOf(m), m.Order)); err != nil {
		return err
	}
	if err := l.o.Bus.DeleteObject(ctx, m.Object); err != nil && !errors.Is(err, bus.ErrNotFound) {
		return err
	}
	if l.o.Dir == "" {
		return nil
	}
	if err := os.Remove(filepath.Join(l.o.Dir, rundir.VersionFile(m.Name))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// forget hands over which members were dropped before, and removes what a process that was killed, or a broker
// that was, has left of them: members that have arrived, and the files and objects of their numbers.
func (l *League) forget(ctx context.Context, arrived map[uint64]*messages.Member) error {
	members := make([]*messages.Member, len(l.filed.dropped))
	for i, m := range l.filed.dropped {
		members[i] = m.Member
		if arrived[m.Order] != nil || l.filed.numbers[m.Order] {
			l.removals[m.Order] = m.Member
			delete(arrived, m.Order)
		}
	}
	return l.step(ctx, membersDropped{members})
}

// sweep removes weights from the broker that are not those of the member with their number.
func (l *League) sweep(ctx context.Context, objects []string) error {
	named := map[uint64]string{}
	for _, m := range l.core.members {
		named[m.Order] = m.Object
	}
	for _, name := range objects {
		_, number, ok := messages.ParseMemberObject(name)
		if !ok || named[number] == name || named[number] == "" && !l.core.dropped[number] {
			continue
		}
		if err := l.o.Bus.DeleteObject(ctx, name); err != nil && !errors.Is(err, bus.ErrNotFound) {
			return fmt.Errorf("weights: %w", err)
		}
		l.log.Info("weights removed that belong to no version", "object", name)
	}
	return nil
}
