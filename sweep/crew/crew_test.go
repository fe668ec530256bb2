package crew

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

const (
	quick = 5 * time.Millisecond
	never = time.Hour // of a silence that is not to end
)

// site is a bus with desks and workers.
type site struct {
	t   *testing.T
	bus bus.Messenger

	mu    sync.Mutex
	notes []string
}

func newSite(t *testing.T) *site {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { b.Close() })
	return &site{t: t, bus: b}
}

func (s *site) note(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, sentence)
}

// noted reports whether a sentence with these words was noted.
func (s *site) noted(words string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.notes, func(n string) bool { return strings.Contains(n, words) })
}

// eventually waits for a sentence with these words.
func (s *site) eventually(words string) {
	s.t.Helper()
	s.until(func() bool { return s.noted(words) }, words)
}

func (s *site) until(is func() bool, what string) {
	s.t.Helper()
	require.Eventually(s.t, is, time.Minute, quick, what)
}

// desk returns a desk at work, and what ends it.
func (s *site) desk(version string, silence time.Duration) (*Desk, func()) {
	d := NewDesk(DeskOptions{Bus: s.bus, Title: "desk", Version: version, Note: s.note, Period: quick, Silence: silence})
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = d.Run(ctx) }()
	stop := func() { cancel(); <-ended }
	s.t.Cleanup(stop)
	return d, stop
}

// worker has a worker at work, and returns what ends it.
func (s *site) worker(name string, processors int, silence time.Duration, play func(context.Context, Job) Outcome,
) (stop func()) {
	return s.workerAt(s.bus, name, processors, silence, play)
}

func (s *site) workerAt(b bus.Messenger, name string, processors int, silence time.Duration,
	play func(context.Context, Job) Outcome) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = Work(ctx, WorkerOptions{
			Bus: b, Name: name, Version: "1", Processors: processors, Play: play, Period: quick, Silence: silence,
			Note: func(sentence string) { s.note(name + ": " + sentence) },
		})
	}()
	stop = func() { cancel(); <-ended }
	s.t.Cleanup(stop)
	return stop
}

// doing is a task that is under way.
type doing struct {
	files []File
	err   error
	ended chan struct{}
}

func (s *site) do(d *Desk, t Task) *doing {
	out := &doing{ended: make(chan struct{})}
	go func() {
		defer close(out.ended)
		out.files, out.err = d.Do(s.t.Context(), t)
	}()
	return out
}

// await returns the outcome.
func (s *site) await(d *doing) ([]File, error) {
	s.t.Helper()
	select {
	case <-d.ended:
	case <-time.After(time.Minute):
		require.FailNow(s.t, "no outcome")
	}
	return d.files, d.err
}

func bake(title string) Task {
	return Task{Title: title, Processors: 1, Files: []File{{Name: "question", Data: []byte(title)}}}
}

// answer is the outcome that says who has done which task.
func answer(who string) func(context.Context, Job) Outcome {
	return func(_ context.Context, j Job) Outcome { return said(who + " " + string(j.Files[0].Data)) }
}

func said(words string) Outcome {
	return Outcome{Files: []File{{Name: "answer", Data: []byte(words)}}}
}

// hanging does nothing until it is stopped, which it counts.
func hanging(begun, stopped *atomic.Int32) func(context.Context, Job) Outcome {
	return func(ctx context.Context, _ Job) Outcome {
		begun.Add(1)
		<-ctx.Done()
		stopped.Add(1)
		return said("too late")
	}
}

// Files arrive as they were sent, however large and however many, also empty ones.
func TestFilesArrive(t *testing.T) {
	s := newSite(t)
	d, _ := s.desk("1", never)
	large := bytes.Repeat([]byte("0123456789abcdef"), (2*partBytes+partBytes/2)/16)
	s.worker("cellar", 2, never, func(_ context.Context, j Job) Outcome {
		return Outcome{Files: append(slices.Clone(j.Files), File{"more", large})}
	})
	given := []File{{"empty", nil}, {"large", large}, {"none", nil}, {"small", []byte("x")}, {"last", nil}}
	files, err := s.await(s.do(d, Task{Title: "copy", Processors: 2, Files: given}))
	require.NoError(t, err)
	require.Len(t, files, len(given)+1)
	for i, f := range append(given, File{"more", large}) {
		require.Equal(t, f.Name, files[i].Name)
		require.True(t, bytes.Equal(f.Data, files[i].Data), f.Name)
	}
}

