package league

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"croupier/internal/durable"
	"croupier/internal/platform"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/league/rating"
	"croupier/messages"
)

// journalName is the file of what has happened since the snapshot.
const journalName = "results.log"

// journal is the file to which the league appends what its snapshot does not have: the matches that it
// asks for, before anybody learns of them, and the results that count. Every result is so kept twice: in
// the stream and here, or in both copies of the snapshot.
//
// Its first line says how long it is. So a journal that is shorter, empty or missing is distinguished from one that has
// nothing to say.
type journal struct {
	path     string
	file     *os.File
	size     int64  // of what is in the file for certain
	pending  []byte // not there yet
	headless bool   // of a program that did not write the first line
	missing  int64  // bytes that were not there when it was opened, 1 if it is not known how many
}

// entry is a line of the journal. One of its parts is there.
type entry struct {
	Bytes  string    `json:"bytes,omitempty"` // of the first line: the length of the journal, in digits of a fixed number
	Issued *pairSets `json:"issued,omitempty"`
	Sent   []string  `json:"sent,omitempty"` // ids of matches that the broker has taken
	// Result is a messages.Result without the evidence, Place up to where the stream is settled with it.
	Result   []byte    `json:"result,omitempty"`
	Place    *mark     `json:"place,omitempty"`
	Refused  []mark    `json:"refused,omitempty"` // messages that do not count
	Progress *progress `json:"progress,omitempty"`
}

// progress is what the league has published of its newest members.
type progress struct {
	Reported  uint64            `json:"reported"`
	Evaluated uint64            `json:"evaluated"`
	Probed    uint64            `json:"probed,omitempty"`
	Told      map[string]uint64 `json:"told,omitempty"` // as core.plotted
}

func (p progress) equal(q progress) bool {
	return p.Reported == q.Reported && p.Evaluated == q.Evaluated && p.Probed == q.Probed && maps.Equal(p.Told, q.Told)
}

// published is what the league has published so far.
func (c *core) published() progress {
	return progress{c.reported, c.evaluated, c.probed, maps.Clone(c.plotted)}
}

// hasPublished takes over what the league had published when it wrote this.
func (c *core) hasPublished(p progress) {
	c.reported, c.evaluated = max(c.reported, p.Reported), max(c.evaluated, p.Evaluated)
	c.probed = max(c.probed, p.Probed)
	for agent, order := range p.Told {
		c.plotted[agent] = max(c.plotted[agent], order)
	}
}

// headLine is the first line of a journal of that many bytes.
func headLine(bytes int64) ([]byte, error) {
	return sealed.Line(entry{Bytes: fmt.Sprintf("%015d", bytes)})
}

// openJournal reads the journal in a run directory. Lines that are not intact are counted, but for the
// last, which a process that was killed has left in part: it is removed.
func openJournal(dir string) (j *journal, entries []entry, damaged int, err error) {
	j = &journal{path: filepath.Join(dir, journalName)}
	if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, nil, 0, fmt.Errorf("league journal: %w", err)
	}
	text, err := readList(dir, journalName)
	if err != nil {
		j.file.Close()
		return nil, nil, 0, fmt.Errorf("league journal: %w", err)
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		j.size += int64(len(line))
		var e entry
		if !sealed.Open(line, &e) {
			damaged++
			continue
		}
		entries = append(entries, e)
	}
	entries = j.behead(entries)
	err = errors.Join(j.file.Truncate(j.size), platform.SyncDir(dir))
	return j, entries, damaged, err
}

// behead takes the first line away and notes by how much the journal is shorter than that says.
func (j *journal) behead(entries []entry) []entry {
	if len(entries) > 0 {
		if size, err := strconv.ParseInt(entries[0].Bytes, 10, 64); err == nil {
			j.missing = max(0, size-j.size)
			return entries[1:]
		}
	}
	j.headless, j.missing = j.size > 0, 1
	return entries
}

// add notes an entry, to be written by flush. Without a run directory nothing is kept.
func (j *journal) add(e entry) error {
	if j == nil {
		return nil
	}
	line, err := sealed.Line(e)
	if err != nil {
		return fmt.Errorf("league journal: %w", err)
	}
	j.pending = append(j.pending, line...)
	return nil
}

// flush brings the file up to date. After an error it can be called again.
func (j *journal) flush() error {
	if j == nil || len(j.pending) == 0 {
		return nil
	}
	if err := j.write(); err != nil {
		return fmt.Errorf("league journal: %w", err)
	}
	return nil
}

