package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
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
		Curves: []Curve{{Name: "a", X: []float64{1, 10, 100}, Y: []float64{1, 1e-3, 1e-9}},
			{Name: "b", X: []float64{1, 100}, Y: []float64{2, 2}}},
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
	for share, fill := range map[string]string{">100<": "#E69138", ">0<": "#6FA8DC", ">50<": "#FFFFFF"} {
		require.Contains(t, b.String(), share)
		require.Contains(t, b.String(), fill)
	}
	require.Equal(t, 1+3, strings.Count(b.String(), `Z" style="fill:#`), "the ground and three cells")
	require.NotContains(t, b.String(), "NaN")
}

// Where the font is not installed, letters of another kind would not fit.
func TestSVGNamesAnotherFont(t *testing.T) {
	for name, f := range figures {
		var b strings.Builder
		require.NoError(t, f.WriteSVG(&b))
		require.Equal(t, strings.Count(b.String(), "font-family:"),
			strings.Count(b.String(), "font-family:Liberation Mono,monospace;"), name)
	}
}

func TestSVGShowsTheAxes(t *testing.T) {
	var b strings.Builder
	require.NoError(t, figures["curves"].WriteSVG(&b))
	for _, mark := range []string{">1<", ">10<", ">100<", ">1e-08<", ">iterations<", ">units<", ">Convergence<", ">b<"} {
		require.Contains(t, b.String(), mark)
	}
}

// A band is one closed shape in the colour of its line, and the axis has room for it.
func TestSVGShowsBands(t *testing.T) {
	d := &Curves{Curves: []Curve{{Name: "a", X: []float64{0, 10}, Y: []float64{1, 2}, Low: []float64{0, 1},
		High: []float64{3, 9}}}}
	var b strings.Builder
	require.NoError(t, d.Figure().WriteSVG(&b))
	require.Equal(t, 1, strings.Count(b.String(), "fill:#1E76B3;fill-opacity:0.15686"))
	require.Contains(t, b.String(), ">10<")
}

func TestLegendIsWhereNothingElseIs(t *testing.T) {
	for want, y := range map[[2]bool][]float64{
		{true, false}:  {9, 1, 1, 1, 0}, // top and right, of a curve that falls
		{false, false}: {0, 8, 9, 9, 9},
		{true, true}:   {0, 0, 0, 9, 9},
	} {
		x, axisOfY := newAxis(false), newAxis(false)
		d := &Curves{Curves: []Curve{{X: []float64{0, 1, 2, 3, 4}, Y: y}}}
		scaled(x, axisOfY, d.Curves[0].X, y)
		top, left := d.corner(x, axisOfY)
		require.Equal(t, want, [2]bool{top, left}, y)
	}
}

// Light and dark change places where people like dark pages.
func TestSVGIsAlsoDark(t *testing.T) {
	for name, f := range figures {
		var b strings.Builder
		require.NoError(t, f.WriteSVG(&b))
		require.Equal(t, 1, strings.Count(b.String(), darkStyle), name)
	}
}

func TestPNGHasTheColours(t *testing.T) {
	for name, colours := range map[string][]color.RGBA{
		"heat map": {shade(1), shade(0)}, "curves": {color.RGBA(palette[0]), color.RGBA(palette[1])},
	} {
		f := figures[name]
		var b bytes.Buffer
		require.NoError(t, f.WritePNG(&b))
		img, err := png.Decode(&b)
		require.NoError(t, err)
		require.InDelta(t, float64(f.width*pixelsPerPoint), img.Bounds().Dx(), 1, name)
		seen := map[color.RGBA]bool{}
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				seen[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)] = true
			}
		}
		for _, c := range colours {
			require.True(t, seen[c], "%s: %v", name, c)
		}
	}
}

// The same data give the same files, and a figure may be written again.
func TestFilesAreTheSame(t *testing.T) {
	for name, f := range figures {
		for kind, write := range map[string]func(io.Writer) error{"SVG": f.WriteSVG, "PNG": f.WritePNG} {
			var first, second bytes.Buffer
			require.NoError(t, write(&first))
			require.NoError(t, write(&second))
			require.Equal(t, first.Bytes(), second.Bytes(), "%s as %s", name, kind)
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
		a := newAxis(c.log)
		for _, v := range c.values {
			a.include(a.scale(v))
		}
		a.round()
		require.InDelta(t, c.low, a.low, 1e-8, "%v", c)
		require.InDelta(t, c.high, a.high, 1e-8, "%v", c)
		require.InEpsilon(t, c.step, a.step, 0.5, "%v", c)
		require.Less(t, a.low, a.high)
	}
}
