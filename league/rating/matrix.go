package rating

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"croupier/internal/plot"
	"croupier/messages"
)

// WriteCSV writes the payoff matrix of a ladder, a line for each two agents that have met: what one
// got per game alone among copies of the other, with its 95 % interval, and in games that are won or
// lost its share of the win.
func WriteCSV(w io.Writer, l *messages.Ladder) error {
	out := csv.NewWriter(w)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	lines := [][]string{{"one", "among", "games", "mean_return", "low", "high", "share", "share_low", "share_high"}}
	for _, p := range l.Payoff {
		line := []string{p.A, p.B, strconv.FormatUint(p.Games, 10), number(p.MeanReturnA), number(p.Low), number(p.High), "",
			"", ""}
		if s := p.WinShare; s != nil {
			copy(line[6:], []string{number(s.ShareA), number(s.ShareLow), number(s.ShareHigh)})
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

// Picture draws the payoff matrix of a ladder, in the order of its agents.
func Picture(l *messages.Ladder) *plot.Figure {
	place, most := map[string]int{}, 0.0
	m := plot.HeatMap{Title: l.Game + ": one agent among others", Across: "the others", Low: "all lost", High: "all won"}
	for i, a := range l.Agents {
		place[a.Name] = i
		m.Columns, m.Rows = append(m.Columns, a.Name), append(m.Rows, a.Name)
		row := make([]float64, len(l.Agents))
		for j := range row {
			row[j] = math.NaN()
		}
		m.Shares = append(m.Shares, row)
	}
	for _, p := range l.Payoff {
		most = max(most, math.Abs(p.MeanReturnA))
	}
	if l.Scale.Kind == messages.MoneyScale {
		m.Low, m.High = fmt.Sprintf("-%s %s", l.Scale.Write(most), l.Scale.Unit),
			fmt.Sprintf("+%s %s", l.Scale.Write(most), l.Scale.Unit)
	}
	for _, p := range l.Payoff {
		share := 0.5
		switch {
		case p.WinShare != nil:
			share = p.ShareA
		case most > 0:
			share = (1 + p.MeanReturnA/most) / 2
		}
		m.Shares[place[p.A]][place[p.B]] = share
	}
	return m.Figure()
}
