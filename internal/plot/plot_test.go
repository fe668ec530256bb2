package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var figures = map[string]*Figure{
	"heat map": (&HeatMap{
		Title: "A <map>", Across: "total", Low: "stand", High: "hit",
		Columns: []string{"16", "17"}, Rows: []string{"2 hard", "3 hard"}, Shares: [][]float64{{1, 0}, {0.5, math.NaN()}},
	}).Figure(),
	"curves": (&Curves{
		Title: "Convergence", X: "iterations", Y: "units", LogX: true, LogY: true,
		Curves: []Curve{{"a", []float64{1, 10, 100}, []float64{1, 1e-3, 1e-9}}, {"b", []float64{1, 100}, []float64{2, 2}}},
	}).Figure(),
}

func TestSVGIsWellFormed(t *testing.T) {
	for name, f := range figures {
		var b strings.Builder
		require.NoError(t, f.WriteSVG(&b))
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
		}
	}
}

func TestSVGShowsTheCells(t *testing.T) {
	var b strings.Builder
	require.NoError(t, figures["heat map"].WriteSVG(&b))
	require.Contains(t, b.String(), "A &lt;map&gt;")
	for share, fill := range map[string]string{">100<": "#e69138", ">0<": "#6fa8dc", ">50<": "#ffffff"} {
		require.Contains(t, b.String(), share)
		require.Contains(t, b.String(), fill)
	}
	require.Equal(t, 1+3, strings.Count(b.String(), "<rect"), "the ground and three cells")
}

func TestPNGHasTheColours(t *testing.T) {
	for name, f := range figures {
		var b bytes.Buffer
		require.NoError(t, f.WritePNG(&b))
		img, err := png.Decode(&b)
		require.NoError(t, err)
		require.Equal(t, f.Width*pixelsPerPoint, img.Bounds().Dx(), name)
		seen := map[any]bool{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				seen[img.At(x, y)] = true
			}
		}
		for _, s := range f.shapes {
			require.True(t, seen[s.color], "%s: %v", name, s)
		}
	}
}

func TestAxesAreRound(t *testing.T) {
	for _, c := range []struct {
		log             bool
		values          []float64
		low, high, step float64
	}{
		{false, []float64{5, 200}, 0, 200, 50},
		{false, []float64{1e-58, 0.999}, 0, 1, 0.2},
		{false, []float64{3, 3}, 3, 3, 2e-10},
		{true, []float64{1, 10}, 0, 1, 1},
		{true, []float64{1e-12, 0.0027}, -12, -2, 2},
	} {
		a := newAxis(c.log, 0, 100)
		a.include(c.values)
		a.round()
		require.InDelta(t, c.low, a.low, 1e-8, "%v", c)
		require.InDelta(t, c.high, a.high, 1e-8, "%v", c)
		require.InEpsilon(t, c.step, a.step, 0.5, "%v", c)
		require.Less(t, a.low, a.high)
	}
}
