package bench

import (
	"time"

	"croupier/internal/platform"
)

// Watch measures elapsed time and the processor time that the process uses.
type Watch struct {
	began time.Time
	cpu   time.Duration
}

// StartWatch starts a watch.
func StartWatch() Watch { return Watch{time.Now(), platform.ProcessorTime()} }

// Elapsed is the time since the start.
func (w Watch) Elapsed() time.Duration { return time.Since(w.began) }

// Stop returns the seconds since the start and the share of the given cores' time that the
// process got meanwhile, at most 1.
func (w Watch) Stop(cores int) (seconds, cpuShare float64) {
	seconds = w.Elapsed().Seconds()
	return seconds, min(1, (platform.ProcessorTime()-w.cpu).Seconds()/(seconds*float64(cores)))
}
