package rating

import (
	"cmp"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
	"croupier/messages"
)

// promotionTable shows who became best, the last first, and what it gained.
func promotionTable(l *messages.Ladder) table.Writer {
	t := texttable.New(2, 3, 4, 5, 6)
	t.AppendHeader(table.Row{"best", "over", "trained", "sets of the gate", "gain", "95 % interval", "games"})
	for i := len(l.Promotions) - 1; i >= 0; i-- {
		p := l.Promotions[i]
		trained := time.Duration(p.Seconds * float64(time.Second)).Round(time.Second)
		row := table.Row{p.Agent, cmp.Or(p.Over, "nobody"), trained, "", "", "", ""}
		if p.GateSets > 0 {
			row[3] = p.GateSets
		}
		if g := p.Gain; g != nil {
			row[4], row[5], row[6] = l.Scale.Write(g.Value), l.Scale.Write(g.Low)+" … "+l.Scale.Write(g.High), g.Games
			if g.Unbounded() {
				row[4], row[5] = "> "+l.Scale.Write(g.Low), ""
			}
		}
		t.AppendRow(row)
	}
	return t
}
