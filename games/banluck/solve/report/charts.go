package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	banluck "croupier/games/banluck/solve"
	"croupier/internal/plot"
)

// Chart is a drawing and the name of its file, without extension.
type Chart struct {
	Name string
	*plot.Figure
}

// Charts draws the strategies of a study as heat maps, the convergence of the equilibrium and the risk of
// ruin.
func Charts(study *banluck.Study) []Chart {
	charts := []Chart{
		{"convergence", convergence(study.Convergence)},
		{"ruin", ruinCurves(study)},
	}
	for _, s := range strategies(study) {
		title := s.title
		if s.against > 0 {
			title += fmt.Sprintf(", against a player with %d cards", s.against)
		}
		charts = append(charts, Chart{s.file, strategyMap(title, s.cells)})
	}
	return charts
}

// strategyMap draws a chart by total, with a row for each number of cards and softness.
func strategyMap(title string, cells []banluck.Cell) *plot.Figure {
	m := &plot.HeatMap{Title: title, Across: "total of the hand", Low: "stand", High: "hit"}
	low, high := totals(cells)
	for total := low; total <= high; total++ {
		m.Columns = append(m.Columns, strconv.Itoa(total))
	}
	for _, c := range cells {
		name := fmt.Sprintf("%d cards, %s", c.Cards, softness(c))
		row := slices.Index(m.Rows, name)
		if row < 0 {
			row = len(m.Rows)
			m.Rows = append(m.Rows, name)
			m.Shares = append(m.Shares, slices.Repeat([]float64{math.NaN()}, len(m.Columns)))
		}
		m.Shares[row][c.Total-low] = c.Hits
	}
	return m.Figure()
}

// convergence draws the exploitability of the average strategy.
func convergence(points []banluck.Point) *plot.Figure {
	const least = 1e-12 // rounding errors are below it
	curve := plot.Curve{Name: "average strategy"}
	for _, p := range points {
		curve.X = append(curve.X, float64(p.Iterations))
		curve.Y = append(curve.Y, max(p.Exploitability, least))
	}
	d := plot.Curves{
		Title: "Convergence of CFR+ (values below 1e-12 are drawn there)",
		X:     "iterations", Y: "exploitability, units a hand", LogX: true, LogY: true, Curves: []plot.Curve{curve},
	}
	return d.Figure()
}

// ruinRounds lists the numbers of hands for which the risk of ruin is shown.
var ruinRounds = []int{100, 300, 1000}

// ruinCurves draws the risk of ruin by bankroll.
func ruinCurves(study *banluck.Study) *plot.Figure {
	d := plot.Curves{Title: "Risk of ruin in equilibrium", X: "bankroll, units", Y: "probability of losing it all"}
	for _, seat := range []struct {
		name    string
		results []banluck.Result
	}{{"player", study.Equilibrium.Results}, {"dealer", banluck.DealerResults(study.Equilibrium.Results)}} {
		for _, rounds := range ruinRounds {
			if seat.name == "dealer" && rounds < ruinRounds[len(ruinRounds)-1] {
				continue // the curves would coincide
			}
			curve := plot.Curve{Name: fmt.Sprintf("%s, %d hands", seat.name, rounds)}
			for bankroll := 5; bankroll <= 200; bankroll += 5 {
				curve.X = append(curve.X, float64(bankroll))
				curve.Y = append(curve.Y, banluck.Ruin(seat.results, bankroll, rounds))
			}
			d.Curves = append(d.Curves, curve)
		}
	}
	return d.Figure()
}
