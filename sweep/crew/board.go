package crew

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxTries is how often a task is begun that no worker finishes.
	maxTries = 5
	// maxWorkers is how many workers a desk knows at the same time, and maxStarts how many of them of one name: so
	// no process with a key for one name takes the places of others.
	maxWorkers, maxStarts = 256, 8
	// alone is how many periods tasks wait for a worker before the desk says so; it says it again after Silence.
	alone = 3
	// rest is for how many periods a worker gets nothing that could not finish a task; twice in a row, for twice as
	// many.
	rest = 10
)

// addressed is a message for a worker by its name.
type addressed struct {
	worker  string
	message message
}

// board is a desk's account of tasks and workers. It knows no clock and no bus.
type board struct {
	id, title, version string
	again, silence     time.Duration // Period and Silence
	workers            map[seat]*hand
	waiting            []*task   // for a worker, in their order
	number             uint64    // of assignments so far
	idle               time.Time // since when tasks wait and no worker is there; zero: that is not so

	out   []addressed // to be sent
	notes []string    // for people
}

// seat is a worker, one start of it.
type seat struct{ name, instance string }

func compareSeats(a, b seat) int {
	return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.instance, b.instance))
}

// hand is what is known of a worker.
type hand struct {
	seat
	seen             time.Time
	processors, free int              // as it reports
	unfit            string           // why it gets no tasks; "": it does
	vain             int              // tasks in a row that it could not finish
	rests            time.Time        // until when it gets no tasks
	work             map[string]*task // assignments by name
	reported         map[string]bool  // of them, which it has reported
}

// task is a task on its way to an outcome.
type task struct {
	Task
	tries   int
	at      *hand  // the worker that has it; nil: none
	last    seat   // the worker that had it
	name    string // of the assignment
	fetch   *fetch // of the outcome
	outcome func([]File, error)
}

func newBoard(id, title, version string, again, silence time.Duration) *board {
	return &board{id: id, title: title, version: version, again: again, silence: silence, workers: map[seat]*hand{}}
}

func (b *board) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

func (b *board) send(w *hand, m message) { b.out = append(b.out, addressed{w.name, m}) }

// add takes a task on.
func (b *board) add(now time.Time, t *task) {
	b.waiting = append(b.waiting, t)
	b.assign(now)
}

// drop forgets a task that no desk waits for any more.
func (b *board) drop(t *task) {
	b.waiting = slices.DeleteFunc(b.waiting, func(other *task) bool { return other == t })
	if t.at != nil {
		delete(t.at.work, t.name)
		b.order(t.at)
		t.at = nil
	}
}

// receive handles a message of a worker.
func (b *board) receive(now time.Time, name string, m message) {
	switch {
	case m.Report != nil:
		b.report(now, seat{name, m.Report.Instance}, m.Report)
	case m.Ask != nil && m.Ask.Desk == b.id:
		if t := b.of(seat{name, m.Ask.Instance}, m.Ask.Name); t != nil {
			if answer, found := partOf(t.Files, m.Ask.place); found {
				b.send(t.at, *answer)
			}
		}
	case m.Part != nil && m.Part.Desk == b.id:
		if t := b.of(seat{name, m.Part.Instance}, m.Part.Name); t != nil && t.fetch != nil {
			b.part(now, t, m.Part)
		}
	}
}

// of returns the assignment of a worker; nil: it has no such one.
func (b *board) of(s seat, name string) *task {
	if w := b.workers[s]; w != nil {
		return w.work[name]
	}
	return nil
}

