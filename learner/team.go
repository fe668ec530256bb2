package learner

import (
	"sync/atomic"
	"time"
)

// spinTime is how long a worker that has nothing to do spins, looking for more, before it
// stops. To wake up a core that sleeps takes 60 µs on a virtual machine, and a minibatch has
// three lists of tasks, of which two are no longer than that.
const spinTime = 100 * time.Microsecond

// team is the workers of a learner, one for a core.
type team struct {
	workers []*worker
	latest  atomic.Pointer[tasks]
}

// tasks is a list of tasks, numbered from 0.
type tasks struct {
	n           int64
	do          func(w *worker, i int)
	taken, done atomic.Int64
	over        chan struct{} // closed when all are done
}

// each calls do for every i below n, on all workers at once: a worker takes the next i as soon
// as it is done with the one before, so that none waits for a slower one.
func (t *team) each(n int, do func(w *worker, i int)) {
	if n <= 1 || len(t.workers) == 1 {
		for i := range n {
			do(t.workers[0], i)
		}
		return
	}
	list := &tasks{n: int64(n), do: do, over: make(chan struct{})}
	t.latest.Store(list)
	for _, w := range t.workers[1:min(n, len(t.workers))] {
		if w.awake.CompareAndSwap(false, true) {
			go t.help(w)
		}
	}
	list.work(t.workers[0])
	if !soon(func() bool { return list.done.Load() == list.n }) {
		<-list.over
	}
}

// work does tasks of the list until all are taken.
func (l *tasks) work(w *worker) {
	for i := l.taken.Add(1) - 1; i < l.n; i = l.taken.Add(1) - 1 {
		l.do(w, int(i))
		if l.done.Add(1) == l.n {
			close(l.over)
		}
	}
}

// help works on the latest list, and on those that follow soon.
func (t *team) help(w *worker) {
	var last *tasks
	more := func() bool { return t.latest.Load() != last }
	for {
		for soon(more) {
			last = t.latest.Load()
			last.work(w)
		}
		w.awake.Store(false)
		if !more() || !w.awake.CompareAndSwap(false, true) {
			return // nothing came meanwhile, or another goroutine helps with it
		}
	}
}

// soon reports whether something happens within spinTime.
func soon(happened func() bool) bool {
	for began := time.Now(); !happened(); {
		if time.Since(began) > spinTime {
			return false
		}
	}
	return true
}
