package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/platform"
)

func TestSpread(t *testing.T) {
	s := NewSpread([]float64{5, 1, 4, 2}, []float64{1, 0.5, 0.9})
	require.Equal(t, Spread{Median: 3, Min: 1, Max: 5, Runs: 4, CPUShare: 0.9}, s)
	require.Equal(t, 7.0, median([]float64{7}))
}

func TestMeasureGoesRound(t *testing.T) {
	var order string
	counting := func(name string) subject {
		return subject{1, func() (float64, error) { order += name; return 10, nil }}
	}
	var progress []string
	o := Options{Runs: 3, Progress: func(what string) { progress = append(progress, what) }}
	spreads, err := o.measure(t.Context(), "part", []subject{counting("a"), counting("b")})
	require.NoError(t, err)
	require.Equal(t, []string{"part: run 1 of 3", "part: run 2 of 3", "part: run 3 of 3"}, progress)
	require.Equal(t, "aabbaabbaabb", order, "a run of zero length does the warm-up and one piece of work")
	require.Equal(t, 3, spreads[1].Runs)

	failing := subject{1, func() (float64, error) { return 0, errors.New("no luck") }}
	_, err = o.measure(t.Context(), "part", []subject{failing})
	require.EqualError(t, err, "part: no luck")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = o.measure(ended, "part", []subject{counting("a")})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRateIsUnitsInTime(t *testing.T) {
	s := subject{1, func() (float64, error) { time.Sleep(time.Millisecond); return 3, nil }}
	rate, share, err := s.run(20 * time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, rate)
	require.LessOrEqual(t, rate, 3000.0, "sleep is never shorter")
	require.Less(t, share, 0.9, "it sleeps")
}

func TestWatchCountsProcessorTime(t *testing.T) {
	w := StartWatch()
	for platform.ProcessorTime() < w.cpu+20*time.Millisecond {
	}
	seconds, share := w.Stop(1)
	require.GreaterOrEqual(t, seconds*share, 0.019)
	require.LessOrEqual(t, share, 1.0)
}

func TestRenderLeavesOutWhatWasNotMeasured(t *testing.T) {
	r := Report{
		Machine: ThisMachine("v1"),
		Engine:  []Playouts{{"pig", "playout", 41.26e6, Spread{Min: 40e6, Max: 42e6, Runs: 3, CPUShare: 0.987}}},
		Cluster: []Cluster{{Game: "bank", Net: "R128", Precision: "bf16", Seconds: 60, DecisionsPerSecond: 61_234,
			ConsumedShare:    0.998,
			BytesPerDecision: 5.5, LagVersions: 2.25}},
	}
	var out bytes.Buffer
	require.NoError(t, r.Render(&out))
	require.Regexp(t, `pig\s+playout\s+41\.3\s+40\.0 … 42\.0\s+99 %`, out.String())
	require.Regexp(t, `bank\s+R128\s+bf16\s+60\s+61\.2\s.*99\.8 %\s+2\.25\s+5\.50`, out.String())
	require.NotContains(t, out.String(), "CFR+")
}

func TestSpreadIsInlineInJSON(t *testing.T) {
	doc, err := json.Marshal(CFR{"leduc", 12, Spread{12, 11, 13, 3, 1}})
	require.NoError(t, err)
	require.JSONEq(t, `{"game": "leduc", "iterations_per_second": 12, "min": 11, "max": 13, "runs": 3, "cpu_share": 1}`,
		string(doc))
}
