package cluster

import (
	"sync"
	"time"

	"croupier/web"
)

// Phase is what a cluster is about, in words.
type Phase string

// The phases of a run, in their order.
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

// Status is how a cluster does. Rates are those of the last seconds.
type Status struct {
	Phase              Phase
	Elapsed            time.Duration // of this call of Run
	GamesPerSecond     float64
	DecisionsPerSecond float64
	Stage, Stages      int // of the curriculum, from 1; 0 of 0 without one
	// Left is the time to the end, estimated where only games are given; nil without end.
	Left *time.Duration

	snapshot *web.Snapshot
}

// Status returns how the cluster does now. Run must have been called.
func (c *Cluster) Status() Status {
	snapshot := c.feed.Snapshot()
	rates := snapshot.Rates()
	s := Status{
		Elapsed: c.clock.elapsed(), GamesPerSecond: rates.Games, DecisionsPerSecond: rates.Decisions,
		snapshot: snapshot,
	}
	s.Phase, _ = c.phase.Load().(Phase)
	s.Stage, s.Stages = snapshot.Stage()
	if left, ok := c.clock.left(); ok {
		s.Left = &left
	}
	return s
}

// Latest returns the newest point of a learning curve, if it has any yet.
func (s Status) Latest(series string) (web.Point, bool) { return s.snapshot.Latest(series) }

// schedule measures how far the training of this call has come, for the learning
// schedules: by time where the run has an end in time, else by games.
type schedule struct {
	mutex  sync.Mutex
	began  time.Time     // of this call; zero before
	before time.Duration // trained in earlier calls
	length time.Duration // of this call; 0: no end in time
	games  uint64        // to be trained on in all; 0: no end in games
	played func() uint64 // trained on in all
}

// begin starts the clock.
func (s *schedule) begin() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.began = time.Now()
}

// elapsed is the time since the beginning, 0 before it.
func (s *schedule) elapsed() time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.began.IsZero() {
		return 0
	}
	return time.Since(s.began)
}

// progress is 0 at the beginning and 1 at the end of the run; 0 always if it has none.
func (s *schedule) progress() float64 {
	p := 0.0
	if s.length > 0 {
		p = (s.before + s.elapsed()).Seconds() / (s.before + s.length).Seconds()
	}
	if s.games > 0 {
		p = max(p, float64(s.played())/float64(s.games))
	}
	return min(p, 1)
}

// bounded says whether the run has an end.
func (s *schedule) bounded() bool { return s.length > 0 || s.games > 0 }

// left is the time to the end, estimated from the games where only they are given.
func (s *schedule) left() (time.Duration, bool) {
	elapsed := s.elapsed()
	if s.length > 0 {
		return max(s.length-elapsed, 0), true
	}
	if p := s.progress(); p > 0 && s.games > 0 {
		return time.Duration(float64(elapsed) * (1 - p) / p), true
	}
	return 0, false
}