// A worker does as many tasks at the same time as it has processors for, and all desks share it: each gets the outcomes
// of its own tasks.
func TestDesksShareWorkers(t *testing.T) {
	s := newSite(t)
	var at, most atomic.Int32
	play := func(_ context.Context, j Job) Outcome {
		now := at.Add(1)
		defer at.Add(-1)
		for {
			before := most.Load()
			if now <= before || most.CompareAndSwap(before, now) {
				break
			}
		}
		return said(string(j.Files[0].Data))
	}
	s.worker("cellar", 2, never, play)
	s.worker("attic", 1, never, play)
	var tasks []*doing
	for desk := range 3 {
		d, _ := s.desk("1", never)
		for i := range 8 {
			tasks = append(tasks, s.do(d, bake(fmt.Sprintf("%d of %d", i, desk))))
		}
	}
	for n, one := range tasks {
		files, err := s.await(one)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%d of %d", n%8, n/8), string(files[0].Data))
	}
	require.LessOrEqual(t, most.Load(), int32(3))
}

// cut is a bus that can be cut off: then nothing passes either way.
type cut struct {
	bus.Messenger
	off atomic.Bool
}

func (c *cut) Send(ctx context.Context, subject string, data []byte) error {
	if c.off.Load() {
		return nil
	}
	return c.Messenger.Send(ctx, subject, data)
}

func (c *cut) Subscribe(ctx context.Context, subjects ...string) (<-chan []byte, error) {
	in, err := c.Messenger.Subscribe(ctx, subjects...)
	out := make(chan []byte)
	go func() {
		defer close(out)
		for m := range in {
			if !c.off.Load() {
				out <- m
			}
		}
	}()
	return out, err
}

// A worker that is cut off is lost: its task is done elsewhere. What it has made of it counts for nothing when it is
// back, and it learns so.
func TestWorkerThatIsCutOff(t *testing.T) {
	s := newSite(t)
	d, _ := s.desk("1", time.Second)
	line := &cut{Messenger: s.bus}
	begun, finish := make(chan struct{}), make(chan struct{})
	s.workerAt(line, "cellar", 1, never, func(context.Context, Job) Outcome {
		close(begun)
		<-finish
		return said("late")
	})
	one := s.do(d, bake("bread"))
	<-begun
	line.off.Store(true)
	s.worker("attic", 1, never, answer("attic"))
	files, err := s.await(one)
	require.NoError(t, err)
	require.Equal(t, "attic bread", string(files[0].Data))
	s.eventually("worker cellar has been silent for 1s: bread is done elsewhere, from the beginning")
	line.off.Store(false)
	s.eventually("cellar: desk: bread: stopped, it is no longer wanted")
	close(finish)
	second, err := s.await(s.do(d, bake("butter")))
	require.NoError(t, err)
	require.Contains(t, string(second[0].Data), "butter")
}

// A worker that ends gives its tasks back at once, without any silence.
func TestWorkerThatLeaves(t *testing.T) {
	s := newSite(t)
	d, _ := s.desk("1", never)
	var begun, stopped atomic.Int32
	stop := s.worker("cellar", 2, never, hanging(&begun, &stopped))
	one, other := s.do(d, bake("bread")), s.do(d, bake("butter"))
	s.until(func() bool { return begun.Load() == 2 }, "both are under way")
	stop()
	require.EqualValues(t, 2, stopped.Load())
	s.worker("attic", 1, never, answer("attic"))
	for _, d := range []*doing{one, other} {
		files, err := s.await(d)
		require.NoError(t, err)
		require.Contains(t, string(files[0].Data), "attic b")
	}
	require.True(t, s.noted("worker cellar has left: bread is done elsewhere, from the beginning"))
}

