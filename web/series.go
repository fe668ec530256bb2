package web

import (
	"math"
	"slices"
	"sort"
	"strconv"
)

// Point is one value of a learning curve, or the mean of neighbouring values.
// In JSON it is [seconds, samples, value] or, with an interval,
// [seconds, samples, value, low, high].
type Point struct {
	Seconds float64 // seconds of training
	Samples float64 // training samples, a whole number unless a mean
	Value   float64
	// 95 % interval, where HasInterval.
	Low, High   float64
	HasInterval bool
}

// MarshalJSON writes the array form; values are rounded to what a float32 holds,
// which no chart can distinguish and halves the size.
func (p Point) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 64)
	b = append(b, '[')
	b = strconv.AppendFloat(b, math.Round(p.Seconds*1000)/1000, 'f', -1, 64)
	b = append(b, ',')
	b = strconv.AppendFloat(b, math.Round(p.Samples), 'f', -1, 64)
	values := []float64{p.Value, p.Low, p.High}
	if !p.HasInterval {
		values = values[:1]
	}
	for _, v := range values {
		b = append(b, ',')
		b = strconv.AppendFloat(b, v, 'g', -1, 32)
	}
	return append(b, ']'), nil
}

// bucket is the mean of weight neighbouring points.
type bucket struct {
	Point
	weight  float64
	end     float64 // Samples of its newest point
	version uint64  // of the feed when the bucket got its present content and place
}

// add takes the mean with another bucket that follows. The interval stays only
// where both have one; its bounds are averaged like the values, so a band shows the
// typical interval of one measurement, not that of the mean.
func (b *bucket) add(next bucket) {
	if b.weight == 0 {
		*b = next
		return
	}
	share := next.weight / (b.weight + next.weight)
	mean := func(a *float64, c float64) { *a += (c - *a) * share }
	mean(&b.Seconds, next.Seconds)
	mean(&b.Samples, next.Samples)
	mean(&b.Value, next.Value)
	mean(&b.Low, next.Low)
	mean(&b.High, next.High)
	b.HasInterval = b.HasInterval && next.HasInterval
	b.weight += next.weight
	b.end = next.end
}

// series holds one learning curve in bounded memory: at most max points, of which
// the newest is always a single measurement. When the limit is reached, neighbours
// are merged in pairs and later buckets take twice as many measurements. Samples
// and Seconds never go back from one point to the next.
type series struct {
	max     int      // even, at least 4
	closed  []bucket // append only; compaction and rewinding make a new array
	open    bucket   // collects measurements until it holds stride of them
	stride  float64
	last    Point // the newest measurement, not yet in a bucket
	hasLast bool
	offset  float64 // added to the source's seconds, whose clock may restart
	version uint64  // of the feed at the last change
}

func newSeries(max int) *series {
	return &series{max: max, stride: 1}
}

// push appends a measurement. One with fewer samples than the newest comes from a
// learner that resumed at an earlier checkpoint: it supersedes what lies after it.
func (s *series) push(p Point, version uint64) {
	s.version = version
	if s.hasLast && p.Samples < s.last.Samples {
		s.rewind(p.Samples)
	}
	newest := s.newest()
	p.Seconds += s.offset
	if back := newest.Seconds - p.Seconds; back > 0 {
		s.offset += back
		p.Seconds = newest.Seconds
	}
	repeated := s.hasLast && p.Samples == s.last.Samples && p.Seconds == s.last.Seconds
	if s.hasLast && !repeated {
		s.collect(bucket{Point: s.last, weight: 1, end: s.last.Samples, version: version})
	}
	s.last, s.hasLast = p, true
}

// newest returns the last point there is, or the origin.
func (s *series) newest() Point {
	switch {
	case s.hasLast:
		return s.last
	case s.open.weight > 0:
		return s.open.Point
	case len(s.closed) > 0:
		return s.closed[len(s.closed)-1].Point
	}
	return Point{}
}

func (s *series) collect(b bucket) {
	s.open.add(b)
	if s.open.weight < s.stride {
		return
	}
	s.open.version = b.version
	s.closed = append(s.closed, s.open)
	s.open = bucket{}
	if len(s.closed) == s.max-2 {
		s.compact(b.version)
	}
}

func (s *series) compact(version uint64) {
	half := make([]bucket, 0, s.max)
	for pair := range slices.Chunk(s.closed, 2) {
		merged := pair[0]
		merged.add(pair[1])
		merged.version = version
		half = append(half, merged)
	}
	s.closed = half
	s.stride *= 2
}

// rewind drops every point that reaches the given samples.
func (s *series) rewind(samples float64) {
	s.hasLast = false
	if s.open.end >= samples {
		s.open = bucket{}
	}
	keep := sort.Search(len(s.closed), func(i int) bool { return s.closed[i].end >= samples })
	s.closed = slices.Clip(s.closed[:keep])
}

// view returns the curve as it is now; later pushes do not change it.
func (s *series) view(name string) Series {
	v := Series{Name: name, version: s.version, closed: s.closed}
	if s.open.weight > 0 {
		v.tail = append(v.tail, s.open.Point)
	}
	v.tail = append(v.tail, s.last)
	return v
}

// Series is an immutable view of a learning curve with at least one point.
type Series struct {
	Name    string
	version uint64
	closed  []bucket
	tail    []Point
}

// Len is the number of points.
func (s Series) Len() int { return len(s.closed) + len(s.tail) }

// Latest is the newest measurement.
func (s Series) Latest() Point { return s.tail[len(s.tail)-1] }

// Points returns all points in order.
func (s Series) Points() []Point { return s.from(0) }

func (s Series) from(start int) []Point {
	points := make([]Point, 0, s.Len()-start)
	for _, b := range s.closed[start:] {
		points = append(points, b.Point)
	}
	return append(points, s.tail...)
}

// since returns what a reader needs who saw the curve at the given version of the
// feed: from the index start on, its points are replaced.
func (s Series) since(version uint64) (start int, points []Point) {
	start = sort.Search(len(s.closed), func(i int) bool { return s.closed[i].version > version })
	return start, s.from(start)
}
