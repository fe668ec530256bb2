//go:build unix

package tests

import (
	"sync"
	"syscall"
	"time"
)

// Actors play and learners learn as fast as a core can, so a cluster costs two cores for as long as a test waits for
// anything else. Held back they work a quarter of the time, as on a busy machine, and there is still more to learn from
// than a test needs.
const working, resting = 10 * time.Millisecond, 30 * time.Millisecond

// holdBack has the process work only now and then, until hurry or its end. It returns hurry, after which it runs
// freely.
func (p *process) holdBack() (hurry func()) {
	free, freed := make(chan struct{}), make(chan struct{})
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-free:
		case <-p.exited:
		}
		return false
	}
	go func() {
		defer close(freed)
		defer p.cmd.Process.Signal(syscall.SIGCONT)
		for wait(working) {
			p.cmd.Process.Signal(syscall.SIGSTOP) // an error says that it is gone
			if !wait(resting) {
				return
			}
			p.cmd.Process.Signal(syscall.SIGCONT)
		}
	}()
	return sync.OnceFunc(func() {
		close(free)
		<-freed
	})
}
