package crew

import (
	"cmp"
	"context"
	"sync"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

// Job is a task at a worker.
type Job struct {
	From       string // title of the desk
	Title      string
	Processors int
	Files      []File
}

// Outcome is what a worker has made of a job: one of the fields.
type Outcome struct {
	Files   []File
	Refused string // why this worker does no such jobs
	Broken  string // why it could not be finished here, and may be elsewhere
}

// WorkerOptions configure a worker.
type WorkerOptions struct {
	Bus        bus.Messenger
	Name       string // a token; with keys, that of its key
	Version    string // of the program: desks of another one are refused
	Processors int    // that all jobs together use at most
	// Play does a job, until ctx ends. Jobs are done at the same time as far as there are processors.
	Play func(ctx context.Context, j Job) Outcome
	// Note, unless nil, is called with each sentence about the work, by one goroutine.
	Note            func(string)
	Period, Silence time.Duration // 0: the constants of this name
}

// Work does tasks for all desks until ctx ends; then it gives them back.
func Work(ctx context.Context, o WorkerOptions) error {
	if err := messages.CheckToken(o.Name); err != nil {
		return err
	}
	o.Period, o.Silence = cmp.Or(o.Period, Period), cmp.Or(o.Silence, Silence)
	if o.Note == nil {
		o.Note = func(string) {}
	}
	w := &worker{opts: o, ends: make(chan func()), over: make(chan struct{})}
	w.bench = newBench(newID(), o.Version, o.Processors, o.Period, o.Silence)
	w.bench.start = w.start
	return w.run(ctx)
}

// worker is the loop around a bench.
type worker struct {
	opts    WorkerOptions
	bench   *bench
	running sync.WaitGroup
	ends    chan func()   // of jobs, for the loop
	over    chan struct{} // closed when the loop has ended
}

func (w *worker) run(ctx context.Context) error {
	defer w.running.Wait()
	defer close(w.over)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the jobs before they are waited for
	received, stop, err := subscribe(ctx, func(ctx context.Context) (<-chan []byte, error) {
		return w.opts.Bus.Subscribe(ctx, messages.OrdersSubject(w.opts.Name))
	})
	defer stop()
	if err != nil {
		return err
	}
	w.bench.report()
	w.flush(ctx)
	ticker := time.NewTicker(w.opts.Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			w.bench.leave()
			w.flush(context.WithoutCancel(ctx))
			return nil
		case data, open := <-received:
			if !open {
				return bus.ErrClosed
			}
			if m, err := decode(data); err == nil {
				w.bench.receive(ctx, time.Now(), m)
			}
		case end := <-w.ends:
			end()
		case now := <-ticker.C:
			w.bench.tick(now)
		}
		w.flush(ctx)
	}
}

// start does a job in a goroutine of its own.
func (w *worker) start(ctx context.Context, j *job) {
	task := Job{From: j.from, Title: j.Title, Processors: j.Processors, Files: j.fetch.have}
	w.running.Go(func() {
		outcome := w.opts.Play(ctx, task)
		if checkEntries(entries(outcome.Files), MaxOutcome) != nil && outcome.Refused == "" && outcome.Broken == "" {
			outcome = Outcome{Broken: "its outcome is too large"}
		}
		select {
		case w.ends <- func() { w.bench.ended(j, outcome) }:
		case <-w.over:
		}
	})
}

// flush sends what is to be sent.
func (w *worker) flush(ctx context.Context) {
	for _, m := range w.bench.out {
		send(ctx, w.opts.Bus, messages.ReportsSubject(w.opts.Name), m, w.opts.Note)
	}
	for _, n := range w.bench.notes {
		w.opts.Note(n)
	}
	w.bench.out, w.bench.notes = nil, nil
}
