package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"croupier/internal/platform"
)

// grace is how long a process may take to end when it is asked to.
const grace = 3 * time.Second

// process is an agent that reads requests from its standard input and writes answers to its
// standard output, a line each. What it writes to its standard error is for people: the end of
// it stands in the error when the process ends.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Closer
	lines  *bufio.Reader // of out
	errors tail
	ended  chan struct{} // closed when it has ended
	forget func() bool   // ends the watch of the context
}

// startProcess starts a command that ends with this program, even if that is killed (on Linux).
func startProcess(ctx context.Context, command []string, memory uint64) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{})}
	platform.EndTogether(p.cmd)
	p.cmd.Stderr = &p.errors
	p.cmd.WaitDelay = grace
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, childs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out, p.cmd.Stdout = in, out, childs
	p.lines = bufio.NewReaderSize(out, maxAnswer)
	started := make(chan error)
	go func() {
		// What ends with its parent ends with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		childs.Close()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended does not matter: it should not have
		}
		close(p.ended)
	}()
	if err := <-started; err != nil {
		out.Close()
		return nil, err
	}
	p.forget = context.AfterFunc(ctx, p.kill)
	if memory > 0 {
		if err := platform.LimitMemory(p.cmd.Process.Pid, memory); err != nil {
			p.close()
			return nil, fmt.Errorf("option memory: %w", err)
		}
	}
	return p, nil
}

// ask writes a line and reads one. A process that does not answer before ctx ends is killed.
func (p *process) ask(ctx context.Context, request []byte) ([]byte, error) {
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		return nil, p.explain()
	}
	line, err := p.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("its answer is longer than %d KiB", maxAnswer>>10)
	}
	if err != nil {
		return nil, p.explain()
	}
	return line, nil
}

// tell writes a line, or not: a process that reads nothing is found out by the next ask.
func (p *process) tell(request []byte) {
	timer := time.AfterFunc(grace, p.kill)
	defer timer.Stop()
	_, _ = p.in.Write(append(request, '\n'))
}

// close ends the process: it is told by the end of its input, and killed if that does not help.
func (p *process) close() {
	defer p.forget()
	defer p.out.Close()
	_ = p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(grace):
		p.kill()
		<-p.ended
	}
}

// kill ends the process and what it has started. Once it has ended its number may be another's.
func (p *process) kill() {
	select {
	case <-p.ended:
	default:
		platform.KillTogether(p.cmd)
	}
}

// explain says how a process ended that does not answer.
func (p *process) explain() error {
	select { // one that has just ended says itself how; the others are killed
	case <-p.ended:
	case <-time.After(grace / 10):
		p.kill()
		<-p.ended
	}
	said := p.errors.String()
	if said != "" {
		said = "; its last words: " + said
	}
	return fmt.Errorf("the process ended (%s)%s", p.cmd.ProcessState, said)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail bounds it, in bytes.
const maxTail = 500

// Write keeps the end.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(text), nil
}

// String returns it as one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}
