//go:build screenshots

package cli

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// The moving picture: how often a training of this length is photographed, how long each picture is shown, and how long
// the last one of the training and the last of all, in hundredths of a second.
const (
	filmed     = 50 * time.Second
	filmEvery  = 2 * time.Second
	frameShown = 25
	restShown  = 200
)

// TestScreenshotsThatMove makes the moving picture of README.md: the page of a training of BANK! from its first seconds
// to its end, and the table to which its first link leads.
func TestScreenshotsThatMove(t *testing.T) {
	out, end := begun(t, "train", "bank", "--for", filmed.String(), "--run", filepath.Join(t.TempDir(), "evening"),
		"--listen", "127.0.0.1:0", "--keep-page")
	out.await(t, pageAddress)
	b := webtest.NewBrowser(t, 1120, 830)
	b.Scheme("light")
	b.Do(chromedp.Navigate(pageOf(out) + "/"))
	var f film
	began := time.Now()
	for time.Since(began) < filmed {
		f.add(t, b, frameShown)
		time.Sleep(filmEvery)
	}
	const link = `document.querySelector('a[href^="/play"]:not(nav a)')`
	b.Until(`document.body.textContent.includes("Training ended") && ` + link + ` !== null`)
	b.Still()
	f.add(t, b, restShown)
	require.True(t, webtest.Evaluate[bool](b, `(`+link+`.focus(), true)`))
	f.add(t, b, restShown/3)
	require.True(t, webtest.Evaluate[bool](b, `(`+link+`.click(), true)`))
	b.Until(`document.querySelectorAll("#seats li").length === 3`)
	b.Click("#sit-down")
	b.Until(`document.getElementById("turn").textContent.startsWith("Your turn")`)
	require.True(t, webtest.Evaluate[bool](b, `(scrollTo(0, 0), true)`))
	b.Still()
	f.add(t, b, restShown)
	require.Zero(t, end(), out)
	var written bytes.Buffer
	require.NoError(t, gif.EncodeAll(&written, f.encoded()))
	require.Less(t, written.Len(), 1_500_000)
	require.NoError(t, os.WriteFile(filepath.Join(pictures, "training.gif"), written.Bytes(), 0o644))
}

// film is a row of pictures of one size, each with the time for which it is shown, in hundredths of a second.
type film struct {
	pictures []*image.RGBA
	shown    []int
}

// add photographs what the window shows. A picture that is the same as the one before is shown for longer.
func (f *film) add(t *testing.T, b *webtest.Browser, shown int) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(b.Picture()))
	require.NoError(t, err)
	picture := image.NewRGBA(decoded.Bounds())
	draw.Draw(picture, picture.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	if last := len(f.pictures) - 1; last >= 0 && bytes.Equal(f.pictures[last].Pix, picture.Pix) {
		f.shown[last] += shown
		return
	}
	f.pictures, f.shown = append(f.pictures, picture), append(f.shown, shown)
}

// encoded returns the film as a GIF that begins again after its end. Of each picture but the first it has the part that
// differs from the one before.
func (f *film) encoded() *gif.GIF {
	colours := newColours(f.pictures)
	out := &gif.GIF{Delay: f.shown}
	var before *image.RGBA
	for _, picture := range f.pictures {
		out.Image = append(out.Image, colours.difference(picture, before))
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = picture
	}
	return out
}

// colours are those of a film: the most frequent ones that do not look alike and, last, the transparent one. Others
// become the nearest.
type colours struct {
	palette color.Palette
	index   map[color.RGBA]uint8
}

func newColours(pictures []*image.RGBA) *colours {
	counts := map[color.RGBA]int{}
	for _, p := range pictures {
		for y := range p.Rect.Dy() {
			for x := range p.Rect.Dx() {
				counts[p.RGBAAt(x, y)]++
			}
		}
	}
	found := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	c := &colours{index: map[color.RGBA]uint8{}}
	for _, each := range found {
		alike := func(other color.Color) bool { return near(each, other) }
		if len(c.palette) < 255 && !slices.ContainsFunc(c.palette, alike) {
			c.palette = append(c.palette, each)
		}
	}
	for _, each := range found {
		c.index[each] = uint8(c.palette.Index(each))
	}
	c.palette = append(c.palette, color.RGBA{})
	return c
}

// near reports whether two colours look alike.
func near(a, b color.Color) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return max(absolute(r1, r2), absolute(g1, g2), absolute(b1, b2)) < 6<<8
}

func absolute(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// difference returns the smallest part of a picture outside which nothing differs from the one before. What is the same
// within it is transparent.
func (c *colours) difference(picture, before *image.RGBA) *image.Paletted {
	same := func(x, y int) bool { return before != nil && picture.RGBAAt(x, y) == before.RGBAAt(x, y) }
	var part image.Rectangle
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			if !same(x, y) {
				part = part.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	out := image.NewPaletted(part, c.palette)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			index := uint8(len(c.palette) - 1)
			if !same(x, y) {
				index = c.index[picture.RGBAAt(x, y)]
			}
			out.SetColorIndex(x, y, index)
		}
	}
	return out
}
