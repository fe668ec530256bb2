package actor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"croupier/messages"
	"croupier/messages/backlog"
	"croupier/messages/bus"
)

// learnerSilence is how long a learner that is behind may take nothing before it
// counts as gone, and arena games get all of an actor's time.
const learnerSilence = 5 * time.Second

// backlogWatch pauses the training games of a link while its learner is behind, by the learner's reports. The broker
// is asked only while no report comes, and for the actor's own batches once many have been sent.
type backlogWatch struct {
	actor    *Actor
	link     *learnerLink
	consumer bus.Consumer
	began    time.Time
	reported time.Time      // when the last report came; zero: never
	asked    time.Time      // when the broker may be asked again
	moved    time.Time      // when the learner last took something
	report   backlog.Report // the newest
	own      uint64         // of the actor's batches, that wait
	older    *olderLearner  // nil while the learner reports its backlog
}

// watchBacklog watches until ctx ends.
func (a *Actor) watchBacklog(ctx context.Context, l *learnerLink) error {
	name, filter := messages.LearnerOf(l.agent), messages.ExperienceFilter(l.agent)
	consumer, err := a.opts.Bus.Consume(ctx, bus.Experience, name, filter)
	if err != nil {
		return fmt.Errorf("experience backlog: %w", err)
	}
	defer consumer.Close()
	reports, err := a.opts.Bus.Subscribe(ctx, messages.BacklogSubject(l.agent))
	if err != nil {
		return fmt.Errorf("experience backlog: %w", err)
	}
	now := time.Now()
	w := &backlogWatch{actor: a, link: l, consumer: consumer, began: now, moved: now}
	defer func() { w.older.leave() }()
	for ctx.Err() == nil {
		if w.unsure() && time.Until(w.asked) <= 0 {
			w.ask(ctx)
		}
		select {
		case data, open := <-reports:
			if !open {
				reports = nil // the bus has ended
			}
			w.receive(data)
		case <-l.asks:
		case <-time.After(w.rest()):
		case <-ctx.Done():
		}
	}
	return nil
}

// silent reports whether no report has come for long.
func (w *backlogWatch) silent() bool { return time.Since(w.reported) >= backlog.Silence }

// unsure reports whether the broker is to be asked.
func (w *backlogWatch) unsure() bool {
	return w.silent() || w.own > maxUnread || w.link.unseen.Load() >= askUnseen
}

// rest is for how long there is nothing to do unless something comes.
func (w *backlogWatch) rest() time.Duration {
	if w.unsure() {
		return time.Until(w.asked)
	}
	return time.Until(w.reported.Add(backlog.Silence))
}

// receive handles a report of the learner.
func (w *backlogWatch) receive(data []byte) {
	r, err := backlog.ParseReport(data)
	if err != nil {
		return // only the learner may send it, and another one comes
	}
	w.older.leave()
	w.reported, w.older = time.Now(), nil
	w.take(r, false)
}

// ask asks the broker.
func (w *backlogWatch) ask(ctx context.Context) {
	if w.older == nil && w.silent() && time.Since(w.began) >= backlog.Silence {
		w.older = followOlder(ctx, w.actor.opts.Bus, w.link.agent)
	}
	began, seen, r := time.Now(), w.link.seen(), w.report
	waiting, own, err := w.consumer.Pending(ctx)
	if err == nil {
		r.Waiting, w.own = waiting, own
	}
	if w.older != nil {
		r.Useless = *w.older.useless.Load()
	}
	w.link.unseen.Add(-seen)
	w.take(r, err != nil) // without an answer the broker is behind as well
	w.asked = time.Now().Add(backlog.Pause(time.Since(began)))
}

// take goes by a report; the actor pauses at least if behind says so. Where others send what is of no use, the learner
// may have little to learn from, and still take long to come to this actor's batches.
func (w *backlogWatch) take(r backlog.Report, behind bool) {
	a, l := w.actor, w.link
	if r.Waiting != w.report.Waiting {
		w.moved = time.Now()
	}
	w.report = r
	l.room.Store(w.room())
	a.metrics.backlog.WithLabelValues(l.agent).Set(float64(r.Waiting))
	behind = behind || r.Above(a.opts.Config.Backlog) || w.own > maxUnread
	l.yields.Store(behind && time.Since(w.moved) < learnerSilence)
	if l.paused.Swap(behind) != behind {
		a.metrics.paused.WithLabelValues(l.agent).Set(map[bool]float64{true: 1}[behind])
	}
}

// room draws how many batches may be sent until the next report or answer: as many as the learner reports on average,
// and any number while no report comes.
func (w *backlogWatch) room() int64 {
	if w.silent() {
		return math.MaxInt64
	}
	whole, part := math.Modf(w.report.Room)
	if rand.Float64() < part {
		whole++
	}
	return int64(whole)
}

// olderLearner is what the heartbeat of a learner says that does not report its backlog: the share of the batches that
// it throws away.
type olderLearner struct {
	useless atomic.Pointer[float64]
	end     context.CancelFunc
}

// followOlder keeps up with the learner's heartbeat. An actor that may not see it goes without.
func followOlder(ctx context.Context, b bus.Bus, agent string) *olderLearner {
	ctx, end := context.WithCancel(ctx)
	o := &olderLearner{end: end}
	o.useless.Store(new(float64))
	go func() {
		beats, err := b.Roles().Watch(ctx, messages.LearnerRole+".")
		if err != nil {
			return
		}
		for e := range beats {
			if e.Key == "" {
				continue
			}
			s, now := &messages.Status{}, 0.0
			if e.Value != nil && messages.Decode(e.Value, s) == nil {
				now = s.Values[messages.RefusedShare]
			}
			if s.Agent == "" || s.Agent == agent {
				o.useless.Store(&now)
			}
		}
	}()
	return o
}

// leave ends what followOlder began, if it did.
func (o *olderLearner) leave() {
	if o != nil {
		o.end()
	}
}