func (b *board) report(now time.Time, s seat, r *report) {
	w := b.workers[s]
	if w == nil {
		if r.Leaving || len(b.workers) >= maxWorkers || b.starts(s.name) >= maxStarts {
			return
		}
		w = &hand{seat: s, work: map[string]*task{}}
		b.workers[s] = w
		b.note("worker %s: %d processors", s.name, r.Processors)
	}
	w.seen, w.processors, w.free, w.reported = now, r.Processors, r.Free, map[string]bool{}
	if r.Leaving {
		b.lose(w, "has left", b.takeBackOf)
		b.assign(now)
		return
	}
	for _, s := range r.Work {
		if t := w.work[s.Name]; t != nil && s.Desk == b.id {
			w.reported[s.Name] = true
			b.progress(now, t, s)
		}
	}
	b.assign(now)
}

// starts counts the workers of a name.
func (b *board) starts(name string) (n int) {
	for s := range b.workers {
		if s.name == name {
			n++
		}
	}
	return n
}

// progress takes in how far a worker is with an assignment.
func (b *board) progress(now time.Time, t *task, s status) {
	w := t.at
	switch s.Phase {
	case done:
		if t.fetch != nil {
			return
		}
		var err error
		if t.fetch, err = newFetch(b.place(t), s.Files, MaxOutcome); err != nil {
			b.reject(t, err)
			return
		}
		b.demand(now, t)
	case refused:
		if w.unfit == "" {
			b.note("worker %s refuses: %s", w.name, s.Why)
		}
		w.unfit = cmp.Or(s.Why, "it refuses")
		b.takeBack(t)
	case busy:
		b.takeBack(t)
	case broken:
		b.note("%s could not be finished on worker %s: %s", t.Title, w.name, s.Why)
		w.vain++
		w.rests = now.Add(time.Duration(rest*w.vain) * b.again)
		b.fail(t, fmt.Sprintf("worker %s: %s", w.name, s.Why))
	}
}

// place is that of the files of an assignment.
func (b *board) place(t *task) place {
	return place{Desk: b.id, Instance: t.at.instance, Name: t.name}
}

// demand asks for the next part of an outcome, if it is time to.
func (b *board) demand(now time.Time, t *task) {
	if t.fetch == nil {
		return
	}
	if m, due := t.fetch.due(now, b.again); due {
		b.send(t.at, *m)
	}
}

func (b *board) part(now time.Time, t *task, p *part) {
	complete, err := t.fetch.take(p)
	if complete && err == nil && t.Check != nil {
		err = t.Check(t.fetch.have)
	}
	switch {
	case err != nil:
		b.reject(t, err)
	case complete:
		t.at.vain = 0
		t.outcome(t.fetch.have, nil)
		b.drop(t)
		b.assign(now)
	default:
		t.fetch.asked = time.Time{}
		b.demand(now, t)
	}
}

// reject gives a worker up that has sent nonsense.
func (b *board) reject(t *task, err error) {
	t.at.unfit = "its outcomes are refused: " + err.Error()
	b.note("worker %s gets no more tasks: its outcome of %s is refused: %v", t.at.name, t.Title, err)
	b.fail(t, fmt.Sprintf("worker %s: outcome refused: %v", t.at.name, err))
}

// fail takes a task back that was begun in vain, and gives it up after some tries.
func (b *board) fail(t *task, why string) {
	w := t.at
	b.takeBack(t)
	if t.tries++; t.tries < maxTries {
		return
	}
	b.drop(t)
	t.outcome(nil, fmt.Errorf("started %d times and never finished, the last time: %s", t.tries, why))
	b.order(w)
}

// takeBack has a task wait again, before all others.
func (b *board) takeBack(t *task) {
	w := t.at
	delete(w.work, t.name)
	t.at, t.last, t.fetch = nil, w.seat, nil
	b.waiting = slices.Insert(b.waiting, 0, t)
	b.order(w)
}

// takeBackOf is takeBack for a worker that gives its tasks back, which is no try in vain.
func (b *board) takeBackOf(t *task, _ string) { b.takeBack(t) }

