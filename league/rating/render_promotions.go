package rating

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
	"croupier/messages"
)

// promotionTable shows which agents became best, the last first, and what each gained. Where it is measured, the last
// column is what an opponent that knows the agent wins of it a game.
func promotionTable(l *messages.Ladder) table.Writer {
	t := texttable.New(2, 3, 4, 5, 6)
	header := table.Row{"best", "over", "trained", "sets of the gate", "gain", "95 % interval", "games"}
	measured := slices.ContainsFunc(l.Promotions, func(p messages.LadderPromotion) bool { return p.Exploitability != nil })
	if measured {
		t = texttable.New(2, 3, 4, 5, 6, 7)
		header = append(header, "exploitability")
	}
	t.AppendHeader(header)
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
		if measured {
			loss := ""
			if p.Exploitability != nil {
				loss = strconv.FormatFloat(*p.Exploitability, 'g', 3, 64)
			}
			row = append(row, loss)
		}
		t.AppendRow(row)
	}
	return t
}
