// Package space watches how much room a file system has left, so that what may wait stops before
// the disk is full, and what must not be lost still finds room.
//
// Below the limit the level is [Low]: work that can be done without stops. Below half of it the
// level is [Critical]: the rest is kept for what must be written. A level is left again when there
// is a quarter more than its limit.
package space

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/internal/platform"
	"croupier/internal/strict"
)

// Config are the settings of a watch.
type Config struct {
	// MinFreeBytes is the room below which a file system is nearly full. 0: a twentieth of the
	// file system, at most 1 GiB.
	MinFreeBytes int64 `yaml:"min_free_bytes"`
	// Read, unless nil, says instead of the operating system how much room there is: for tests.
	Read func(path string) (free, total uint64, err error) `yaml:"-"`
}

// Validate reports what is wrong with the settings.
func (c Config) Validate() error {
	if c.MinFreeBytes < 0 {
		return strict.Errorf("min_free_bytes", "%d is negative", c.MinFreeBytes)
	}
	return nil
}

// Level reports how full a file system is.
type Level int32

// The levels, in order.
const (
	Enough Level = iota
	Low
	Critical
)

const (
	// Period is the time between two looks.
	Period = 250 * time.Millisecond

	mostDefault = 1 << 30
)

// Watch watches the file system of one folder. It is used by several goroutines at once.
type Watch struct {
	path  string
	limit int64
	read  func(path string) (free, total uint64, err error)

	mutex sync.Mutex
	level Level
	free  uint64
	low   uint64 // the limit in force
}

// New returns a watch of the file system that holds path, after a first look.
func New(path string, c Config) *Watch {
	w := &Watch{path: path, limit: c.MinFreeBytes, read: platform.FreeSpace}
	if c.Read != nil {
		w.read = c.Read
	}
	w.look()
	return w
}

// Run looks again and again until ctx ends, and calls changed, unless nil, with each new level.
func (w *Watch) Run(ctx context.Context, changed func(Level)) {
	ticker := time.NewTicker(Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if level, new := w.look(); new && changed != nil {
			changed(level)
		}
	}
}

// look reads how much room there is. A file system that does not say leaves the level as it is.
func (w *Watch) look() (level Level, new bool) {
	free, total, err := w.read(w.path)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err != nil {
		return w.level, false
	}
	w.free, w.low = free, uint64(w.limit)
	if w.limit == 0 {
		w.low = min(total/20, mostDefault)
	}
	before := w.level
	w.level = next(before, free, w.low)
	return w.level, w.level != before
}

// next is the level after another with that much room.
func next(before Level, free, low uint64) Level {
	under := func(limit uint64, level Level) bool {
		if before >= level {
			limit += limit / 4
		}
		return free < limit
	}
	switch {
	case under(low/2, Critical):
		return Critical
	case under(low, Low):
		return Low
	}
	return Enough
}

// Level returns the level of the last look.
func (w *Watch) Level() Level {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.level
}

// Problem reports that the disk is nearly full, nil if it is not.
func (w *Watch) Problem() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.level == Enough {
		return nil
	}
	return &NearlyFullError{Path: w.path, Free: w.free, Limit: w.low, Level: w.level}
}

// NearlyFullError reports how little room there is.
type NearlyFullError struct {
	Path        string
	Free, Limit uint64 // bytes
	Level       Level
}

func (e *NearlyFullError) Error() string {
	return fmt.Sprintf("disk nearly full: %.0f MiB are left for %s, the limit is %.0f MiB",
		float64(e.Free)/(1<<20), e.Path, float64(e.Limit)/(1<<20))
}

// collector exports a watch.
type collector struct {
	watch       *Watch
	free, level *prometheus.Desc
}

// Collector exports the watch as croupier_disk_*, under the name of what the folder is of.
func (w *Watch) Collector(of string) prometheus.Collector {
	labels := prometheus.Labels{"of": of}
	return &collector{
		watch: w,
		free:  prometheus.NewDesc("croupier_disk_free_bytes", "Room left on the file system.", nil, labels),
		level: prometheus.NewDesc("croupier_disk_level",
			"How full the file system is: 0 enough room, 1 nearly full, optional work stops, 2 only what must be written is.",
			nil, labels),
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) { out <- c.free; out <- c.level }

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	c.watch.mutex.Lock()
	free, level := float64(c.watch.free), float64(c.watch.level)
	c.watch.mutex.Unlock()
	out <- prometheus.MustNewConstMetric(c.free, prometheus.GaugeValue, free)
	out <- prometheus.MustNewConstMetric(c.level, prometheus.GaugeValue, level)
}