// lose takes everything from a worker, as take does with each task, and forgets it.
func (b *board) lose(w *hand, how string, take func(t *task, why string)) {
	delete(b.workers, w.seat)
	if len(w.work) == 0 {
		b.note("worker %s %s", w.name, how)
	}
	for _, name := range slices.Sorted(maps.Keys(w.work)) {
		t := w.work[name]
		b.note("worker %s %s: %s is done elsewhere, from the beginning", w.name, how, t.Title)
		take(t, fmt.Sprintf("worker %s %s", w.name, how))
	}
	w.work = map[string]*task{}
}

// assign gives waiting tasks to workers with processors for them, in their order.
func (b *board) assign(now time.Time) {
	b.waiting = slices.DeleteFunc(slices.Clone(b.waiting), func(t *task) bool {
		w := b.choose(now, t)
		if w == nil {
			return false
		}
		b.number++
		t.at, t.name = w, strconv.FormatUint(b.number, 10)
		w.work[t.name] = t
		b.order(w)
		return true
	})
}

// choose returns the worker with most free processors, and one that has had the task only where no other can; nil:
// none can.
func (b *board) choose(now time.Time, t *task) (best *hand) {
	for _, w := range b.workers {
		if w.unfit != "" || now.Before(w.rests) || w.room() < t.Processors {
			continue
		}
		if best == nil || b.before(t, w, best) {
			best = w
		}
	}
	return best
}

func (b *board) before(t *task, a, than *hand) bool {
	switch hadA, hadB := a.seat == t.last, than.seat == t.last; {
	case hadA != hadB:
		return hadB
	case a.room() != than.room():
		return a.room() > than.room()
	case a.name != than.name:
		return a.name < than.name
	}
	return a.instance < than.instance
}

// room is how many processors of a worker are free, without those of assignments that it has not reported yet.
func (w *hand) room() int {
	free := w.free
	for name, t := range w.work {
		if !w.reported[name] {
			free -= t.Processors
		}
	}
	return free
}

// order sends a worker the assignments that it is to have.
func (b *board) order(w *hand) {
	o := &orders{Desk: b.id, Title: b.title, Version: b.version, Instance: w.instance}
	for _, name := range slices.Sorted(maps.Keys(w.work)) {
		t := w.work[name]
		o.Work = append(o.Work, order{Name: name, Title: t.Title, Processors: t.Processors, Files: t.entries})
	}
	b.send(w, message{Orders: o})
}

// tick is called once in a period.
func (b *board) tick(now time.Time) {
	for _, s := range slices.SortedFunc(maps.Keys(b.workers), compareSeats) {
		w := b.workers[s]
		if now.Sub(w.seen) > b.silence {
			b.lose(w, fmt.Sprintf("has been silent for %v", b.silence), b.fail)
			continue
		}
		b.order(w)
		for _, t := range w.work {
			b.demand(now, t)
		}
	}
	b.assign(now)
	b.lament(now)
}

// lament reports that tasks wait and no worker takes them.
func (b *board) lament(now time.Time) {
	most, atWork := 0, false
	for _, w := range b.workers {
		if w.unfit == "" {
			most = max(most, w.processors)
		}
		atWork = atWork || len(w.work) > 0
	}
	if len(b.waiting) == 0 || most >= b.waiting[0].Processors || atWork {
		b.idle = time.Time{}
		return
	}
	if b.idle.IsZero() {
		b.idle = now.Add(alone*b.again - b.silence)
	}
	if now.Sub(b.idle) < b.silence {
		return
	}
	b.idle = now
	if most == 0 {
		b.note("waiting: no worker is there")
	} else {
		b.note("waiting: %s needs %d processors, and no worker has more than %d", b.waiting[0].Title,
			b.waiting[0].Processors, most)
	}
}

// end sends all workers that the desk ends.
func (b *board) end() {
	for _, w := range b.workers {
		b.send(w, message{Orders: &orders{
			Desk: b.id, Title: b.title, Version: b.version, Instance: w.instance, Over: true,
		}})
	}
}
