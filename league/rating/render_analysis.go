package rating

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
	"croupier/messages"
)

// Render writes the analysis of a ladder for people, in lines of the width (0: no limit).
func (a *Analysis) Render(w io.Writer, l *messages.Ladder, width int) error {
	unit, write := "share of the win above parity", func(x float64) string { return fmt.Sprintf("%+.1f %%", 100*x) }
	if l.Scale.Kind == messages.MoneyScale {
		unit, write = l.Scale.Unit, l.Scale.Write
	}
	t := texttable.New(1, 2, 3, 4)
	t.AppendHeader(table.Row{"agent", "Nash", "95 % interval", "against it", "α-Rank"})
	for _, x := range a.Agents {
		t.AppendRow(table.Row{x.Name, fmt.Sprintf("%.3f", x.Nash), fmt.Sprintf("%.2f … %.2f", x.NashLow, x.NashHigh),
			write(x.Average), fmt.Sprintf("%.3f", x.AlphaRank)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the agents that would be chosen if everybody chose well\n%s\n", l.Game, t.Render())
	text := fmt.Sprintf("Nash: weight in the equilibrium of choosing an agent; copies share theirs. against it: %s against that equilibrium. "+
		"α-Rank: share of the time in the long run of evolution.\n", unit)
	if len(a.LeftOut) > 0 {
		text += fmt.Sprintf("%d agents are left out that have not met all of these: %s\n", len(a.LeftOut),
			strings.Join(a.LeftOut, ", "))
	}
	text += fmt.Sprintf("The ratings explain %.0f %% of what there is beyond chance in the results.\n", 100*a.Explained)
	if len(a.Cycles) == 0 {
		text += "No three agents beat one another in a circle, beyond chance.\n"
	}
	b.WriteString(texttable.Wrap(text, width))
	for _, c := range a.Cycles {
		fmt.Fprintf(&b, "circle: %s beats %s (%s), which beats %s (%s), which beats %s (%s)\n", c.Agents[0], c.Agents[1],
			write(c.Gains[0]),
			c.Agents[2], write(c.Gains[1]), c.Agents[0], write(c.Gains[2]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
