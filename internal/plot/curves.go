package plot

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
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
	lineWidth  = 1.5
	ticks      = 5 // about
)

var palette = []color.RGBA{{31, 119, 180, 255}, {214, 94, 0, 255}, {0, 130, 90, 255}, {150, 70, 160, 255}, {110, 80, 60, 255}}

// axis is the range of an axis, and where its grid lines are. A logarithmic one is that of the logarithms.
type axis struct {
	log       bool
	low, high float64
	step      float64 // between two grid lines
}

func newAxis(log bool) *axis {
	return &axis{log: log, low: math.Inf(1), high: math.Inf(-1)}
}

func (a *axis) scale(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

func (a *axis) include(v float64) { a.low, a.high = min(a.low, v), max(a.high, v) }

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

// apply gives a diagram's axis this range.
func (a *axis) apply(to *plot.Axis) {
	var marks []plot.Tick
	for v := a.low; v < a.high+a.step/2; v += a.step {
		marks = append(marks, plot.Tick{Value: v, Label: a.name(v)})
	}
	to.Min, to.Max, to.Tick.Marker = a.low, a.high, plot.ConstantTicks(marks)
}

// name writes a value of the axis.
func (a *axis) name(scaled float64) string {
	scaled = math.Round(scaled/a.step) * a.step
	if a.log {
		scaled = math.Pow(10, scaled)
	}
	return fmt.Sprintf("%.4g", scaled)
}

// Figure draws the diagram.
func (d *Curves) Figure() *Figure {
	p := newPlot(d.Title, d.X, d.Y)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, faint
	p.Add(grid)
	x, y := newAxis(d.LogX), newAxis(d.LogY)
	for i, c := range d.Curves {
		line := &plotter.Line{LineStyle: draw.LineStyle{Color: palette[i%len(palette)], Width: lineWidth}}
		for j := range c.X {
			point := plotter.XY{X: x.scale(c.X[j]), Y: y.scale(c.Y[j])}
			x.include(point.X)
			y.include(point.Y)
			line.XYs = append(line.XYs, point)
		}
		p.Add(line)
		p.Legend.Add(c.Name, line)
	}
	x.round()
	y.round()
	x.apply(&p.X)
	y.apply(&p.Y)
	p.Legend.Top = true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = -margin, -margin/2, margin/8
	return &Figure{p, plotWidth, plotHeight}
}
