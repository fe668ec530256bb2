package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	game "croupier/engine/banluck"
	"croupier/internal/plot"
	"croupier/solver/banluck"
)

// writeBanluckCharts draws all charts into a directory, each as NAME.svg and NAME.png.
func writeBanluckCharts(dir string, study *banluck.Study) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--charts: %w", err)
	}
	figures := []namedFigure{
		{"player-equilibrium", strategyMap("The player in equilibrium", study.Equilibrium.PlayerChart())},
		{"convergence", convergence(study.Convergence)},
		{"ruin", ruinCurves(study)},
	}
	for cards := 2; cards <= game.MaxCards; cards++ {
		figures = append(figures, namedFigure{fmt.Sprintf("dealer-equilibrium-%d", cards),
			strategyMap(fmt.Sprintf("The dealer in equilibrium, against a player with %d cards", cards), study.Equilibrium.DealerChart(cards))})
	}
	for _, b := range study.Baselines {
		figures = append(figures, namedFigure{fmt.Sprintf("player-baseline-reveal-%s-surrender-%s", onOff(b.Dealer.Reveal), always(b.Dealer.Surrender)),
			strategyMap(fmt.Sprintf("The player against the fixed dealer, reveal %s, surrender %s", onOff(b.Dealer.Reveal), always(b.Dealer.Surrender)), b.Solution.PlayerChart())})
	}
	for _, f := range figures {
		for extension, write := range map[string]func(io.Writer) error{".svg": f.figure.WriteSVG, ".png": f.figure.WritePNG} {
			if err := writeOutput(filepath.Join(dir, f.name+extension), nil, write); err != nil {
				return fmt.Errorf("--charts: %w", err)
			}
		}
	}
	return nil
}

type namedFigure struct {
	name   string
	figure *plot.Figure
}

// strategyMap draws a chart by total, with a row for each number of cards and softness.
func strategyMap(title string, cells []banluck.Cell) *plot.Figure {
	m := &plot.HeatMap{Title: title, Across: "total of the hand", Low: "stand", High: "hit"}
	low, high := cells[0].Total, cells[0].Total
	for _, c := range cells {
		low, high = min(low, c.Total), max(high, c.Total)
	}
	for total := low; total <= high; total++ {
		m.Columns = append(m.Columns, strconv.Itoa(total))
	}
	for _, c := range cells {
		name := cellName(c)
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

func cellName(c banluck.Cell) string {
	if c.Soft {
		return fmt.Sprintf("%d cards, soft", c.Cards)
	}
	return fmt.Sprintf("%d cards, hard", c.Cards)
}

// convergence draws the exploitability of the average strategy.
func convergence(points []banluck.Point) *plot.Figure {
	const least = 1e-12 // rounding errors are below it
	curve := plot.Curve{Name: "average strategy"}
	for _, p := range points {
		curve.X = append(curve.X, float64(p.Iterations))
		curve.Y = append(curve.Y, max(p.Exploitability, least))
	}
	d := plot.Curves{Title: "Convergence of CFR+ (what is below 1e-12 is drawn there)", X: "iterations", Y: "exploitability, units a hand", LogX: true, LogY: true, Curves: []plot.Curve{curve}}
	return d.Figure()
}

// ruinRounds are the numbers of hands for which the risk of ruin is shown.
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
				continue // the curves would lie on one another
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
