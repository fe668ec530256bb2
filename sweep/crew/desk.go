package crew

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// Task is what a worker is to do.
type Task struct {
	Title      string // for people
	Processors int
	Files      []File
	// Check, unless nil, says what is wrong with an outcome.
	Check func([]File) error

	entries []entry
}

// DeskOptions configure a desk.
type DeskOptions struct {
	Bus     bus.Messenger
	Title   string // for people: whose tasks these are
	Version string // of the program: workers of another one refuse
	// Note, unless nil, is called with each sentence about workers, by one goroutine.
	Note            func(string)
	Period, Silence time.Duration // 0: the constants of this name
}

// Desk hands out tasks.
type Desk struct {
	opts  DeskOptions
	board *board
	calls chan func(now time.Time)
	ended chan struct{}
}

// NewDesk returns a desk, which works while Run does.
func NewDesk(o DeskOptions) *Desk {
	o.Period, o.Silence = cmp.Or(o.Period, Period), cmp.Or(o.Silence, Silence)
	if o.Note == nil {
		o.Note = func(string) {}
	}
	return &Desk{
		opts: o, board: newBoard(newID(), o.Title, o.Version, o.Period, o.Silence), calls: make(chan func(time.Time)),
		ended: make(chan struct{}),
	}
}

// newID returns a name that nothing else has.
func newID() string {
	var id [8]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// Run hands out tasks until ctx ends; then the workers are ordered to stop.
func (d *Desk) Run(ctx context.Context) error {
	defer close(d.ended)
	reports, stop, err := subscribe(ctx, func(ctx context.Context) (<-chan bus.Datagram, error) {
		return d.opts.Bus.SubscribeAll(ctx, messages.ReportsSubject("*"))
	})
	defer stop()
	if err != nil {
		return err
	}
	ticker := time.NewTicker(d.opts.Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			d.board.end()
			d.flush(context.WithoutCancel(ctx))
			return ctx.Err()
		case m, open := <-reports:
			if !open {
				return bus.ErrClosed
			}
			d.receive(m)
		case call := <-d.calls:
			call(time.Now())
		case now := <-ticker.C:
			d.board.tick(now)
		}
		d.flush(ctx)
	}
}

// subscribe has do subscribe until stop is called, which outlasts ctx: so the end of ctx is seen as such, and not as
// that of the bus, whichever of the two is noticed first.
func subscribe[T any](ctx context.Context, do func(context.Context) (<-chan T, error),
) (received <-chan T, stop func(), err error) {
	subscribed, stop := context.WithCancel(context.WithoutCancel(ctx))
	keep := context.AfterFunc(ctx, stop) // while do waits for the broker
	received, err = do(subscribed)
	if !keep() || err != nil {
		stop()
		return nil, stop, cmp.Or(ctx.Err(), err)
	}
	return received, stop, nil
}

// receive handles a message. The subject says whose it is: the broker lets a worker's key send nothing under
// another name.
func (d *Desk) receive(m bus.Datagram) {
	parts := strings.Split(m.Subject, ".")
	if len(parts) != 3 || m.Subject != messages.ReportsSubject(parts[1]) {
		return
	}
	if said, err := decode(m.Data); err == nil {
		d.board.receive(time.Now(), parts[1], said)
	}
}

// flush sends what is to be sent. What does not arrive is sent again in the next period.
func (d *Desk) flush(ctx context.Context) {
	for _, m := range d.board.out {
		send(ctx, d.opts.Bus, messages.OrdersSubject(m.worker), m.message, d.opts.Note)
	}
	for _, n := range d.board.notes {
		d.opts.Note(n)
	}
	d.board.out, d.board.notes = nil, nil
}

// send sends a message. One that cannot be sent is not an error: the next one repeats it.
func send(ctx context.Context, b bus.Messenger, subject string, m message, note func(string)) {
	data, err := encode(m)
	if err != nil {
		note(err.Error())
		return
	}
	_ = b.Send(ctx, subject, data)
}

// Do has a task done and returns its outcome. An error other than of ctx reports why there is none.
func (d *Desk) Do(ctx context.Context, t Task) ([]File, error) {
	t.Title, t.entries = shown(t.Title), entries(t.Files)
	if err := checkEntries(t.entries, MaxTask); err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	type outcome struct {
		files []File
		err   error
	}
	outcomes := make(chan outcome, 1)
	mine := &task{Task: t, outcome: func(files []File, err error) { outcomes <- outcome{files, err} }}
	if err := d.call(ctx, func(now time.Time) { d.board.add(now, mine) }); err != nil {
		return nil, err
	}
	select {
	case o := <-outcomes:
		return o.files, o.err
	case <-d.ended:
		return nil, cmp.Or(ctx.Err(), errEnded)
	case <-ctx.Done():
		_ = d.call(context.WithoutCancel(ctx), func(time.Time) { d.board.drop(mine) }) // unless the desk has ended, too
		return nil, ctx.Err()
	}
}

var errEnded = errors.New("the desk has ended")

// call has the desk's own goroutine do something.
func (d *Desk) call(ctx context.Context, do func(now time.Time)) error {
	select {
	case d.calls <- do:
		return nil
	case <-d.ended:
		return cmp.Or(ctx.Err(), errEnded)
	case <-ctx.Done():
		return ctx.Err()
	}
}
