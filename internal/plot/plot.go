// Package plot draws heat maps and curves as SVG and PNG files.
//
// A [Figure] is a list of shapes on a plane of points with the origin in the upper left corner, which
// [Figure.WriteSVG] and [Figure.WritePNG] render alike. [HeatMap] and [Curves] make
// figures. Text is limited to ASCII, which is all that the bitmap font has.
package plot

import "image/color"

// Figure is a drawing.
type Figure struct {
	Width, Height int // points; a PNG has pixelsPerPoint² pixels for each
	shapes        []shape
}

// shape is a rectangle, a polyline or a text.
type shape struct {
	kind          kind
	x, y          []float64 // corners; of a text, the middle of its base line (or its beginning or end)
	color         color.RGBA
	text          string
	anchor        anchor
	width, height float64
}

type kind uint8

const (
	rectangle kind = iota
	polyline
	label
)

// anchor is the part of a text that is at its place, in SVG's words.
type anchor string

const (
	begin  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

var (
	white = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{33, 37, 41, 255}
	faint = color.RGBA{206, 212, 218, 255}
)

// Size of the font, in points.
const (
	letterWidth  = 7
	letterHeight = 13
)

func newFigure(width, height int) *Figure {
	f := &Figure{Width: width, Height: height}
	f.rect(0, 0, float64(width), float64(height), white)
	return f
}

func (f *Figure) rect(x, y, width, height float64, c color.RGBA) {
	f.shapes = append(f.shapes, shape{kind: rectangle, x: []float64{x}, y: []float64{y}, width: width, height: height, color: c})
}

func (f *Figure) line(x, y []float64, c color.RGBA) {
	f.shapes = append(f.shapes, shape{kind: polyline, x: x, y: y, color: c})
}

func (f *Figure) write(x, y float64, text string, a anchor, c color.RGBA) {
	f.shapes = append(f.shapes, shape{kind: label, x: []float64{x}, y: []float64{y}, text: text, anchor: a, color: c})
}
