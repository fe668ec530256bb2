// Package backlog reports to the actors of a run how much experience waits for a learner, so that they pause while it
// is behind. The learner asks the broker, and reports to all actors at once: when more waits than the limit at which
// they pause, when it no longer does, and from time to time. Reports are not stored. An actor that has received none
// for [Silence] asks the broker by itself, as long as that lasts: the learner may be gone, or the learner or the broker
// may be of a version that knows nothing of this package.
//
// Many actors that begin at the same moment would bring more than the learner takes before a report stops them. So each
// report reports how much room there is until the next one ([Report.Room]).
package backlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
)

const (
	// Period is the longest time between two reports of a learner at work.
	Period = time.Second
	// Silence is after how long without a report an actor asks by itself.
	Silence = 3 * Period
)

// Report is a report of a learner (messages.BacklogSubject, JSON).
type Report struct {
	// Waiting counts the batches, of all actors, that the learner has not taken yet.
	Waiting uint64 `json:"waiting"`
	// Useless is the share, 0..1, of the batches taken lately of which nothing was of use. A flood that is thrown
	// away is no reason to stop playing.
	Useless float64 `json:"useless"`
	// Room is how many batches each actor may send until the next report, on average: below 1 it is the probability
	// with which one may send one.
	Room float64 `json:"room"`
}

// ParseReport reads a report.
func ParseReport(data []byte) (r Report, err error) {
	possible := func() bool { return r.Useless >= 0 && r.Useless <= 1 && r.Room >= 0 && r.Room <= maxRoom }
	if err = json.Unmarshal(data, &r); err == nil && !possible() {
		err = fmt.Errorf("a share of %v or room for %v is impossible", r.Useless, r.Room)
	}
	if err != nil {
		return Report{}, fmt.Errorf("backlog: %w", err)
	}
	return r, nil
}

// Above reports whether more batches wait than the limit, of those that may be of use.
func (r Report) Above(limit int) bool { return float64(r.Waiting)*(1-r.Useless) > float64(limit) }

// Work is what a learner has done since it began.
type Work struct {
	Taken   uint64 // batches
	Useless uint64 // those of them of which nothing was of use
	Actors  int    // from which batches come, those that are gone for a short time included
}

// Reporter reports to the actors how much waits for a learner.
type Reporter struct {
	Bus   bus.Bus
	Log   *slog.Logger
	Agent string // that learns
	Limit int    // at which its actors pause
	Work  func() Work
}

// Run reports until ctx or the bus ends.
func (r *Reporter) Run(ctx context.Context) error {
	consumer, err := r.Bus.Consume(ctx, bus.Experience, messages.LearnerOf(r.Agent), messages.ExperienceFilter(r.Agent))
	if err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	defer consumer.Close()
	p := newPace(r.Limit)
	for ctx.Err() == nil {
		asked := time.Now()
		waiting, _, err := consumer.Pending(ctx)
		if errors.Is(err, bus.ErrClosed) {
			return fmt.Errorf("backlog: %w", err)
		}
		if err == nil && p.look(time.Now(), waiting, r.Work()) {
			r.send(ctx, p.report)
		}
		sleep(ctx, Pause(time.Since(asked)))
	}
	return ctx.Err()
}

// send sends a report once. One that is lost is followed by another one.
func (r *Reporter) send(ctx context.Context, report Report) {
	data, err := json.Marshal(report)
	if err == nil {
		err = r.Bus.Send(ctx, messages.BacklogSubject(r.Agent), data)
	}
	if err != nil && ctx.Err() == nil {
		r.Log.Debug("backlog not reported to the actors", "error", err)
	}
}

// Pause is how long to wait before the backlog is asked for again, after an answer that took so long: many who ask
// would otherwise keep the broker busy with nothing but their questions.
func Pause(answered time.Duration) time.Duration {
	return min(max(20*time.Millisecond, answered), Period)
}

// sleep waits for a time or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
