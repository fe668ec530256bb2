// Package dialogue talks with programs of other people: a line to the standard input of a process, and a line back from
// its standard output.
package dialogue

import (
	"bufio"
	"bytes"
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

// Grace is how long a process may take to end when it is asked to.
const Grace = 3 * time.Second

// Process is a program that reads requests from its standard input and writes answers to its
// standard output, a line each. What it writes to its standard error is for people: the end of
// it is in the error when the process ends.
type Process struct {
	program *supervise.Process
	longest int      // bytes of a line
	in, out *os.File // both ends of this program, which processes of the agent's may hold open
	lines   chan []byte
	long    bool // a line was too long, and the last; read it when lines is closed
	closed  chan struct{}
	errors  tail
	forget  func() bool // ends the watch of the context
}

// Start starts a command, whose answers have at most the given number of bytes each. It ends with ctx and with this
// program, and all that it has started ends with it (package supervise). Its address space has at most the given number
// of bytes of memory, 0: any number.
func Start(ctx context.Context, command []string, memory uint64, longest int) (*Process, error) {
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
	p := &Process{longest: longest, in: in, out: out, lines: make(chan []byte, 1), closed: make(chan struct{})}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &p.errors
	cmd.WaitDelay = Grace
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
func (p *Process) read() {
	defer close(p.lines)
	defer p.out.Close() // one that still writes learns that it is not read
	out := bufio.NewReaderSize(p.out, 64<<10)
	for {
		line, err := p.line(out)
		if len(line) > 0 && !p.long {
			select {
			case p.lines <- line:
			case <-p.closed:
				return
			}
		}
		if err != nil || p.long {
			return
		}
	}
}

// line reads a line, or what comes before an error.
func (p *Process) line(out *bufio.Reader) (line []byte, err error) {
	for {
		part, err := out.ReadSlice('\n')
		line = append(line, part...)
		if p.long = len(line) > p.longest; p.long || !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Ask writes a line and reads one. A process that does not answer before ctx ends is killed. What it has said before it
// is asked is an error: it would be taken for the answer, and each answer for that to the next question.
func (p *Process) Ask(ctx context.Context, request []byte) ([]byte, error) {
	select {
	case line, ok := <-p.lines:
		if ok {
			return nil, fmt.Errorf("it sent %s before it was asked", Quote(line))
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
			return nil, fmt.Errorf("its answer is longer than %d KiB", p.longest>>10)
		}
	case <-ctx.Done():
	}
	return nil, p.explain()
}

// Tell writes a line, or not: a process that reads nothing is found out by the next Ask.
func (p *Process) Tell(request []byte) {
	timer := time.AfterFunc(Grace, p.kill)
	defer timer.Stop()
	_, _ = p.in.Write(append(request, '\n'))
}

// Close ends the process: it closes its input, and kills it if that does not help. It returns the first
// line that was left, which was not asked for.
func (p *Process) Close() (unasked []byte) {
	defer p.forget()
	_ = p.in.Close()
	if !p.ends(Grace) {
		p.kill()
		p.ends(Grace)
	}
	late := time.After(Grace / 10) // what has escaped may still hold the output
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
func (p *Process) ends(within time.Duration) bool {
	select {
	case <-p.program.Ended():
		return true
	case <-time.After(within):
		return false
	}
}

// kill ends the process and what it has started, and what is being written to it.
func (p *Process) kill() {
	p.program.Kill()
	_ = p.in.SetWriteDeadline(time.Now()) // one that has escaped may hold the input and read nothing
}

// explain reports how a process ended that does not answer.
func (p *Process) explain() error {
	if !p.ends(Grace / 10) { // one that has just ended says itself how; the others are killed
		p.kill()
		if !p.ends(Grace) {
			return errors.New("the process does not stop")
		}
	}
	said := p.errors.String()
	if said != "" {
		said = "; its last output: " + said
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

// Quote quotes the beginning of a line.
func Quote(line []byte) string {
	const most = 60
	if line = bytes.TrimSpace(line); len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}
