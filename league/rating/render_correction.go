package rating

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
	"croupier/messages"
)

// correctionTable has a row for each pair: what the first got per game, as it was and corrected.
func correctionTable(l *messages.Ladder) *texttable.Table {
	decimals := max(3, l.Scale.Decimals)
	t := texttable.New(2, 3, 4, 5, 6, 7)
	t.AppendHeader(table.Row{"one", "other", "games", "return", "±", "corrected", "±", "variance left"})
	for _, p := range l.Correction.Pairs {
		row := table.Row{p.A, p.B, p.Games}
		for _, i := range []messages.Interval{p.Plain, p.Corrected} {
			row = append(row, fmt.Sprintf("%+.*f", decimals, i.Value), fmt.Sprintf("%.*f", decimals, (i.High-i.Low)/2))
		}
		t.AppendRow(append(row, fmt.Sprintf("%.1f %%", 100*p.VarianceLeft)))
	}
	return t
}
