package web

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Contrasts that WCAG 2.2 asks for: of text (1.4.3, level AA) and of lines and marks (1.4.11).
const (
	textContrast = 4.5
	lineContrast = 3.0
)

// surfaces are what text and lines stand on.
var surfaces = []string{"page", "card", "table"}

// Every colour of text and every colour of a line can be distinguished from its background, in both themes.
func TestContrast(t *testing.T) {
	themes := tokens(t)
	for theme, colors := range themes {
		check := func(ink, ground string, least float64) {
			a, found := colors[ink]
			require.True(t, found, ink)
			b, found := colors[ground]
			require.True(t, found, ground)
			require.GreaterOrEqual(t, contrast(a, b), least, "%s: --%s %s on --%s %s", theme, ink, a, ground, b)
		}
		for _, ground := range surfaces {
			for _, ink := range []string{"ink", "soft", "accent", "bad", "gained", "lost", "unknown"} {
				check(ink, ground, textContrast)
			}
			for i := range 8 {
				check("color-"+strconv.Itoa(i), ground, lineContrast)
			}
		}
		for _, ink := range []string{"card-ink", "suit-spades", "suit-hearts", "suit-diamonds", "suit-clubs"} {
			check(ink, "card-face", textContrast)
		}
		check("accent", "accent-soft", textContrast)
		check("ink", "accent-soft", textContrast)
		check("ink", "won", textContrast)
		check("ink", "conceded", textContrast)
		check("card", "accent", textContrast) // what is on the button that sends
		check("bad", "bad-soft", textContrast)
		check("card-back", "table", lineContrast)
	}
}

var (
	declared   = regexp.MustCompile(`--([a-z0-9-]+): ((?:light-dark\([^)]*\))|#[0-9a-f]{6})`)
	hexColor   = regexp.MustCompile(`#[0-9a-f]{6}`)
	fourColors = regexp.MustCompile(`\[data-suits="four"\] \{([^}]*)\}`)
)

// tokens returns the colours that app.css declares, by theme and name. Those of the suits in four colours are
// themes of their own.
func tokens(t *testing.T) map[string]map[string]string {
	css, err := files.ReadFile("assets/app.css")
	require.NoError(t, err)
	four := fourColors.FindStringSubmatch(string(css))
	require.NotNil(t, four)
	themes := map[string]map[string]string{}
	for i, theme := range []string{"light", "dark"} {
		plain, colored := map[string]string{}, map[string]string{}
		read := func(text string, into ...map[string]string) {
			for _, d := range declared.FindAllStringSubmatch(text, -1) {
				values := hexColor.FindAllString(d[2], -1)
				for _, colors := range into {
					colors[d[1]] = values[min(i, len(values)-1)]
				}
			}
		}
		read(strings.Replace(string(css), four[0], "", 1), plain, colored)
		read(four[1], colored)
		themes[theme], themes[theme+", four colours"] = plain, colored
	}
	return themes
}

// contrast is the contrast ratio of WCAG 2.2 between two colours, from 1 to 21.
func contrast(a, b string) float64 {
	brighter, darker := luminance(a), luminance(b)
	if brighter < darker {
		brighter, darker = darker, brighter
	}
	return (brighter + 0.05) / (darker + 0.05)
}

// luminance is the relative luminance of WCAG 2.2 of a colour like #0f766e, from 0 to 1.
func luminance(color string) float64 {
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(fmt.Sprintf("%q is not a colour", color))
		}
		v := float64(part) / 255
		if v <= 0.04045 {
			sum += weight * v / 12.92
		} else {
			sum += weight * math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return sum
}