// write appends what is pending. If the power fails meanwhile, the first line may promise what is not there, and then
// it is as if that had been lost.
func (j *journal) write() error {
	head, err := headLine(0)
	if err != nil {
		return err
	}
	if j.size == 0 {
		j.size = int64(len(head))
	}
	size := j.size + int64(len(j.pending))
	if _, err = j.file.WriteAt(j.pending, j.size); err != nil {
		return err
	}
	if head, err = headLine(size); err == nil && !j.headless {
		_, err = j.file.WriteAt(head, 0)
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return err
	}
	j.size, j.pending = size, j.pending[:0]
	return nil
}

// restart empties the journal, after a snapshot that has all of it, and notes the entries with which it
// begins.
func (j *journal) restart(entries []entry) error {
	j.size, j.pending, j.headless = 0, j.pending[:0], false
	if err := errors.Join(j.file.Truncate(0), j.file.Sync()); err != nil {
		return err
	}
	for _, e := range entries {
		if err := j.add(e); err != nil {
			return err
		}
	}
	return j.write()
}

func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

// withoutEvidence returns what is counted of a result.
func withoutEvidence(r *messages.Result) ([]byte, error) {
	short := proto.CloneOf(r)
	short.Returns, short.Digests = nil, nil
	return messages.Encode(short)
}

// remains are the entries with which a journal begins: what the results alone do not say, should both
// copies of the snapshot be lost.
func (c *core) remains() []entry {
	refused, sent := []mark{}, []string{}
	for _, sequence := range slices.Sorted(maps.Keys(c.refusals)) {
		refused = append(refused, mark{sequence, c.refusals[sequence]})
	}
	var entries []entry
	if len(refused) > 0 {
		entries = append(entries, entry{Refused: refused})
	}
	for _, id := range c.outstandingIDs() {
		o := c.outstanding[id]
		entries = append(entries, entry{Issued: &pairSets{o.key.Agents(), o.sets, o.attempt}})
		if !o.unsent {
			sent = append(sent, o.key.MatchID(o.sets, o.attempt))
		}
	}
	if len(sent) > 0 {
		entries = append(entries, entry{Sent: sent})
	}
	return entries
}

// replay brings the core to the state of the journal's end. It returns how many entries do not fit.
func (c *core) replay(entries []entry) (bad int) {
	sent := map[string]bool{}
	for _, e := range entries {
		for _, id := range e.Sent {
			sent[id] = true
		}
	}
	for _, e := range entries {
		if err := c.replayEntry(e, sent); err != nil && !errors.Is(err, rating.ErrDuplicate) {
			bad++
		}
	}
	return bad
}

func (c *core) replayEntry(e entry, sent map[string]bool) error {
	switch {
	case e.Issued != nil:
		k, err := e.Issued.Key()
		if err != nil {
			return err
		}
		if _, free := rating.AddSpan(c.PairOf(k).Done, e.Issued.Sets); free {
			c.recall(k, e.Issued.Sets, e.Issued.Attempt, sent[k.MatchID(e.Issued.Sets, e.Issued.Attempt)])
		}
	case e.Result != nil:
		r := &messages.Result{}
		if err := messages.Decode(e.Result, r); err != nil {
			return err
		}
		if e.Place != nil {
			c.place = *e.Place
		}
		k, s, err := c.Check(r)
		if err == nil && c.ofDropped(k) {
			err = rating.ErrDuplicate
		}
		if err == nil {
			err = c.VerifySums(k, s, r)
		}
		if err != nil {
			return err
		}
		c.Count(k, s, r)
		delete(c.outstanding, k.MatchID(s, 0))
	case e.Refused != nil:
		for _, m := range e.Refused {
			c.refusals[m.Sequence] = m.Digest
		}
	case e.Progress != nil:
		c.hasPublished(*e.Progress)
	}
	return nil
}

