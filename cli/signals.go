package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"croupier/internal/platform"
)

// signals ends the work in order when the process is asked to end. SIGINT and SIGTERM ask for it, and so does SIGHUP, a
// terminal that was closed or a connection that was lost. A second SIGINT or SIGTERM ends the process at once. A second
// SIGHUP does not: the shell and the kernel each send one. A signal that was ignored at the start, as SIGHUP is under
// nohup, stays ignored.
type signals struct {
	asked, hangups chan os.Signal
	terminals      []int // the standard streams that lead to a terminal
}

// signalsKey is where a context holds its signals.
type signalsKey struct{}

// untilSignal returns a context that ends when the process is asked to end.
func untilSignal(parent context.Context) context.Context {
	s := &signals{asked: make(chan os.Signal, 1), hangups: make(chan os.Signal, 1)}
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		if fd := int(file.Fd()); term.IsTerminal(fd) {
			s.terminals = append(s.terminals, fd)
		}
	}
	ctx, end := context.WithCancel(context.WithValue(parent, signalsKey{}, s))
	notify(s.asked, os.Interrupt, syscall.SIGTERM)
	notify(s.hangups, syscall.SIGHUP)
	go s.wait(end)
	return ctx
}

// notify relays signals that are not ignored.
func notify(to chan<- os.Signal, list ...os.Signal) {
	for _, sig := range list {
		if !signal.Ignored(sig) {
			signal.Notify(to, sig)
		}
	}
}

// wait ends the work at the first signal of each kind.
func (s *signals) wait(end context.CancelFunc) {
	for {
		select {
		case <-s.asked:
			signal.Stop(s.asked) // the next one ends the process
		case <-s.hangups:
			platform.LeadNowhere(s.terminals)
		}
		// The reader of the output may have received the same signal. What is left to be saved does not end with it.
		platform.SurviveReaders()
		end()
	}
}

// takeHangups returns the hang-ups of a process that ends at none of them, but reads its files again, as daemons do.
func takeHangups(ctx context.Context) <-chan os.Signal {
	taken := make(chan os.Signal, 1)
	signal.Notify(taken, syscall.SIGHUP)
	if s, ok := ctx.Value(signalsKey{}).(*signals); ok {
		signal.Stop(s.hangups)
	}
	return taken
}
