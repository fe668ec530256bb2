package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

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

// Curve is a line through points, and, unless Low and High are nil, a band between these. On a logarithmic axis all
// must be positive.
type Curve struct {
	Name            string
	X, Y, Low, High []float64
}

// Sizes of a diagram, in points.
const (
	plotWidth  = 640
	plotHeight = 400
	lineWidth  = 1.5
	ticks      = 5 // about
)

// bandOpacity of 255.
const bandOpacity = 40

var palette = []color.NRGBA{
	{31, 119, 180, 255}, {214, 94, 0, 255}, {0, 130, 90, 255}, {150, 70, 160, 255}, {110, 80, 60, 255},
	{200, 45, 95, 255}, {105, 115, 10, 255}, {85, 95, 105, 255},
}

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
		hue := palette[i%len(palette)]
		if c.Low != nil {
			back := slices.Clone(c.X)
			slices.Reverse(back)
			low := slices.Clone(c.Low)
			slices.Reverse(low)
			p.Add(&plotter.Polygon{
				XYs:   []plotter.XYs{scaled(x, y, append(slices.Clone(c.X), back...), append(slices.Clone(c.High), low...))},
				Color: color.NRGBA{hue.R, hue.G, hue.B, bandOpacity},
			})
		}
		line := &plotter.Line{XYs: scaled(x, y, c.X, c.Y), LineStyle: draw.LineStyle{Color: hue, Width: lineWidth}}
		p.Add(line)
		p.Legend.Add(c.Name, line)
	}
	x.round()
	y.round()
	x.apply(&p.X)
	y.apply(&p.Y)
	p.Legend.Top, p.Legend.Left = d.corner(x, y)
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = -margin, -margin/2, margin/8
	if p.Legend.Left {
		p.Legend.XOffs = margin
	}
	if !p.Legend.Top {
		p.Legend.YOffs = margin / 2
	}
	return &Figure{p, plotWidth, plotHeight}
}

// scaled are points on the axes, which are made to include them.
func scaled(x, y *axis, xs, ys []float64) plotter.XYs {
	points := make(plotter.XYs, len(xs))
	for i := range xs {
		points[i] = plotter.XY{X: x.scale(xs[i]), Y: y.scale(ys[i])}
		x.include(points[i].X)
		y.include(points[i].Y)
	}
	return points
}

// corner is where the legend hides least: the corner with the fewest points, the right upper one of equal ones.
func (d *Curves) corner(x, y *axis) (top, left bool) {
	var points [4]int // right upper, left upper, right lower, left lower
	for _, c := range d.Curves {
		for i := range c.X {
			at := 0
			if x.scale(c.X[i]) < (x.low+x.high)/2 {
				at++
			}
			if y.scale(c.Y[i]) < (y.low+y.high)/2 {
				at += 2
			}
			points[at]++
		}
	}
	at := slices.Index(points[:], slices.Min(points[:]))
	return at < 2, at%2 == 1
}
