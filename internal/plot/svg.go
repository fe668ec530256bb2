package plot

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"strings"
)

// WriteSVG writes the figure as an SVG document.
func (f *Figure) WriteSVG(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="monospace" font-size="12">`+"\n",
		f.Width, f.Height, f.Width, f.Height)
	for _, s := range f.shapes {
		switch s.kind {
		case rectangle:
			fmt.Fprintf(&b, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>`, s.x[0], s.y[0], s.width, s.height, hex(s.color))
		case polyline:
			b.WriteString(`<polyline fill="none" stroke-width="1.5" stroke="` + hex(s.color) + `" points="`)
			for i := range s.x {
				fmt.Fprintf(&b, "%.2f,%.2f ", s.x[i], s.y[i])
			}
			b.WriteString(`"/>`)
		case label:
			fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="%s" fill="%s">%s</text>`, s.x[0], s.y[0], s.anchor, hex(s.color), html.EscapeString(s.text))
		}
		b.WriteByte('\n')
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
