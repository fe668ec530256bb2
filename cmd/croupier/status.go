package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"croupier/web"
)

// How often the live line and the plain lines of the status are printed.
const (
	liveEvery  = 500 * time.Millisecond
	plainEvery = 10 * time.Second
)

// status tells the terminal how the run does: a live status on a terminal, plain
// lines elsewhere, JSON lines with --json-logs.
type status struct {
	feed    *web.Feed
	console *console
	clock   *schedule
	flags   logFlags
	log     *slog.Logger
	phase   chan string
}

func (s *status) run(ctx context.Context) error {
	if s.flags.quiet {
		<-ctx.Done()
		return nil
	}
	live := s.console.live
	every := plainEvery
	if live {
		every = liveEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	phase := "training"
	for {
		select {
		case <-ctx.Done():
			if live {
				s.console.status(nil)
			}
			return nil
		case phase = <-s.phase:
		case <-ticker.C:
		}
		snapshot := s.feed.Snapshot()
		switch {
		case s.flags.json:
			s.log.Info("status", s.values(phase, snapshot)...)
		case live:
			s.console.status(s.parts(phase, snapshot))
		default:
			fmt.Fprintln(s.console, strings.Join(s.parts(phase, snapshot), separator))
		}
	}
}

// say changes the first word of the status.
func (s *status) say(phase string) {
	select {
	case s.phase <- phase:
	default:
	}
}

// parts says the state of the run in words.
func (s *status) parts(phase string, v *web.Snapshot) []string {
	rates := v.Rates()
	parts := []string{
		fmt.Sprintf("%s %s", phase, time.Since(s.clock.began).Round(time.Second)),
		fmt.Sprintf("%s games/s", quantity(rates.Games)),
		fmt.Sprintf("%s decisions/s", quantity(rates.Decisions)),
	}
	if stage, stages := v.Stage(); stages > 0 {
		parts = append(parts, fmt.Sprintf("stage %d of %d", stage, stages))
	}
	if p, ok := v.Latest("updates_per_second"); ok {
		parts = append(parts, fmt.Sprintf("%.1f updates/s", p.Value))
	}
	if p, ok := v.Latest("lag"); ok {
		parts = append(parts, fmt.Sprintf("lag %.1f", p.Value))
	}
	for _, which := range []string{"newest", "best"} {
		if p, ok := v.Latest("rating/" + which); ok {
			parts = append(parts, fmt.Sprintf("%s %+.0f (%+.0f…%+.0f)", which, p.Value, p.Low, p.High))
		}
	}
	if left, ok := s.clock.left(); ok {
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	return parts
}

// values are the same as attributes of a log line.
func (s *status) values(phase string, v *web.Snapshot) []any {
	rates := v.Rates()
	out := []any{"phase", phase, "seconds", time.Since(s.clock.began).Seconds(),
		"games_per_second", rates.Games, "decisions_per_second", rates.Decisions}
	for _, name := range []string{"updates_per_second", "lag", "rating/newest", "rating/best"} {
		if p, ok := v.Latest(name); ok {
			out = append(out, name, p.Value)
		}
	}
	if stage, stages := v.Stage(); stages > 0 {
		out = append(out, "stage", stage, "stages", stages)
	}
	if left, ok := s.clock.left(); ok {
		out = append(out, "seconds_left", left.Seconds())
	}
	return out
}

// quantity writes a rate with three digits: 1.23k, 45.6M.
func quantity(v float64) string {
	for _, unit := range []string{"", "k", "M"} {
		if v < 999.5 || unit == "M" {
			return fmt.Sprintf("%.3g%s", v, unit)
		}
		v /= 1000
	}
	panic("unreachable")
}

// schedule measures how far the training of this call has come, for the learning
// schedules: by time where the run has an end in time, else by games.
type schedule struct {
	began  time.Time
	before time.Duration // trained in earlier calls
	length time.Duration // of this call; 0: no end in time
	games  uint64        // to be trained on in all; 0: no end in games
	played func() uint64 // trained on in all
}

// progress is 0 at the beginning and 1 at the end of the run; 0 always if it has none.
func (s *schedule) progress() float64 {
	p := 0.0
	if s.length > 0 {
		p = (s.before + time.Since(s.began)).Seconds() / (s.before + s.length).Seconds()
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
	elapsed := time.Since(s.began)
	if s.length > 0 {
		return max(s.length-elapsed, 0), true
	}
	if p := s.progress(); p > 0 && s.games > 0 {
		return time.Duration(float64(elapsed) * (1 - p) / p), true
	}
	return 0, false
}
