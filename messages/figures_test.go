package messages

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/internal/stat"
)

var (
	points = engine.Figure{Name: "points", Unit: "points", Per: "turn"}
	share  = engine.Figure{Name: "share", Unit: engine.Share, Per: "turn"}
)

func TestPackedFiguresAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		figures := []engine.Figure{points, share}
		all := make([]stat.Ratio, len(figures))
		n := rapid.IntRange(1, 20).Draw(t, "clusters")
		for range n {
			weight := float64(rapid.IntRange(0, 5).Draw(t, "weight"))
			all[0].Add(float64(rapid.Int64Range(-1e12, 1e12).Draw(t, "value"))/7, weight)
			all[1].Add(float64(rapid.IntRange(0, int(weight)).Draw(t, "counted")), weight)
		}
		again, err := UnpackFigures(PackFigures(figures, all), uint64(n), figures)
		require.NoError(t, err)
		require.Equal(t, all, again)
	})
	require.Nil(t, PackFigures(nil, nil))
	none, err := UnpackFigures(nil, 1, []engine.Figure{points})
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestImpossibleSumsAreRefused(t *testing.T) {
	good := stat.Ratio{Value: 4, Weight: 5, ValueSquares: 8, WeightSquares: 13, Products: 10}
	_, err := UnpackFigures(PackFigures([]engine.Figure{share}, []stat.Ratio{good}), 2, []engine.Figure{share})
	require.NoError(t, err)
	for name, change := range map[string]func(*stat.Ratio){
		"too little squared": func(r *stat.Ratio) { r.ValueSquares = 7.9 },
		"weight squared":     func(r *stat.Ratio) { r.WeightSquares = 12 },
		"product":            func(r *stat.Ratio) { r.Products = -11 },
		"negative weight":    func(r *stat.Ratio) { r.Weight = -1 },
		"share above 1":      func(r *stat.Ratio) { r.Value, r.ValueSquares = 6, 18 },
		"share below 0":      func(r *stat.Ratio) { r.Value = -1 },
		"not a number":       func(r *stat.Ratio) { r.Products = math.NaN() },
		"infinite":           func(r *stat.Ratio) { r.Value, r.ValueSquares = math.Inf(1), math.Inf(1) },
		"infinite squares":   func(r *stat.Ratio) { r.WeightSquares = math.Inf(1) },
	} {
		bad := good
		change(&bad)
		_, err := UnpackFigures(PackFigures([]engine.Figure{share}, []stat.Ratio{bad}), 2, []engine.Figure{share})
		require.ErrorContains(t, err, "impossible figure share", name)
	}
	p := PackFigures([]engine.Figure{share}, []stat.Ratio{good})
	p.Products = nil
	_, err = UnpackFigures(p, 2, []engine.Figure{share})
	require.ErrorContains(t, err, "a column of 0 figures, not of 1")
}

// Another version of a game may have other figures: its results count without them.
func TestOtherFiguresAreLeftOut(t *testing.T) {
	good := stat.Ratio{Value: 4, Weight: 5, ValueSquares: 8, WeightSquares: 13, Products: 10}
	p := PackFigures([]engine.Figure{share, points}, []stat.Ratio{good, good})
	for _, figures := range [][]engine.Figure{{points, share}, {share}, nil} {
		all, err := UnpackFigures(p, 2, figures)
		require.NoError(t, err)
		require.Nil(t, all)
	}
}