// A desk that ends, and a task that no desk waits for any more, stop the work at once; a desk that is silent stops it
// after a while.
func TestDeskThatEnds(t *testing.T) {
	s := newSite(t)
	var begun, stopped atomic.Int32
	leave := s.worker("cellar", 3, never, hanging(&begun, &stopped))
	d, stop := s.desk("1", never)
	kept := s.do(d, bake("bread"))
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() { _, err := d.Do(ctx, bake("butter")); given <- err }()
	s.until(func() bool { return begun.Load() == 2 }, "both are under way")
	cancel()
	require.ErrorIs(t, <-given, context.Canceled)
	s.until(func() bool { return stopped.Load() == 1 }, "one is stopped")
	stop()
	_, err := s.await(kept)
	require.ErrorIs(t, err, errEnded)
	s.until(func() bool { return stopped.Load() == 2 }, "and then the other")
	for n := range int32(30) { // however its end comes about
		d, stop := s.desk("1", never)
		s.do(d, bake("bread"))
		s.until(func() bool { return begun.Load() == 3+n }, "it is under way")
		stop()
		s.until(func() bool { return stopped.Load() == 3+n }, "it is stopped")
	}
	leave()
	begun.Store(0)
	stopped.Store(0)

	s.worker("attic", 3, time.Second, hanging(&begun, &stopped))
	line := &cut{Messenger: s.bus}
	dying := NewDesk(DeskOptions{Bus: line, Title: "dying", Version: "1", Period: quick, Silence: never})
	go func() { _ = dying.Run(t.Context()) }()
	s.do(dying, bake("cheese"))
	s.until(func() bool { return begun.Load() == 1 }, "it is under way")
	line.off.Store(true)
	s.until(func() bool { return stopped.Load() == 1 }, "nobody wants it")
	s.eventually("attic: dying: cheese: stopped, it is of a sweep that has been silent for 1s")
}

// A worker of another version says so, to its owner and to the desk, and gets nothing more; another one does the task.
func TestOtherVersions(t *testing.T) {
	s := newSite(t)
	d, _ := s.desk("2", never)
	s.worker("cellar", 1, never, answer("cellar"))
	one := s.do(d, bake("bread"))
	says := "desk is of the program 2, and this one is 1: they must be the same"
	s.eventually("worker cellar refuses: " + says)
	s.eventually("cellar: refused: " + says)
	s.eventually("waiting: no worker is there")
	go func() {
		_ = Work(t.Context(), WorkerOptions{Bus: s.bus, Name: "attic", Version: "2", Processors: 1, Play: answer("attic"),
			Period: quick})
	}()
	files, err := s.await(one)
	require.NoError(t, err)
	require.Equal(t, "attic bread", string(files[0].Data))
}

// A worker that sends nonsense gets nothing more. A task that no worker finishes is given up after some tries, and one
// that a worker refuses is done by another.
func TestTasksThatFail(t *testing.T) {
	s := newSite(t)
	d, _ := s.desk("1", never)
	s.worker("cellar", 2, never, answer("cellar"))
	checked := bake("bread")
	checked.Check = func(files []File) error {
		if string(files[0].Data) != "attic bread" {
			return errors.New("it is nonsense")
		}
		return nil
	}
	one := s.do(d, checked)
	s.eventually("worker cellar gets no more tasks: its outcome of bread is refused: it is nonsense")
	stop := s.worker("attic", 1, never, answer("attic"))
	files, err := s.await(one)
	require.NoError(t, err)
	require.Equal(t, "attic bread", string(files[0].Data))
	stop()

	var tries atomic.Int32
	stop = s.worker("roof", 1, never, func(context.Context, Job) Outcome {
		tries.Add(1)
		return Outcome{Broken: "the disk is full"}
	})
	_, err = s.await(s.do(d, bake("butter")))
	require.EqualError(t, err, "started 5 times and never finished, the last time: worker roof: the disk is full")
	require.EqualValues(t, 5, tries.Load())
	stop()

	s.worker("shed", 1, never, func(context.Context, Job) Outcome { return Outcome{Refused: "no cheese\x1b[2J"} })
	other := s.do(d, bake("cheese"))
	s.eventually("worker shed refuses: no cheese [2J")
	s.worker("yard", 1, never, answer("yard"))
	files, err = s.await(other)
	require.NoError(t, err)
	require.Equal(t, "yard cheese", string(files[0].Data))
	_, err = d.Do(t.Context(), Task{Title: "nothing", Processors: 1})
	require.ErrorContains(t, err, "there are no files")
}

