package league

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"croupier/internal/durable"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/messages/bus"
)

// filed are the members that the run directory has, which is the second copy of them and of their
// weights.
type filed struct {
	members map[uint64]*messages.Member // by order
	dropped []messages.DroppedMember    // with what they came to
	numbers map[uint64]bool             // of the files
	highest uint64                      // number that a file or the list has
	changed bool                        // the list is older than the core
}

// maxList bounds in bytes the lists that are read as a whole: hundreds of thousands of members or promotions.
const maxList = 256 << 20

// readList reads a list of a run directory; one that is missing or empty has no entries.
func readList(dir, name string) ([]byte, error) {
	doc, err := regular.Read(filepath.Join(dir, name), maxList)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrEmpty) {
		return nil, nil
	}
	return doc, err
}

// readMembers reads the run directory's list of members, and the numbers of the files next to it.
func (l *League) readMembers() error {
	l.filed = filed{members: map[uint64]*messages.Member{}, numbers: map[uint64]bool{}}
	doc, err := readList(l.o.Dir, rundir.MembersFile)
	if err != nil {
		return fmt.Errorf("league: %w", err)
	}
	list, damaged := messages.ParseMembers(doc)
	if damaged > 0 {
		l.log.Warn("not all members can be read; they come from the broker", "file", rundir.MembersFile, "lines", damaged)
	}
	for _, m := range list.Kept {
		if checkMember(m) == nil {
			l.filed.members[m.Order] = m
			l.filed.highest = max(l.filed.highest, m.Order)
		}
	}
	for _, m := range list.Dropped {
		if checkMember(m.Member) == nil {
			l.filed.dropped = append(l.filed.dropped, m)
			l.filed.highest = max(l.filed.highest, m.Order)
		}
	}
	l.filed.changed = damaged > 0
	files, err := os.ReadDir(filepath.Join(l.o.Dir, rundir.VersionFolder))
	if err != nil {
		return fmt.Errorf("league: %w", err)
	}
	for _, f := range files {
		name, isVersion := strings.CutSuffix(f.Name(), filepath.Ext(rundir.VersionFile("")))
		if _, number, ok := messages.ParseMemberName(name); ok && isVersion {
			l.filed.numbers[number], l.filed.highest = true, max(l.filed.highest, number)
		}
	}
	return nil
}

// mergeMembers hands over all members: those of the broker, and those that only the run directory has,
// which the broker gets back. Of two with one number, that counts whose weights the run directory has.
func (l *League) mergeMembers(ctx context.Context, arrived map[uint64]*messages.Member) error {
	objects, err := l.o.Bus.ListObjects(ctx)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	if err := l.forget(ctx, arrived); err != nil {
		return err
	}
	l.core.used = l.filed.highest
	for order := range l.filed.highest {
		m, had := arrived[order+1], l.filed.members[order+1]
		if had == nil || m != nil && bytes.Equal(m.Sha256, had.Sha256) {
			continue
		}
		if l.versionFile(had) == nil && !slices.Contains(objects, had.Object) {
			l.log.Error("version lost: neither the broker nor the run directory has its weights", "agent", had.Name)
			continue
		}
		value, err := messages.Encode(had)
		if err != nil {
			return err
		}
		l.log.Warn("the broker has lost a version, which the run directory has", "agent", had.Name)
		l.outbox.put(messages.MemberKey(agentOf(had), had.Order), value)
		arrived[had.Order] = had
	}
	for _, m := range arrived {
		if err := l.restoreWeights(ctx, m, objects); err != nil {
			return err
		}
		l.copies[m.Name] = m
		if err := l.step(ctx, memberKnown{m}); err != nil {
			return err
		}
	}
	l.core.AdoptWeights()
	l.filed.members, l.filed.numbers = nil, nil
	return l.sweep(ctx, objects)
}

// versionFile returns a member's weights from the run directory, nil if they are not those.
func (l *League) versionFile(m *messages.Member) []byte {
	if l.o.Dir == "" {
		return nil
	}
	data, err := regular.Read(filepath.Join(l.o.Dir, rundir.VersionFile(m.Name)), int64(bus.DefaultOptions().MaxObject))
	if sum := sha256.Sum256(data); err != nil || !bytes.Equal(sum[:], m.Sha256) {
		return nil
	}
	return data
}

// restoreWeights gives the broker weights that it has lost.
func (l *League) restoreWeights(ctx context.Context, m *messages.Member, objects []string) error {
	if slices.Contains(objects, m.Object) {
		return nil
	}
	data := l.versionFile(m)
	if data == nil {
		l.log.Error("neither the broker nor the run directory has the weights of a version", "agent", m.Name)
		return nil
	}
	l.log.Warn("the broker has lost weights, which the run directory has", "agent", m.Name)
	if err := l.o.Bus.PutObject(ctx, m.Object, data); err != nil && !errors.Is(err, bus.ErrTaken) {
		return fmt.Errorf("weights of %s: %w", m.Name, err)
	}
	return nil
}

// copyWeights writes the weights of members to the run directory that lacks them.
func (l *League) copyWeights(ctx context.Context) {
	const fails, works = "weights of versions not copied", "weights of versions copied again"
	for name, m := range l.copies {
		if l.o.Dir != "" && l.versionFile(m) == nil {
			data, err := l.weights(ctx, m.Object, m.Sha256)
			if err == nil {
				err = durable.WriteFile(filepath.Join(l.o.Dir, rundir.VersionFile(name)), data)
			}
			if err != nil {
				if !errors.Is(err, bus.ErrNotFound) && !errors.Is(err, errOtherBytes) {
					l.note(fails, works, err)
					return
				}
				l.log.Error("weights not copied", "agent", name, "error", err)
			}
		}
		l.filed.changed = true
		delete(l.copies, name)
	}
	l.note(fails, works, nil)
}

// writeMembers writes the run directory's list if it is older than the core. A failure is tried again
// in the next second.
func (l *League) writeMembers() {
	if l.o.Dir == "" || !l.filed.changed {
		return
	}
	err := l.writeList(messages.MemberList{Kept: l.core.members, Dropped: l.filed.dropped})
	l.note("list of members not written", "list of members written again", err)
	l.filed.changed = err != nil
}
