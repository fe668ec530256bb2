package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap is a table of shares, from 0 to 1; NaN leaves a cell empty.
type HeatMap struct {
	Title         string
	Across        string // what the columns are
	Low, High     string // what shares of 0 and of 1 mean
	Columns, Rows []string
	Shares        [][]float64 // by row and column
}

// Sizes of a heat map, in points.
const (
	cellWidth  = 38
	cellHeight = 22
	cellGap    = 1
	titleSpace = 76 // for the title, the names of the columns and what they are
)

// Figure draws the heat map: a cell is the more orange, the nearer its share is to 1,
// and the more blue, the nearer to 0.
func (m *HeatMap) Figure() *Figure {
	p := newPlot(m.Title, fmt.Sprintf("%s (0: %s, 100: %s, %%)", m.Across, m.Low, m.High), "")
	p.NominalX(m.Columns...)
	rows := slices.Clone(m.Rows)
	slices.Reverse(rows)
	p.NominalY(rows...)
	p.Add((*cells)(m))
	p.X.Padding, p.Y.Padding = 0, margin/4
	var names vg.Length
	for _, row := range m.Rows {
		names = max(names, p.Y.Tick.Label.Width(row))
	}
	across := max(vg.Length(len(m.Columns))*cellWidth, p.X.Label.TextStyle.Width(p.X.Label.Text))
	width := max(names+across, p.Title.TextStyle.Width(m.Title))
	return &Figure{p, width + 2*margin, vg.Length(len(m.Rows))*cellHeight + titleSpace + 2*margin}
}

// cells draws the cells of a heat map. The first row is on top, at the highest y.
type cells HeatMap

// Plot implements plot.Plotter.
func (m *cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	label := p.Y.Tick.Label
	label.XAlign = text.XCenter
	up := label.FontExtents().Descent // as on the axes
	for i, shares := range m.Shares {
		row := float64(len(m.Shares) - 1 - i)
		for j, share := range shares {
			if math.IsNaN(share) {
				continue
			}
			column := float64(j)
			left, right := x(column-0.5)+cellGap, x(column+0.5)-cellGap
			bottom, top := y(row-0.5)+cellGap, y(row+0.5)-cellGap
			c.FillPolygon(shade(share), []vg.Point{
				{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top},
			})
			c.FillText(label, vg.Point{X: x(column), Y: y(row) + up}, fmt.Sprintf("%.0f", 100*share))
		}
	}
}

// DataRange implements plot.DataRanger.
func (m *cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(m.Columns)) - 0.5, -0.5, float64(len(m.Rows)) - 0.5
}

// shade is the colour of a share: blue, white, orange, which the colour-blind distinguish.
func shade(share float64) color.RGBA {
	to := [3]float64{230, 145, 56}
	if share < 0.5 {
		to = [3]float64{111, 168, 220}
	}
	strength := math.Abs(2*share - 1)
	mix := func(i int) uint8 { return uint8(math.Round(255 + strength*(to[i]-255))) }
	return color.RGBA{mix(0), mix(1), mix(2), 255}
}
