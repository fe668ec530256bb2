package until

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/stat"
)

// recorded reads the moments of a recorded run.
func recorded(t *testing.T, path string) (moments [][]point) {
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, line := range bytes.Split(bytes.TrimSpace(doc), []byte("\n")) {
		var versions [][6]float64
		require.NoError(t, json.Unmarshal(line, &versions))
		var points []point
		for _, v := range versions {
			points = append(points, point{v[1] + 0.01, v[2], stat.Interval{Low: v[3], High: v[4]}.StandardError()})
		}
		moments = append(moments, points)
	}
	return moments
}

// reached returns after how much training the first version came to a value, infinity where none did.
func reached(points []point, value float64) float64 {
	for _, p := range points {
		if p.value >= value {
			return p.seconds
		}
	}
	return math.Inf(1)
}

// At each moment of a recorded run, the time is estimated until ratings are reached between that of the
// newest version and a little more than the best in the end. The truth is what came of it: no
// time at all where a version, as it was rated in the end, had come so far already.
func TestForecastOfRecordedRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all, covered, unknown, bounded := 0, 0, 0, 0
	for _, file := range files {
		moments := recorded(t, file)
		end := moments[len(moments)-1]
		runAll, runCovered := 0, 0
		for _, now := range moments[:len(moments)-1] {
			newest := now[len(now)-1]
			last := end[len(end)-1].seconds
			for _, share := range []float64{0.1, 0.25, 0.5, 0.75, 1, 1.25} {
				goal := newest.value + share*(top(end)-newest.value)
				if goal <= top(now) { // it has been there already, or nothing is ahead
					continue
				}
				left := forecast(now, goal, newest.seconds)
				if left == nil {
					unknown++
					continue
				}
				truth := max(0, reached(end, goal)-newest.seconds)
				runAll++
				if left.High != 0 {
					bounded++
				}
				late := left.High != 0 && truth > left.High.Seconds() && last-newest.seconds > left.High.Seconds()
				if !late && truth >= left.Low.Seconds() {
					runCovered++
				}
			}
		}
		t.Logf("%s: %d of %d intervals have the truth in them", filepath.Base(file), runCovered, runAll)
		all, covered = all+runAll, covered+runCovered
	}
	t.Logf("%d of %d (%.0f %%); %d have an upper bound; %d unknown", covered, all, 100*float64(covered)/float64(all),
		bounded, unknown)
	require.GreaterOrEqual(t, all, 30)
	require.GreaterOrEqual(t, float64(covered), 0.9*float64(all))
}

func top(points []point) float64 {
	best := math.Inf(-1)
	for _, p := range points {
		best = max(best, p.value)
	}
	return best
}

// A plateau of a fifth of what a run gained is found only where the best gained less than that per doubling after it.
func TestPlateauOfRecordedRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		moments := recorded(t, file)
		end := moments[len(moments)-1]
		size := (top(end) - end[0].value) / 5
		watch, r := Watch{Goals: []Goal{{Kind: Plateau, Value: size}}}, newRun()
		for _, now := range moments {
			for i, p := range now {
				if i == len(r.Members) {
					r.add(p.seconds)
				}
				r.Ladder.Agents[i].Games = curveGames
				half := stat.Z95 * p.err
				r.Ladder.Agents[i].Rating, r.Ladder.Agents[i].Low, r.Ladder.Agents[i].High = p.value, p.value-half, p.value+half
			}
			if held := watch.Look(r.Evidence).Held; held != "" {
				found++
				gain := (top(end) - top(now)) / math.Log2(end[len(end)-1].seconds/now[len(now)-1].seconds)
				t.Logf("%s after %.0f s of %.0f s: %s; the best gained %.3g per doubling after that", filepath.Base(file),
					now[len(now)-1].seconds,
					end[len(end)-1].seconds, held, gain)
				require.Less(t, gain, size)
				break
			}
		}
	}
	require.Positive(t, found)
}
