package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"croupier/internal/supervise"
)

// grace is how long a process may take to end when it is asked to.
const grace = 3 * time.Second

// process is an agent that reads requests from its standard input and writes answers to its
// standard output, a line each. What it writes to its standard error is for people: the end of
// it stands in the error when the process ends.
type process struct {
	program *supervise.Process
	in, out *os.File // both ends of this program, which processes of the agent's may hold open
	lines   chan []byte
	long    bool // a line was too long, and the last; read it when lines is closed
	closed  chan struct{}
	errors  tail
	forget  func() bool // ends the watch of the context
}

// startProcess starts a command. It ends with ctx and with this program, and all that it has started ends with it
// (package supervise).
func startProcess(ctx context.Context, command []string, memory uint64) (*process, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer theirOut.Close()
	p := &process{in: in, out: out, lines: make(chan []byte, 1), closed: make(chan struct{})}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &p.errors
	cmd.WaitDelay = grace
	if p.program, err = supervise.Start(cmd, memory); err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go p.read()
	p.forget = context.AfterFunc(ctx, p.kill)
	return p, nil
}

// read passes the lines on until the output ends, one is too long, or the process is closed.
func (p *process) read() {
	defer close(p.lines)
	defer p.out.Close() // one that still writes learns that nobody reads
	lines := bufio.NewReaderSize(p.out, maxAnswer)
	for {
		line, err := lines.ReadSlice('\n')
		if p.long = errors.Is(err, bufio.ErrBufferFull); len(line) > 0 && !p.long {
			select {
			case p.lines <- append([]byte{}, line...):
			case <-p.closed:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// ask writes a line and reads one. A process that does not answer before ctx ends is killed. What it has said before it
// is asked is an error: it would be taken for the answer, and each answer for that to the next question.
func (p *process) ask(ctx context.Context, request []byte) ([]byte, error) {
	select {
	case line, ok := <-p.lines:
		if ok {
			return nil, fmt.Errorf("it said %s before it was asked", shorten(line))
		}
	default:
	}
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	_, _ = p.in.Write(append(request, '\n')) // one that has ended reads nothing: what it said before says more than that
	select {
	case line, ok := <-p.lines:
		switch {
		case ok:
			return line, nil
		case p.long:
			return nil, fmt.Errorf("its answer is longer than %d KiB", maxAnswer>>10)
		}
	case <-ctx.Done():
	}
	return nil, p.explain()
}

// tell writes a line, or not: a process that reads nothing is found out by the next ask.
func (p *process) tell(request []byte) {
	timer := time.AfterFunc(grace, p.kill)
	defer timer.Stop()
	_, _ = p.in.Write(append(request, '\n'))
}

// close ends the process: it is told by the end of its input, and killed if that does not help. It returns the first
// line that was left, which nobody asked for.
func (p *process) close() (unasked []byte) {
	defer p.forget()
	_ = p.in.Close()
	if !p.ends(grace) {
		p.kill()
		p.ends(grace)
	}
	late := time.After(grace / 10) // what has escaped may still hold the output
	for open := true; open; {
		select {
		case line, ok := <-p.lines:
			if open = ok; unasked == nil {
				unasked = line
			}
		case <-late:
			open = false
		}
	}
	close(p.closed)
	p.out.Close()
	return unasked
}

// ends waits for the end of the process and reports whether it came in time.
func (p *process) ends(within time.Duration) bool {
	select {
	case <-p.program.Ended():
		return true
	case <-time.After(within):
		return false
	}
}

// kill ends the process and what it has started, and what is being written to it.
func (p *process) kill() {
	p.program.Kill()
	_ = p.in.SetWriteDeadline(time.Now()) // one that has escaped may hold the input and read nothing
}

// explain says how a process ended that does not answer.
func (p *process) explain() error {
	if !p.ends(grace / 10) { // one that has just ended says itself how; the others are killed
		p.kill()
		if !p.ends(grace) {
			return errors.New("the process does not end")
		}
	}
	said := p.errors.String()
	if said != "" {
		said = "; its last words: " + said
	}
	return fmt.Errorf("the process ended (%s)%s", p.program.State(), said)
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