// recover brings a new league to the state that the run directory has: that of the snapshot, or of its
// copy, and then of the journal.
func (l *League) recover() error {
	found, err := l.readSnapshot()
	if err != nil {
		return err
	}
	place := l.core.place
	j, entries, damaged, err := openJournal(l.o.Dir)
	if err != nil {
		return err
	}
	l.journal = j
	damaged += l.core.replay(entries)
	if damaged > 0 {
		l.keepDamaged(journalName)
		l.log.Warn("parts of the league's journal cannot be used; results come from the broker",
			"file", journalName, "lines", damaged)
	}
	if found && j.missing > 0 {
		l.log.Warn("the league's journal has lost its end, or all; results come from the broker",
			"file", journalName, "bytes", j.size, "missing", j.missing, "read_from", place.Sequence)
	}
	l.core.trusting = !found || damaged > 0 || j.missing > 0
	if l.core.trusting { // there are results that the journal does not have
		l.core.place = place
	}
	if l.core.forgot = found && l.core.trusting; l.core.forgot {
		l.unsaved, l.snapshotSize = true, 0 // the next snapshot begins a journal without gaps
	}
	l.kept = l.core.published()
	return nil
}

// maxSnapshot is more bytes than the state of a league of many thousand pairs takes.
const maxSnapshot = 1 << 30

// stateCopy is a copy of the league's state that can be read.
type stateCopy struct {
	name     string // of the file
	document []byte
	state    snapshot
}

// stateCopies reads the copies of the state that can be used, the newest first. Those that are damaged are put aside,
// before they are replaced. One that is intact and not this run's is an error: it would be replaced by a state that
// begins from nothing, and the broker may have no results any more from which it could be made again.
func (l *League) stateCopies() (list []stateCopy, err error) {
	for _, name := range []string{snapshotName, snapshotCopy} {
		c := stateCopy{name: name}
		var err error
		if c.document, err = regular.Read(filepath.Join(l.o.Dir, name), maxSnapshot); err == nil {
			c.state, err = l.core.readSnapshot(c.document)
		}
		var foreign foreignError
		switch {
		case err == nil:
			list = append(list, c)
		case errors.As(err, &foreign):
			return nil, fmt.Errorf("%s is not the state of this run: %w; nothing was changed: move it away, and %s, if the "+
				"league is to begin from nothing", filepath.Join(l.o.Dir, name), err, snapshotCopy)
		case !errors.Is(err, fs.ErrNotExist):
			l.cannotUse(name, err)
			l.keepDamaged(name)
		}
	}
	// The first is written first: if the second is newer, somebody has put an old file in the place of the first, whose
	// journal is gone.
	slices.SortStableFunc(list, func(a, b stateCopy) int {
		return cmp.Compare(b.state.Place.Sequence, a.state.Place.Sequence)
	})
	return list, nil
}

// keepDamaged keeps a copy of a damaged file of the run directory under a name that is free.
func (l *League) keepDamaged(name string) {
	path := filepath.Join(l.o.Dir, name)
	data, err := regular.Read(path, maxSnapshot)
	for n := 1; err == nil; n++ {
		copied := fmt.Sprint(path, rundir.DamagedSuffix, n)
		if _, missing := os.Lstat(copied); errors.Is(missing, fs.ErrNotExist) {
			if err = durable.WriteFile(copied, data); err == nil {
				l.log.Warn("a damaged file was put aside", "file", name, "as", filepath.Base(copied))
				return
			}
		}
	}
	l.log.Warn("a damaged file could not be put aside", "file", name, "error", err)
}

func (l *League) cannotUse(name string, err error) {
	l.log.Warn("a copy of the league's state cannot be used", "file", name, "error", err)
}

// readSnapshot restores the core from the newest copy that can be used, and reports whether there was one
// that knows which matches were asked for. If another copy is not the same, both are written again at once.
func (l *League) readSnapshot() (complete bool, err error) {
	copies, err := l.stateCopies()
	if err != nil {
		return false, err
	}
	whole := len(copies) == 2 && bytes.Equal(copies[0].document, copies[1].document)
	for _, c := range copies {
		complete, err := l.core.restore(c.state)
		if err != nil {
			l.cannotUse(c.name, err)
			whole = false
			continue
		}
		if !whole {
			l.log.Info("the copies of the league's state differ; they are written again")
		}
		if l.unsaved = !complete || !whole; !l.unsaved {
			l.snapshotSize = int64(len(c.document))
		}
		return complete, nil
	}
	l.log.Debug("no snapshot; all results are read again")
	return false, nil
}

// writeSnapshot replaces both copies, one after the other. Whatever happens meanwhile, one of them and
// the journal say all.
func (l *League) writeSnapshot() error {
	document, err := l.core.encodeSnapshot()
	if err != nil {
		return err
	}
	for _, name := range []string{snapshotName, snapshotCopy} {
		if err := durable.WriteFile(filepath.Join(l.o.Dir, name), document); err != nil {
			return err
		}
	}
	l.snapshotSize = int64(len(document))
	return nil
}
