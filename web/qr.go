package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/skip2/go-qrcode"
)

// maxQRBytes is the longest text that is drawn as a code: a link to a table is shorter, and larger codes are
// hard for cameras.
const maxQRBytes = 300

// qrCode draws the text of the query as a code that phones read with their camera: an SVG of one unit a module.
func qrCode(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Query().Get("text")
	if text == "" || len(text) > maxQRBytes {
		http.Error(w, fmt.Sprintf("text must have 1 to %d bytes", maxQRBytes), http.StatusBadRequest)
		return
	}
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprint(w, drawModules(code.Bitmap()))
}

// drawModules draws the dark ones of a square of modules.
func drawModules(modules [][]bool) string {
	var path strings.Builder
	for y, row := range modules {
		for x, dark := range row {
			if dark {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="%[2]s"/></svg>`, len(modules), path.String())
}
