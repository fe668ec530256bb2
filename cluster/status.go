package cluster

import (
	"sync"
	"sync/atomic"
	"time"

	"croupier/internal/platform"
	"croupier/messages"
	"croupier/web"
)

// Phase says in words what a cluster is doing.
type Phase string

// The phases of a run, in order.
const (
	Training Phase = "training"
	Rating   Phase = "rating the newest version"
)

// enter begins a phase.
func (c *Cluster) enter(p Phase) {
	c.phase.Store(p)
	if c.o.OnPhase != nil {
		c.o.OnPhase(p)
	}
}

// lastRating is the last one of a run.
type lastRating struct {
	within time.Duration             // that it may take; read once until is there
	until  atomic.Pointer[time.Time] // nil before it
	left   atomic.Uint64             // games, once its time is up
}

// begin starts it, and returns its time.
func (r *lastRating) begin(within time.Duration) time.Duration {
	r.within = within
	until := time.Now().Add(within)
	r.until.Store(&until)
	return within
}

// Status reports how a cluster is doing. Rates are those of the last seconds.
type Status struct {
	Phase              Phase
	Elapsed            time.Duration // of this call of Run
	GamesPerSecond     float64
	DecisionsPerSecond float64
	Stage, Stages      int // of the curriculum, from 1; both 0 without one
	// Left is the time to the end, estimated if only a number of games is given; nil if
	// there is no end.
	Left *time.Duration
	// Goals that end the run, and how far off they are, each in words.
	Goals []string
	// LastRating reports how far the rating at the end has come; nil before it. Its time is up after RatingLeft.
	LastRating *web.LastRating
	RatingLeft time.Duration
	// Done is when all is over at the latest; zero if there is no end.
	Done time.Time

	snapshot *web.Snapshot
}

// Status returns how the cluster is doing. Run must have been called.
func (c *Cluster) Status() Status {
	snapshot := c.feed.Snapshot()
	rates := snapshot.Rates()
	s := Status{
		Elapsed: c.clock.elapsed(), GamesPerSecond: rates.Games, DecisionsPerSecond: rates.Decisions,
		snapshot: snapshot,
	}
	s.Goals = c.expected()
	s.Phase, _ = c.phase.Load().(Phase)
	s.Stage, s.Stages = snapshot.Stage()
	if until := c.rating.until.Load(); until != nil {
		s.LastRating = snapshot.LastRating()
		s.RatingLeft = max(0, time.Until(*until))
		left := s.RatingLeft
		if r := s.LastRating; r != nil && r.Time >= 0 {
			left = min(left, r.Time)
		}
		s.Left = &left
	} else if left, ok := c.clock.left(); ok {
		s.Left = &left
	}
	s.Done = c.course().Done
	return s
}

// course reports when the training ends, and when the last rating that follows is over at the latest.
func (c *Cluster) course() web.Course {
	elapsed := c.clock.elapsed()
	course := web.Course{Began: time.Now().Add(-elapsed)}
	if until := c.rating.until.Load(); until != nil {
		course.Ends, course.Done = until.Add(-c.rating.within), *until
	} else if left, ok := c.clock.left(); ok {
		course.Ends = time.Now().Add(left)
		course.Done = course.Ends
		if !c.o.Unrated {
			course.Done = course.Ends.Add(c.ratingTime(elapsed + left))
		}
	}
	return course
}

// Latest returns the newest point of a learning curve, if it has any yet.
func (s Status) Latest(series string) (web.Point, bool) { return s.snapshot.Latest(series) }

// Ladder returns the newest ladder, nil before the first.
func (s Status) Ladder() *messages.Ladder { return s.snapshot.Ladder }

// schedule measures how far training has come, for the learning schedules: by time, by games, or by
// processor time, whichever the run ends at, and by the furthest if it has several ends.
type schedule struct {
	mutex  sync.Mutex
	began  time.Time     // beginning of this call; zero before it
	before time.Duration // trained in earlier calls
	length time.Duration // of this call; 0: no time limit
	games  uint64        // to train on in all; 0: no limit on games
	played func() uint64 // trained on in all
	// processor is the processor time of this process, user and system, after which training ends, and spent
	// what it had used when training began; 0: no such limit.
	processor, spent time.Duration
}

// begin starts the clock.
func (s *schedule) begin() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.began, s.spent = time.Now(), platform.ProcessorTime()
}

// used returns the processor time since the beginning, 0 before it.
func (s *schedule) used() time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.began.IsZero() {
		return 0
	}
	return platform.ProcessorTime() - s.spent
}

// elapsed returns the time since the beginning, 0 before it.
func (s *schedule) elapsed() time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.began.IsZero() {
		return 0
	}
	return time.Since(s.began)
}

// progress is 0 at the beginning and 1 at the end of the run; always 0 if the run has no
// end.
func (s *schedule) progress() float64 {
	p := 0.0
	if s.length > 0 {
		p = (s.before + s.elapsed()).Seconds() / (s.before + s.length).Seconds()
	}
	if s.games > 0 {
		p = max(p, float64(s.played())/float64(s.games))
	}
	if s.processor > 0 {
		p = max(p, s.used().Seconds()/s.processor.Seconds())
	}
	return min(p, 1)
}

// bounded reports whether the run has an end.
func (s *schedule) bounded() bool { return s.length > 0 || s.games > 0 || s.processor > 0 }

// left returns the time to the end, estimated from how far training is if no time is given.
func (s *schedule) left() (time.Duration, bool) {
	elapsed := s.elapsed()
	if s.length > 0 {
		return max(s.length-elapsed, 0), true
	}
	if p := s.progress(); p > 0 {
		return time.Duration(float64(elapsed) * (1 - p) / p), true
	}
	return 0, false
}
