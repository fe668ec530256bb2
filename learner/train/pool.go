package train

import (
	"sync/atomic"
	"time"
)

// A worker that has nothing to do spins, looking for more, before it stops: for spinTime times the number of
// workers, at most for maxSpin. To wake one up takes about spinTime on a virtual machine, they are woken one after
// the other, and a minibatch has several lists of tasks, of which most are no longer than that.
const (
	spinTime = 50 * time.Microsecond
	maxSpin  = 400 * time.Microsecond
)

// workerPool is the workers of a learner, one for a core.
type workerPool struct {
	workers    []*worker
	latest     atomic.Pointer[tasks]
	background chan *backgroundTask // that perhaps no worker has begun
}

// newWorkerPool returns a pool that has no workers yet.
func newWorkerPool() workerPool { return workerPool{background: make(chan *backgroundTask, 4)} }

// backgroundTask is something that need not be done at once. A worker that finds no other task does it, or the caller
// that waits for it.
type backgroundTask struct {
	do    func()
	begun atomic.Bool
	over  chan struct{} // closed when it is done
}

// later returns a background task. Nothing that it reads may change before somebody has waited for it.
func (t *workerPool) later(do func()) *backgroundTask {
	e := &backgroundTask{do: do, over: make(chan struct{})}
	if len(t.workers) > 1 {
		select {
		case t.background <- e:
		default: // the caller that waits for it does it
		}
	}
	return e
}

// run does the task unless somebody has begun it.
func (e *backgroundTask) run() {
	if e.begun.CompareAndSwap(false, true) {
		e.do()
		close(e.over)
	}
}

// wait returns when the task is done.
func (e *backgroundTask) wait() {
	e.run()
	<-e.over
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
func (t *workerPool) each(n int, do func(w *worker, i int)) {
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
	if !t.soon(func() bool { return list.done.Load() == list.n }) {
		<-list.over
	}
}

// spread is each for tasks that need no worker of their own.
func (t *workerPool) spread(n int, do func(i int)) { t.each(n, func(_ *worker, i int) { do(i) }) }

// work does tasks of the list until all are taken.
func (l *tasks) work(w *worker) {
	for i := l.taken.Add(1) - 1; i < l.n; i = l.taken.Add(1) - 1 {
		l.do(w, int(i))
		if l.done.Add(1) == l.n {
			close(l.over)
		}
	}
}

// help works on the latest list, on those that follow soon, and on background tasks between them.
func (t *workerPool) help(w *worker) {
	var last *tasks
	more := func() bool { return t.latest.Load() != last || len(t.background) > 0 }
	for {
		for t.soon(more) {
			if latest := t.latest.Load(); latest != last {
				last = latest
				last.work(w)
				continue
			}
			select {
			case e := <-t.background:
				e.run()
			default: // another worker was faster
			}
		}
		w.awake.Store(false)
		if !more() || !w.awake.CompareAndSwap(false, true) {
			return // nothing came meanwhile, or another goroutine helps with it
		}
	}
}

// soon reports whether something happens before a worker stops to look for it.
func (t *workerPool) soon(happened func() bool) bool {
	limit := min(maxSpin, spinTime*time.Duration(len(t.workers)))
	for began := time.Now(); !happened(); {
		if time.Since(began) > limit {
			return false
		}
	}
	return true
}
