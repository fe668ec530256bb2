package solve

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/kuhn"
)

// The distribution of an answer has the moments given next to it, and its simulation is of the
// same turn.
func TestAnswerAgreesWithItself(t *testing.T) {
	a, err := SolveTurn(t.Context(), newGame(t), 20_000, 7, nil)
	require.NoError(t, err)
	total, mean := a.Turn.StrichProbability, 0.0
	for _, d := range a.Turn.Distribution {
		total += d.Probability
		mean += d.Probability * float64(d.Points)
	}
	require.InDelta(t, 1, total, 1e-9)
	require.InDelta(t, a.Turn.ExpectedPoints, mean, 1e-6)
	require.Less(t, a.GreedyStop.ExpectedPoints, a.Turn.ExpectedPoints)
	for _, p := range []TurnPlay{a.Turn.TurnPlay, a.GreedyStop} {
		require.EqualValues(t, 20_000, p.Simulation.Turns)
		require.InDelta(t, p.ExpectedPoints, p.Simulation.Points.Mean, 2*p.Simulation.Points.Half)
	}

	exact, err := SolveTurn(t.Context(), newGame(t), 0, 0, nil)
	require.NoError(t, err)
	require.Nil(t, exact.Turn.Simulation)
	require.Nil(t, exact.GreedyStop.Simulation)
	require.Equal(t, a.Turn.Distribution, exact.Turn.Distribution)
}

func TestAnswerForPeople(t *testing.T) {
	a, err := SolveTurn(t.Context(), newGame(t), 5_000, 7, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, a.Render(&out))
	text := out.String()
	require.Regexp(t, `(?m)^ *simulated points +`+regexp.QuoteMeta(a.Turn.Simulation.Points.String()), text)
	percent := 0.0
	bars := regexp.MustCompile(`(?m)^ *(strich|\d+ to \d+|3000 or more) +([\d.]+) %`).FindAllStringSubmatch(text, -1)
	require.Len(t, bars, 13)
	for _, bar := range bars {
		p, err := strconv.ParseFloat(bar[2], 64)
		require.NoError(t, err)
		percent += p
	}
	require.InDelta(t, 100, percent, 0.1, "the classes are all that can happen")

	a.Turn.Simulation = nil
	out.Reset()
	require.NoError(t, a.Render(&out))
	require.NotContains(t, out.String(), "simulated")
	doc, err := json.Marshal(a)
	require.NoError(t, err)
	require.Contains(t, string(doc), `"greedy_stop":{"expected_points":`)
}

func TestSolveTurnRefuses(t *testing.T) {
	_, err := SolveTurn(t.Context(), kuhn.Game{}, 0, 0, nil)
	require.ErrorContains(t, err, "turn-optimum", "kuhn has no such bot")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = SolveTurn(ended, newGame(t), 10, 0, nil)
	require.EqualError(t, err, "simulation: stopped after 0 of 10 turns")
}

// Two digits of the error are shown, and never an exponent.
func TestEstimatesForPeople(t *testing.T) {
	require.Equal(t, "452.31 ± 0.45", Estimate{452.3123, 0.4512}.String())
	require.Equal(t, "0.001234 ± 0.000098", Estimate{0.0012341, 0.0000981}.String())
	require.Equal(t, "1250 ± 123", Estimate{1250.4, 123.4}.String())
	require.Equal(t, "0 ± 0", Estimate{}.String())
}
