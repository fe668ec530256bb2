// Package supervise starts programs of other people so that everything they start ends with them and with this
// process, however each of these ends.
//
// On Linux a supervisor stands between this process and such a program: this program once more, which [Main] turns
// into a supervisor. It adopts what the program leaves behind, even in other process groups and sessions, and kills it.
// In programs that do not call Main, and on other systems, what a program starts in its own process group ends with it.
package supervise

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"croupier/internal/platform"
)

// patience is how long a supervisor may take to end all that it watches.
const patience = 2 * time.Second

// Process is a started program.
type Process struct {
	cmd        *exec.Cmd
	supervised bool
	ended      chan struct{}

	mu     sync.Mutex
	reaped bool // its number may be another's
}

// Start starts a command. Its address space has at most the given number of bytes, 0: any number. The standard input
// and output, if there are any, must be files.
func Start(cmd *exec.Cmd, memory uint64) (*Process, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	if _, err := exec.LookPath(cmd.Path); err != nil && cmd.Err == nil {
		cmd.Err = err // the supervisor could not say it as plainly
	}
	platform.EndTogether(cmd)
	p.supervised = hand(cmd, memory)
	started := make(chan error)
	go func() {
		// What ends with its parent ends with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	if memory > 0 && !p.supervised {
		if err := platform.LimitMemory(cmd.Process.Pid, memory); err != nil {
			p.Kill()
			return nil, err
		}
	}
	return p, nil
}

// wait waits for the end of the process, and ends what is left of its group before its number is free again.
func (p *Process) wait() {
	platform.AwaitExit(p.cmd)
	p.mu.Lock()
	platform.KillTogether(p.cmd)
	p.reaped = true
	p.mu.Unlock()
	_ = p.cmd.Wait() // State reports how it ended
	close(p.ended)
}

// Ended is closed when the program has ended, and with it all that it has started.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Kill ends the program and all that it has started. It does not wait for the end.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.reaped:
	case p.supervised:
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // the supervisor has ended if this fails
		time.AfterFunc(2*patience, p.force)
	default:
		platform.KillTogether(p.cmd)
	}
}

// force ends a supervisor that is stuck.
func (p *Process) force() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		platform.KillTogether(p.cmd)
	}
}

// State reports how the program has ended, such as "exit status 3". It must have.
func (p *Process) State() string {
	// As in a shell, a supervisor's status above 128 stands for a signal.
	if signal := p.cmd.ProcessState.ExitCode() - 128; p.supervised && signal > 0 && signal <= maxSignal {
		return fmt.Sprintf("signal: %v", syscall.Signal(signal))
	}
	return p.cmd.ProcessState.String()
}

// maxSignal is the largest number of a signal.
const maxSignal = 64
