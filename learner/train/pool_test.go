package train

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workersOnly returns a descent with nothing but workers.
func workersOnly(n int) *Descent {
	d := &Descent{workerPool: newWorkerPool()}
	for range n {
		d.workers = append(d.workers, &worker{})
	}
	return d
}

// TestNoWorkerWaitsForASlowOne: while one worker is busy with a task, the others do all the rest.
func TestNoWorkerWaitsForASlowOne(t *testing.T) {
	d := workersOnly(3)
	const tasks = 100
	times, done, rest := make([]int, tasks), make(chan struct{}, tasks), make(chan struct{})
	go func() {
		for range tasks - 1 {
			<-done
		}
		close(rest)
	}()
	d.each(tasks, func(_ *worker, i int) {
		times[i]++
		if i == 0 {
			<-rest
			return
		}
		done <- struct{}{}
	})
	for i, n := range times {
		require.Equal(t, 1, n, "task %d", i)
	}
}

// TestEveryTaskIsDoneOnce: in lists that follow each other at once, and in those before which the workers have gone,
// every task is done, by one worker, before the list ends.
func TestEveryTaskIsDoneOnce(t *testing.T) {
	d := workersOnly(4)
	for list := range 2000 {
		if list%100 == 99 {
			require.Eventually(t, func() bool { return !d.anyAwake() }, time.Minute, time.Millisecond, "the workers go")
		}
		times := make([]atomic.Int32, list%9)
		busy := make([]atomic.Bool, len(d.workers))
		d.each(len(times), func(w *worker, i int) {
			for k := range d.workers {
				if d.workers[k] == w {
					assert.True(t, busy[k].CompareAndSwap(false, true), "a worker does one task at a time")
					defer busy[k].Store(false)
				}
			}
			times[i].Add(1)
		})
		for i := range times {
			require.EqualValues(t, 1, times[i].Load(), "list %d, task %d", list, i)
		}
	}
}

// TestAnIdleWorkerRunsBackgroundTasks: while one worker is busy with a task, another does what can wait.
func TestAnIdleWorkerRunsBackgroundTasks(t *testing.T) {
	d := workersOnly(3)
	busy, never := make(chan struct{}), time.After(time.Minute)
	meets := func(other <-chan struct{}) bool {
		select {
		case <-other:
			return true
		case <-never:
			return false
		}
	}
	var doneWhileBusy, busyTillDone bool
	e := d.later(func() { doneWhileBusy = meets(busy) })
	d.each(3, func(_ *worker, i int) {
		if i == 0 {
			close(busy)
			busyTillDone = meets(e.over)
		}
	})
	require.True(t, busyTillDone, "no worker did it while one was busy")
	e.wait()
	require.True(t, doneWhileBusy, "it was done before any was busy")
}

// TestBackgroundTasksRunOnce, before the wait for them ends, with and without workers that could do them.
func TestBackgroundTasksRunOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		d := workersOnly(workers)
		for range 1000 {
			var background []*backgroundTask
			times := make([]int, 6) // more than there is room for
			for i := range times {
				background = append(background, d.later(func() { times[i]++ }))
			}
			d.each(workers, func(*worker, int) {})
			for i, e := range background {
				e.wait()
				require.Equal(t, 1, times[i])
			}
		}
	}
}

func (t *workerPool) anyAwake() bool {
	for _, w := range t.workers {
		if w.awake.Load() {
			return true
		}
	}
	return false
}
