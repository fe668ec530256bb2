package cli

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"croupier/cluster"
)

// The intervals at which the live status and the plain lines are printed.
const (
	liveEvery  = 500 * time.Millisecond
	plainEvery = 10 * time.Second
)

// status shows how the run is doing: a live status on a terminal, plain lines elsewhere,
// JSON lines with --json-logs.
type status struct {
	console *console
	flags   logFlags
	log     *slog.Logger
	phases  chan cluster.Phase
}

func newStatus(screen *console, flags logFlags, log *slog.Logger) *status {
	return &status{console: screen, flags: flags, log: log, phases: make(chan cluster.Phase, 2)}
}

// enter has a new phase shown at once.
func (s *status) enter(p cluster.Phase) {
	if p != cluster.Training {
		s.phases <- p
	}
}

// during shows the status for as long as work takes.
func (s *status) during(c *cluster.Cluster, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	if s.flags.quiet {
		return <-done
	}
	every := plainEvery
	if s.console.live {
		every = liveEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if s.console.live {
				s.console.status(nil)
			}
			return err
		case <-s.phases:
		case <-ticker.C:
		}
		s.print(c.Status())
	}
}

// print prints a status.
func (s *status) print(v cluster.Status) {
	switch {
	case s.flags.json:
		s.log.Info("status", values(v)...)
	case s.console.live:
		s.console.status(parts(v))
	default:
		fmt.Fprintln(s.console, strings.Join(parts(v), separator))
	}
}

// parts puts a status into words.
func parts(v cluster.Status) []string {
	parts := []string{
		fmt.Sprintf("%s %s", v.Phase, v.Elapsed.Round(time.Second)),
		fmt.Sprintf("%s games/s", quantity(v.GamesPerSecond)),
		fmt.Sprintf("%s decisions/s", quantity(v.DecisionsPerSecond)),
	}
	if r := v.LastRating; r != nil {
		parts = append(parts, fmt.Sprintf("%.0f of at most %.0f games", r.Played, r.Played+r.Left))
	}
	if v.Phase == cluster.Rating {
		parts = append(parts, fmt.Sprintf("ends in %s at the latest", v.RatingLeft.Round(time.Second)))
	}
	if v.Stages > 0 {
		parts = append(parts, fmt.Sprintf("stage %d of %d", v.Stage, v.Stages))
	}
	if p, ok := v.Latest("updates_per_second"); ok {
		parts = append(parts, fmt.Sprintf("%.1f updates/s", p.Value))
	}
	if p, ok := v.Latest("lag"); ok {
		parts = append(parts, fmt.Sprintf("lag %.1f", p.Value))
	}
	parts = append(parts, ratings(v)...)
	if v.Phase == cluster.Training {
		parts = append(parts, v.Goals...)
	}
	if v.Left != nil {
		parts = append(parts, v.Left.Round(time.Second).String()+" left")
	}
	if !v.Done.IsZero() && v.Phase == cluster.Training {
		parts = append(parts, "done by "+v.Done.Format("15:04")+" at the latest")
	}
	return parts
}

// ratings puts those of the newest and the best version into words, with their unit behind
// the last.
func ratings(v cluster.Status) (parts []string) {
	ladder := v.Ladder()
	if ladder == nil {
		return nil
	}
	write := ladder.Scale.Write
	for _, which := range []string{"newest", "best"} {
		if p, ok := v.Latest("rating/" + which); ok {
			parts = append(parts, fmt.Sprintf("%s %s (%s … %s)", which, write(p.Value), write(p.Low), write(p.High)))
		}
	}
	if len(parts) > 0 {
		parts[len(parts)-1] += " " + ladder.Scale.Unit
	}
	return parts
}

// values returns the same as attributes of a log line.
func values(v cluster.Status) []any {
	out := []any{"phase", string(v.Phase), "seconds", v.Elapsed.Seconds(),
		"games_per_second", v.GamesPerSecond, "decisions_per_second", v.DecisionsPerSecond}
	for _, name := range []string{"updates_per_second", "lag", "rating/newest", "rating/best"} {
		if p, ok := v.Latest(name); ok {
			out = append(out, name, p.Value)
		}
	}
	if v.Stages > 0 {
		out = append(out, "stage", v.Stage, "stages", v.Stages)
	}
	if r := v.LastRating; r != nil {
		out = append(out, "rating_played", r.Played, "rating_left", r.Left)
	}
	if len(v.Goals) > 0 {
		out = append(out, "goals", v.Goals)
	}
	if v.Left != nil {
		out = append(out, "seconds_left", v.Left.Seconds())
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