// A task that needs more processors than any worker has waits, and the desk reports why.
func TestTooFewProcessors(t *testing.T) {
	s := newSite(t)
	d, _ := s.desk("1", never)
	s.worker("cellar", 1, never, answer("cellar"))
	wide := bake("bread")
	wide.Processors = 2
	one := s.do(d, wide)
	s.eventually("waiting: bread needs 2 processors, and no worker has more than 1")
	s.worker("attic", 2, never, answer("attic"))
	files, err := s.await(one)
	require.NoError(t, err)
	require.Equal(t, "attic bread", string(files[0].Data))
}

// A worker that says that it is ever another one, under the name that its key allows it, leaves places for others; and
// places are free again when their owners are silent.
func TestPlacesOfWorkers(t *testing.T) {
	now := time.Unix(1, 0)
	d := newBoard("d", "desk", "1", Period, Silence)
	for i := range 10 * maxWorkers {
		d.receive(now, "greedy", message{Report: &report{Instance: fmt.Sprint(i), Processors: 1, Free: 1}})
	}
	require.Len(t, d.workers, maxStarts)
	for i := range 2 * maxWorkers {
		d.receive(now, fmt.Sprint("worker-", i), message{Report: &report{Instance: "x", Processors: 1, Free: 1}})
	}
	require.Len(t, d.workers, maxWorkers)
	d.tick(now.Add(Silence + time.Second))
	require.Empty(t, d.workers)
}

// Whatever a worker or a desk receives from others, its own tasks go their way.
func TestNonsenseIsPassedOver(t *testing.T) {
	s := newSite(t)
	var begun, stopped atomic.Int32
	s.worker("cellar", 1, never, hanging(&begun, &stopped))
	d, _ := s.desk("1", never)
	one := s.do(d, bake("bread"))
	s.until(func() bool { return begun.Load() == 1 }, "it is under way")
	var instance string
	for seat := range d.seats() {
		instance = seat.instance
	}
	for _, text := range []string{
		"", "{}", "[", `{"orders":{}}`, `{"report":{"instance":"x","processors":-1}}`,
		`{"orders":{"desk":"other","instance":"` + instance + `","version":"1","work":[{"name":"1","processors":2000}]}}`,
		`{"orders":{"desk":"other","instance":"` + instance + `","over":true}}`,
		`{"orders":{"desk":"` + d.board.id + `","instance":"other"}}`,
		`{"part":{"desk":"` + d.board.id + `","instance":"` + instance + `","name":"1","file":"question","data":"eA=="}}`,
		`{"ask":{"desk":"` + d.board.id + `","instance":"` + instance + `","name":"1","file":"answer","offset":9}}`,
		`{"report":{"instance":"` + instance + `","processors":1,"work":[{"desk":"` + d.board.id + `","name":"7","phase":"done"}]}}`,
	} {
		require.NoError(t, s.bus.Send(t.Context(), messages.OrdersSubject("cellar"), []byte(text)))
		require.NoError(t, s.bus.Send(t.Context(), messages.ReportsSubject("stranger"), []byte(text)))
	}
	other := s.do(d, bake("butter"))
	s.worker("attic", 1, never, answer("attic"))
	files, err := s.await(other)
	require.NoError(t, err)
	require.Equal(t, "attic butter", string(files[0].Data))
	require.Zero(t, stopped.Load())
	select {
	case <-one.ended:
		require.FailNow(t, "nobody has done it")
	default:
	}
}

// seats are the workers that a desk knows.
func (d *Desk) seats() map[seat]bool {
	out := make(chan map[seat]bool)
	_ = d.call(context.Background(), func(time.Time) {
		known := map[seat]bool{}
		for s := range d.board.workers {
			known[s] = true
		}
		go func() { out <- known }()
	})
	return <-out
}
