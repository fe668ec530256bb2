// Package plot draws heat maps and curves as SVG and PNG files, in the words of those who want one: a
// [HeatMap] and [Curves] are data with names, and their [Figure] writes itself.
//
// Package gonum.org/v1/plot draws. What is set here is what its defaults leave open: margins, round numbers
// on the axes, colours that the colour-blind distinguish. The same data give the same bytes on the same kind of
// machine.
package plot

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a drawing. It is for one goroutine at a time.
type Figure struct {
	plot          *plot.Plot
	width, height vg.Length
}

// Sizes in points; a PNG has pixelsPerPoint² pixels for each.
const (
	margin         = 16
	pixelsPerPoint = 2
	titleSize      = 13
	textSize       = 11
)

// darkStyle makes an SVG document dark where people like that.
const darkStyle = "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.9) hue-rotate(180deg) } }</style>\n"

var (
	ink   = color.RGBA{33, 37, 41, 255}
	faint = color.RGBA{206, 212, 218, 255}
)

// newPlot returns an empty diagram in the style of all.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the figure has one, also in its margins
	p.Title.Text, p.Title.Padding = title, margin/2
	p.X.Label.Text, p.Y.Label.Text = x, y
	style(&p.Title.TextStyle, titleSize)
	style(&p.Legend.TextStyle, textSize)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle.Color, a.Tick.Color = faint, faint
		style(&a.Label.TextStyle, textSize)
		style(&a.Tick.Label, textSize)
		a.Label.Padding = margin / 4
	}
	p.Y.Tick.Label.YAlign = text.YCenter - 0.15 // the library puts them a little too high
	return p
}

func style(s *text.Style, size vg.Length) {
	s.Color = ink
	s.Font = font.Font{Typeface: "Liberation", Variant: "Mono", Size: size}
}

// draw draws the figure within its margins.
func (f *Figure) draw(canvas vg.CanvasSizer) {
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	f.plot.Draw(draw.Crop(c, margin, -margin, margin, -margin))
}

// WritePNG writes the figure as a PNG image.
func (f *Figure) WritePNG(w io.Writer) error {
	const pointsPerInch = 72
	size, density := vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pixelsPerPoint*pointsPerInch)
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(size, density)}
	f.draw(canvas)
	_, err := canvas.WriteTo(w)
	return err
}

// WriteSVG writes the figure as an SVG document. It names the font and does not hold it: where Liberation Mono is not
// installed, another monospaced one takes its place, whose letters are as wide. Where people like dark pages, light
// and dark change places, and hues stay.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := vgsvg.New(f.width, f.height)
	f.draw(canvas)
	var document bytes.Buffer
	if _, err := canvas.WriteTo(&document); err != nil {
		return err
	}
	const family = "font-family:Liberation Mono"
	themed := bytes.Replace(document.Bytes(), []byte("<g"), []byte(darkStyle+"<g"), 1)
	_, err := w.Write(bytes.ReplaceAll(themed, []byte(family), []byte(family+",monospace")))
	return err
}
