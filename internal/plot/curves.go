package plot

import (
	"fmt"
	"image/color"
	"math"
)

// Curves is a diagram of one or more curves.
type Curves struct {
	Title, X, Y string // of the diagram and its axes
	LogX, LogY  bool
	Curves      []Curve
}

// Curve is a line through points. On a logarithmic axis they must be positive.
type Curve struct {
	Name string
	X, Y []float64
}

// Sizes of a diagram, in points.
const (
	plotWidth  = 640
	plotHeight = 400
	plotLeft   = 90
	plotTop    = 60
	plotRight  = 20
	plotBottom = 60
	ticks      = 5 // about
)

var palette = []color.RGBA{{31, 119, 180, 255}, {214, 94, 0, 255}, {0, 130, 90, 255}, {150, 70, 160, 255}, {110, 80, 60, 255}}

// axis maps values to points.
type axis struct {
	log       bool
	low, high float64 // of the values, or of their logarithms
	step      float64 // between two grid lines
	from, to  float64 // in points
}

func newAxis(log bool, from, to float64) *axis {
	return &axis{log: log, low: math.Inf(1), high: math.Inf(-1), from: from, to: to}
}

func (a *axis) scale(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

func (a *axis) include(values []float64) {
	for _, v := range values {
		a.low, a.high = min(a.low, a.scale(v)), max(a.high, a.scale(v))
	}
}

// round widens the axis to multiples of a round step: 1, 2 or 5 times a power of ten, or
// whole powers of ten where it is logarithmic.
func (a *axis) round() {
	width := max(a.high-a.low, 1e-9) / ticks
	a.step = math.Pow(10, math.Floor(math.Log10(width)))
	for _, factor := range []float64{2, 2.5, 2} {
		if a.step < width || a.log && a.step < 1 {
			a.step *= factor
		}
	}
	if a.log {
		a.step = max(1, math.Round(a.step))
	}
	a.low = math.Floor(a.low/a.step+1e-9) * a.step
	a.high = max(math.Ceil(a.high/a.step-1e-9)*a.step, a.low+a.step)
}

func (a *axis) at(scaled float64) float64 {
	return a.from + (scaled-a.low)/(a.high-a.low)*(a.to-a.from)
}

// Figure draws the diagram.
func (d *Curves) Figure() *Figure {
	f := newFigure(plotWidth, plotHeight)
	x, y := newAxis(d.LogX, plotLeft, plotWidth-plotRight), newAxis(d.LogY, plotHeight-plotBottom, plotTop)
	for _, c := range d.Curves {
		x.include(c.X)
		y.include(c.Y)
	}
	f.write(margin, margin+letterHeight, d.Title, begin, ink)
	f.write((x.from+x.to)/2, plotHeight-margin, d.X, middle, ink)
	f.write(margin, plotTop-8, d.Y, begin, ink)
	x.round()
	y.round()
	for v := x.low; v < x.high+x.step/2; v += x.step {
		f.line([]float64{x.at(v), x.at(v)}, []float64{y.from, y.to}, faint)
		f.write(x.at(v), y.from+18, x.name(v), middle, ink)
	}
	for v := y.low; v < y.high+y.step/2; v += y.step {
		f.line([]float64{x.from, x.to}, []float64{y.at(v), y.at(v)}, faint)
		f.write(x.from-8, y.at(v)+4, y.name(v), end, ink)
	}
	for i, c := range d.Curves {
		color := palette[i%len(palette)]
		xs, ys := make([]float64, len(c.X)), make([]float64, len(c.Y))
		for j := range c.X {
			xs[j], ys[j] = x.at(x.scale(c.X[j])), y.at(y.scale(c.Y[j]))
		}
		f.line(xs, ys, color)
		f.write(x.to-4, plotTop+float64((i+1)*letterHeight), c.Name, end, color)
	}
	return f
}

// name writes a value of the axis.
func (a *axis) name(scaled float64) string {
	scaled = math.Round(scaled/a.step) * a.step
	if a.log {
		scaled = math.Pow(10, scaled)
	}
	return fmt.Sprintf("%.4g", scaled)
}
