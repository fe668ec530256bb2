package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// Curves of several learning agents are distinguished; those of the main one have their plain names.
func TestCurvesOfSeveralAgents(t *testing.T) {
	m := newModel("e", nil, defaultLimits)
	for source, value := range map[string]float64{"learner": 1, "learner-exploiter": 2, "league": 3} {
		series := "entropy"
		if source == "league" {
			series = "rating/best"
		}
		data, err := messages.Encode(&messages.Points{
			Schema: messages.SchemaVersion, Source: source, Samples: 7,
			Points: []*messages.Point{{Series: series, Value: value}},
		})
		require.NoError(t, err)
		require.NoError(t, m.applyPoints(data))
	}
	s := m.snapshot("run")
	for name, want := range map[string]float64{"entropy": 1, "learner-exploiter/entropy": 2, "rating/best": 3} {
		p, ok := s.Latest(name)
		require.True(t, ok, name)
		require.Equal(t, want, p.Value, name)
	}
}
