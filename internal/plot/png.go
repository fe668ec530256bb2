package plot

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// pixelsPerPoint makes text legible on dense screens.
const pixelsPerPoint = 2

// WritePNG writes the figure as a PNG image.
func (f *Figure) WritePNG(w io.Writer) error {
	img := image.NewRGBA(image.Rect(0, 0, f.Width*pixelsPerPoint, f.Height*pixelsPerPoint))
	for _, s := range f.shapes {
		switch s.kind {
		case rectangle:
			fill(img, s.x[0], s.y[0], s.width, s.height, s.color)
		case polyline:
			for i := 1; i < len(s.x); i++ {
				segment(img, s.x[i-1], s.y[i-1], s.x[i], s.y[i], s.color)
			}
		case label:
			text(img, s)
		}
	}
	return png.Encode(w, img)
}

// fill fills a rectangle given in points.
func fill(img *image.RGBA, x, y, width, height float64, c color.RGBA) {
	pixel := func(v float64) int { return int(math.Round(v * pixelsPerPoint)) }
	draw.Draw(img, image.Rect(pixel(x), pixel(y), pixel(x+width), pixel(y+height)), image.NewUniform(c), image.Point{}, draw.Src)
}

// segment draws a line as a row of dots that touch.
func segment(img *image.RGBA, x1, y1, x2, y2 float64, c color.RGBA) {
	const dot = 1.5
	steps := int(math.Ceil(pixelsPerPoint*max(math.Abs(x2-x1), math.Abs(y2-y1)))) + 1
	for i := range steps + 1 {
		t := float64(i) / float64(steps)
		fill(img, x1+t*(x2-x1)-dot/2, y1+t*(y2-y1)-dot/2, dot, dot, c)
	}
}

// text draws the bitmap font, each of its pixels as a point.
func text(img *image.RGBA, s shape) {
	face := basicfont.Face7x13
	small := image.NewAlpha(image.Rect(0, 0, len(s.text)*letterWidth, letterHeight))
	d := font.Drawer{Dst: small, Src: image.Opaque, Face: face, Dot: fixed.P(0, face.Ascent)}
	d.DrawString(s.text)
	left := s.x[0]
	switch s.anchor {
	case middle:
		left -= float64(small.Rect.Dx()) / 2
	case end:
		left -= float64(small.Rect.Dx())
	}
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			if small.AlphaAt(x, y).A > 0 {
				fill(img, math.Round(left)+float64(x), math.Round(s.y[0])-float64(face.Ascent)+float64(y)+1, 1, 1, s.color)
			}
		}
	}
}
