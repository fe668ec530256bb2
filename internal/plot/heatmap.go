package plot

import (
	"fmt"
	"image/color"
	"math"
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
	cellWidth  = 44
	cellHeight = 24
	margin     = 16
	titleSpace = 44
)

// Figure draws the heat map: a cell is the more orange, the nearer its share is to 1,
// and the more blue, the nearer to 0.
func (m *HeatMap) Figure() *Figure {
	names := 0
	for _, r := range m.Rows {
		names = max(names, len(r))
	}
	left := float64(2*margin + names*letterWidth)
	legend := fmt.Sprintf("0: %s, 100: %s (%%)", m.Low, m.High)
	width := max(int(left)+len(m.Columns)*cellWidth, max(len(m.Title), len(legend))*letterWidth+margin) + margin
	height := titleSpace + (len(m.Rows)+3)*cellHeight + margin
	f := newFigure(width, height)
	f.write(margin, margin+letterHeight, m.Title, begin, ink)
	f.write(left, titleSpace+8, m.Across, begin, ink)
	f.write(margin, float64(height-margin), legend, begin, ink)
	top := float64(titleSpace + cellHeight)
	for i, column := range m.Columns {
		f.write(left+(float64(i)+0.5)*cellWidth, top+16-4, column, middle, ink)
	}
	for i, row := range m.Rows {
		y := top + float64(i+1)*cellHeight
		f.write(left-8, y+16, row, end, ink)
		for j, share := range m.Shares[i] {
			if !math.IsNaN(share) {
				x := left + float64(j)*cellWidth
				f.rect(x+1, y+1, cellWidth-2, cellHeight-2, shade(share))
				f.write(x+cellWidth/2, y+16, fmt.Sprintf("%.0f", 100*share), middle, ink)
			}
		}
	}
	return f
}

// shade is the colour of a share: blue, white, orange, which the colour-blind tell apart.
func shade(share float64) color.RGBA {
	to := [3]float64{230, 145, 56}
	if share < 0.5 {
		to = [3]float64{111, 168, 220}
	}
	strength := math.Abs(2*share - 1)
	mix := func(i int) uint8 { return uint8(math.Round(255 + strength*(to[i]-255))) }
	return color.RGBA{mix(0), mix(1), mix(2), 255}
}
