package sweep

import (
	"errors"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/internal/plot"
	"croupier/league/rating"
	"croupier/learner"
	"croupier/messages"
)

// wayUp is the part of the time, at the beginning, that a picture leaves out where its axis is not logarithmic:
// ratings come up from nothing there, and in what follows nothing could be distinguished next to that.
const wayUp = 0.1

// Picture draws the curves of the newest round with results over processor time ([File.Bands]), a line for each
// candidate, in a band as high as its interval.
func (f *File) Picture(results Results) (*plot.Figure, error) {
	bands := f.Bands(results)
	if len(bands) == 0 {
		return nil, errors.New("nothing to draw: no run with a curve is over")
	}
	place := func(b Band) int {
		return slices.IndexFunc(f.candidates, func(c Candidate) bool { return c.Name == b.Candidate })
	}
	// the same colours in sweeps of the same candidates
	slices.SortFunc(bands, func(a, b Band) int { return place(a) - place(b) })
	d := plot.Curves{
		Title: f.Game + ": " + shownOf(bands),
		X:     "processor time, s", Y: f.curveTitle(), LogY: f.Objective.falling() && positive(bands),
	}
	for _, b := range bands {
		c := plot.Curve{Name: b.Candidate}
		for _, p := range b.Points {
			if d.LogY || p[0] >= wayUp*b.Points[len(b.Points)-1][0] {
				c.X, c.Y = append(c.X, p[0]), append(c.Y, p[1])
				c.Low, c.High = append(c.Low, p[2]), append(c.High, p[3])
			}
		}
		d.Curves = append(d.Curves, c)
	}
	return d.Figure(), nil
}

// shownOf reports what the bands are. One run alone has no interval.
func shownOf(bands []Band) string {
	for _, b := range bands {
		if slices.ContainsFunc(b.Points, func(p [4]float64) bool { return p[2] < p[3] }) {
			return "interquartile means over the seeds, with 95 % intervals"
		}
	}
	return "means over the seeds, without intervals"
}

// positive reports whether curves fit on a logarithmic axis.
func positive(bands []Band) bool {
	return !slices.ContainsFunc(bands, func(b Band) bool {
		return slices.ContainsFunc(b.Points, func(p [4]float64) bool { return p[2] <= 0 })
	})
}

// curveTitle names the quantity of the curve and its unit.
func (f *File) curveTitle() string {
	spec := f.game.Spec()
	quantity, of, _ := strings.Cut(f.Objective.Curve, "/")
	perGame := ", " + messages.UnitPerGame(spec)
	switch {
	case quantity == Exploitability && of == "":
		return quantity + perGame
	case quantity == Exploitability:
		return quantity + " of the " + of + perGame
	case quantity == "rating":
		if spec.Payoff == engine.Money {
			return "rating of the " + of + " version" + perGame
		}
		return "rating of the " + of + " version, " + rating.Unit(spec)
	case quantity == "mean_return":
		return "mean return against " + of + perGame
	case quantity == "win_share":
		return "share of the win against " + of
	}
	list := learner.Series()
	if i := slices.IndexFunc(list, func(s messages.Series) bool { return s.Name == f.Objective.Curve }); i >= 0 {
		return list[i].Title + ", " + list[i].Unit
	}
	return f.Objective.Curve
}
