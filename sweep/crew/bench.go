package crew

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// maxDesks is how many desks a worker serves at the same time.
const maxDesks = 64

// bench is a worker's account of its assignments. It knows no clock and no bus.
type bench struct {
	instance, version string
	processors        int
	again, silence    time.Duration // Period and Silence
	desks             map[string]*owner
	work              map[assignment]*job
	// start begins a job whose files are there; it calls ended later, in the worker's own goroutine.
	start func(ctx context.Context, j *job)

	out   []message // to be sent
	notes []string  // for people
}

// assignment names a job.
type assignment struct{ desk, name string }

// owner is what is known of a desk.
type owner struct {
	title string
	seen  time.Time
}

// job is an assignment.
type job struct {
	assignment
	order
	from    string // title of the desk
	phase   phase
	why     string
	fetch   *fetch // of the files of the task
	cancel  context.CancelFunc
	dropped bool // the desk wants it no more; it stays until it has ended
	outcome []File
	entries []entry
}

func newBench(instance, version string, processors int, again, silence time.Duration) *bench {
	return &bench{
		instance: instance, version: version, processors: processors, again: again, silence: silence,
		desks: map[string]*owner{}, work: map[assignment]*job{},
	}
}

func (b *bench) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// receive handles a message of a desk.
func (b *bench) receive(ctx context.Context, now time.Time, m message) {
	switch {
	case m.Orders != nil && m.Orders.Instance == b.instance:
		b.orders(now, m.Orders)
	case m.Ask != nil && m.Ask.Instance == b.instance:
		if j := b.work[assignment{m.Ask.Desk, m.Ask.Name}]; j != nil {
			if answer, found := partOf(j.outcome, m.Ask.place); found {
				b.out = append(b.out, *answer)
			}
		}
	case m.Part != nil && m.Part.Instance == b.instance:
		if j := b.work[assignment{m.Part.Desk, m.Part.Name}]; j != nil && j.phase == fetching {
			b.part(ctx, now, j, m.Part)
		}
	}
}

// orders makes the assignments of a desk those that it orders.
func (b *bench) orders(now time.Time, o *orders) {
	owns := b.desks[o.Desk]
	if owns == nil {
		if o.Over || len(o.Work) == 0 || len(b.desks) >= maxDesks {
			return
		}
		owns = &owner{}
		b.desks[o.Desk] = owns
	}
	owns.title, owns.seen = o.Title, now
	wanted := map[string]bool{}
	for _, one := range o.Work {
		wanted[one.Name] = true
	}
	changed := b.release(o.Desk, func(j *job) bool { return !wanted[j.Name] }, "no longer wanted")
	for _, one := range o.Work {
		if b.work[assignment{o.Desk, one.Name}] == nil && len(b.work) < maxAssignments {
			b.accept(now, o, one)
			changed = true
		}
	}
	if o.Over {
		delete(b.desks, o.Desk)
	}
	if changed {
		b.report()
	}
}

// release ends the assignments of a desk that drop names.
func (b *bench) release(desk string, drop func(*job) bool, why string) (any bool) {
	for key, j := range b.work {
		if key.desk != desk || j.dropped || !drop(j) {
			continue
		}
		any = true
		if j.phase != working {
			delete(b.work, key)
			continue
		}
		j.dropped = true
		j.cancel()
		b.note("%s: %s: stopped, it is %s", j.from, j.Title, why)
	}
	return any
}

// accept takes an assignment on, or reports why not.
func (b *bench) accept(now time.Time, o *orders, one order) {
	j := &job{assignment: assignment{o.Desk, one.Name}, order: one, from: o.Title, phase: fetching}
	var err error
	j.fetch, err = newFetch(place{Desk: o.Desk, Instance: b.instance, Name: one.Name}, one.Files, MaxTask)
	switch {
	case o.Version != b.version:
		j.refuse(fmt.Sprintf("%s is of the program %s, and this one is %s: they must be the same", o.Title, o.Version,
			b.version))
	case one.Processors < 1 || one.Processors > b.processors:
		j.refuse(fmt.Sprintf("%d processors for a task: there are %d here", one.Processors, b.processors))
	case err != nil:
		j.refuse(err.Error())
	case one.Processors > b.free():
		j.phase = busy
	default:
		b.demand(now, j)
	}
	if j.phase == refused {
		b.note("refused: %s", j.why)
	}
	b.work[j.assignment] = j
}

func (j *job) refuse(why string) { j.phase, j.why = refused, shown(why) }

// free is how many processors no assignment uses.
func (b *bench) free() int {
	free := b.processors
	for _, j := range b.work {
		if j.phase == fetching || j.phase == working {
			free -= j.Processors
		}
	}
	return free
}

// demand asks for the next part of a task, if it is time to.
func (b *bench) demand(now time.Time, j *job) {
	if m, due := j.fetch.due(now, b.again); due {
		b.out = append(b.out, *m)
	}
}

func (b *bench) part(ctx context.Context, now time.Time, j *job, p *part) {
	complete, err := j.fetch.take(p)
	switch {
	case err != nil:
		j.refuse(err.Error())
		b.note("refused: %s", j.why)
		b.report()
	case complete:
		j.phase = working
		ctx, j.cancel = context.WithCancel(ctx)
		b.note("%s: %s: begun", j.from, j.Title)
		b.start(ctx, j)
		b.report()
	default:
		j.fetch.asked = time.Time{}
		b.demand(now, j)
	}
}

// ended takes in the outcome of a job.
func (b *bench) ended(j *job, o Outcome) {
	j.cancel()
	if j.dropped {
		delete(b.work, j.assignment)
		b.report()
		return
	}
	j.fetch = nil
	switch {
	case o.Refused != "":
		j.refuse(o.Refused)
		b.note("%s: %s: refused: %s", j.from, j.Title, j.why)
	case o.Broken != "":
		j.phase, j.why = broken, shown(o.Broken)
		b.note("%s: %s: given back: %s", j.from, j.Title, j.why)
	default:
		j.phase, j.outcome, j.entries = done, o.Files, entries(o.Files)
		b.note("%s: %s: done", j.from, j.Title)
	}
	b.report()
}

// report reports how far all assignments are.
func (b *bench) report() {
	r := &report{Instance: b.instance, Processors: b.processors, Free: b.free()}
	for _, j := range b.work {
		if !j.dropped {
			r.Work = append(r.Work, status{Desk: j.desk, Name: j.Name, Phase: j.phase, Why: j.why, Files: j.entries})
		}
	}
	slices.SortFunc(r.Work, func(x, y status) int {
		return compareSeats(seat{x.Desk, x.Name}, seat{y.Desk, y.Name})
	})
	b.out = append(b.out, message{Report: r})
}

// tick is called once in a period.
func (b *bench) tick(now time.Time) {
	for id, owns := range b.desks {
		if now.Sub(owns.seen) > b.silence {
			b.release(id, func(*job) bool { return true }, fmt.Sprintf("of a sweep that has been silent for %v", b.silence))
			delete(b.desks, id)
		}
	}
	for _, j := range b.work {
		if j.phase == fetching {
			b.demand(now, j)
		}
	}
	b.report()
}

// leave gives everything back.
func (b *bench) leave() {
	for _, j := range b.work {
		if j.phase == working {
			b.note("%s: %s: given back", j.from, j.Title)
			j.dropped = true
			j.cancel()
		}
	}
	b.out = append(b.out, message{Report: &report{Instance: b.instance, Processors: b.processors, Leaving: true}})
}
