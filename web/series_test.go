package web

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A reader that applies what since gives, at whatever versions it looks, has exactly
// the curve; the curve stays within its bound and in order.
func TestSeriesReaderKeepsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSeries(8)
		var reader []Point
		var seen uint64
		now := Point{}
		for version := uint64(1); version <= uint64(rapid.IntRange(1, 120).Draw(t, "pushes")); version++ {
			now.Seconds += float64(rapid.IntRange(0, 3).Draw(t, "seconds"))
			now.Samples += float64(rapid.IntRange(0, 3).Draw(t, "samples"))
			if rapid.IntRange(0, 15).Draw(t, "resumes") == 0 {
				now.Samples = float64(int(now.Samples) / 2)
			}
			now.Value++
			s.push(now, version)
			view := s.view("x")
			require.Equal(t, now.Value, view.Latest().Value)
			require.LessOrEqual(t, view.Len(), 8)
			points := view.Points()
			for i := 1; i < len(points); i++ {
				require.GreaterOrEqual(t, points[i].Samples, points[i-1].Samples)
				require.GreaterOrEqual(t, points[i].Seconds, points[i-1].Seconds)
			}
			if rapid.Bool().Draw(t, "looks") {
				from, news := view.since(seen)
				require.LessOrEqual(t, from, len(reader))
				reader = append(reader[:from:from], news...)
				seen = version
				require.Equal(t, points, reader)
			}
		}
	})
}

func TestSeriesMergesNeighboursIntoMeans(t *testing.T) {
	s := newSeries(6)
	for i := range 9 {
		s.push(Point{Seconds: float64(i), Samples: float64(10 * i), Value: float64(i), Low: -1, High: 1, HasInterval: i != 3},
			uint64(i+1))
	}
	values := []Point{}
	for _, p := range s.view("x").Points() {
		values = append(values, Point{Seconds: p.Seconds, Samples: p.Samples, Value: p.Value, HasInterval: p.HasInterval})
	}
	require.Equal(t, []Point{
		{1.5, 15, 1.5, 0, 0, false}, // of 0..3; 3 has no interval
		{5.5, 55, 5.5, 0, 0, true},  // of 4..7
		{8, 80, 8, 0, 0, true},
	}, values)
}

func TestSeriesViewDoesNotChange(t *testing.T) {
	s := newSeries(8)
	for i := range 5 {
		s.push(Point{Samples: float64(i), Value: float64(i)}, uint64(i))
	}
	view := s.view("x")
	before := view.Points()
	s.push(Point{Samples: 2, Value: -1}, 6) // goes back
	for i := range 20 {
		s.push(Point{Samples: float64(10 + i), Value: -2}, uint64(7+i))
	}
	require.Equal(t, before, view.Points())
}

func TestSeriesSupersedesAfterResume(t *testing.T) {
	s := newSeries(100)
	for i := range 10 {
		s.push(Point{Seconds: float64(i), Samples: float64(i), Value: float64(i)}, uint64(i+1))
	}
	s.push(Point{Seconds: 4.5, Samples: 4.5, Value: 100}, 11)
	values := []float64{}
	for _, p := range s.view("x").Points() {
		values = append(values, p.Value)
	}
	require.Equal(t, []float64{0, 1, 2, 3, 4, 100}, values)
}

func TestSeriesClockThatRestarts(t *testing.T) {
	s := newSeries(100)
	for i, seconds := range []float64{0, 10, 20, 0, 5} {
		s.push(Point{Seconds: seconds, Samples: float64(i)}, uint64(i+1))
	}
	seconds := []float64{}
	for _, p := range s.view("x").Points() {
		seconds = append(seconds, p.Seconds)
	}
	require.Equal(t, []float64{0, 10, 20, 20, 25}, seconds)
}

func TestPointJSON(t *testing.T) {
	data, err := json.Marshal([]Point{
		{Seconds: 1.23456, Samples: 4096.4, Value: 0.1},
		{Seconds: 2, Samples: 1e12, Value: 1.0 / 3, Low: -1e-9, High: 2, HasInterval: true},
	})
	require.NoError(t, err)
	require.JSONEq(t, `[[1.235,4096,0.1],[2,1000000000000,0.33333334,-1e-9,2]]`, string(data))
}
