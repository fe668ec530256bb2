package league

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/engine"
	"croupier/internal/texttable"
	"croupier/messages"
)

// Render writes the ladder as tables for people. Of the payoff matrix it shows how
// the best and the newest version fare against each other and against bots and
// solvers; all of it where there is no best. The game's figures have half the width of
// their intervals beside them.
func Render(w io.Writer, l *messages.Ladder) error {
	_, err := fmt.Fprintf(w, "%s: ratings in Elo\n%s\n", l.Game, ratingTable(l).Render())
	if payoff := payoffTable(l); err == nil && payoff.Length() > 0 {
		_, err = fmt.Fprintf(w, "\nOne agent among others of one kind\n%s\n", payoff.Render())
	}
	if err == nil && len(l.Figures) > 0 {
		_, err = fmt.Fprintf(w, "\nFigures of the game, with 95 %% intervals\n%s\n", figureTable(l).Render())
	}
	return err
}

func ratingTable(l *messages.Ladder) table.Writer {
	t := texttable.New(1, 3, 4, 5)
	t.AppendHeader(table.Row{"", "agent", "kind", "rating", "95 % interval", "games", ""})
	for i, a := range l.Agents {
		mark := ""
		if a.Best {
			mark = "best"
		}
		t.AppendRow(table.Row{
			i + 1, a.Name, a.Kind, fmt.Sprintf("%.0f", a.Rating), fmt.Sprintf("%.0f … %.0f", a.Low, a.High), a.Games, mark,
		})
	}
	return t
}

func payoffTable(l *messages.Ladder) table.Writer {
	newest := newestOf(l)
	all := !slices.ContainsFunc(l.Agents, func(a messages.LadderAgent) bool { return a.Best })
	rows, columns, versions := map[string]bool{}, map[string]bool{}, map[uint64]bool{}
	for _, a := range l.Agents {
		rows[a.Name] = all || a.Best || a.Name == newest
		if order, ok := memberOrder(a.Name); ok && rows[a.Name] {
			versions[order] = true
		}
	}
	for _, a := range l.Agents {
		order, _ := memberOrder(a.Name)
		columns[a.Name] = all || !isMember(a.Name) || versions[order]
	}
	t := texttable.New(2, 3, 4, 5, 6)
	t.AppendHeader(table.Row{"one", "among", "games", "share of wins", "95 % interval", "mean return", "95 % interval"})
	for _, p := range l.Payoff {
		if rows[p.A] && columns[p.B] {
			t.AppendRow(table.Row{
				p.A, p.B, p.Games, fmt.Sprintf("%.3f", p.ShareA), fmt.Sprintf("%.3f … %.3f", p.ShareLow, p.ShareHigh),
				fmt.Sprintf("%+.3f", p.MeanReturnA), fmt.Sprintf("%+.3f … %+.3f", p.Low, p.High),
			})
		}
	}
	return t
}

// figureTable has a column for each figure that some agent has.
func figureTable(l *messages.Ladder) table.Writer {
	shown := slices.DeleteFunc(slices.Clone(l.Figures), func(f engine.Figure) bool {
		return !slices.ContainsFunc(l.Agents, func(a messages.LadderAgent) bool { _, has := a.Figures[f.Name]; return has })
	})
	header, right := table.Row{"agent"}, make([]int, len(shown))
	for i, f := range shown {
		header, right[i] = append(header, f.Name), i+1
	}
	t := texttable.New(right...)
	t.AppendHeader(header)
	for _, a := range l.Agents {
		row := table.Row{a.Name}
		for _, f := range shown {
			cell := ""
			if i, has := a.Figures[f.Name]; has {
				cell = withHalf(i)
			}
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	return t
}

// withHalf writes a value and the larger half of its interval with as many decimals as
// leave the half two digits.
func withHalf(i messages.Interval) string {
	half := max(i.High-i.Value, i.Value-i.Low)
	decimals := 3
	if half > 0 {
		decimals = min(max(0, 1-int(math.Floor(math.Log10(half)))), 4)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, i.Value, decimals, half)
}

// newestOf returns the name of the member that joined last, as it plays its best; "" without
// members.
func newestOf(l *messages.Ladder) string {
	name, newest := "", uint64(0)
	for _, a := range l.Agents {
		order, ok := memberOrder(a.Name)
		_, _, sampled := messages.ParseMemberName(a.Name)
		if ok && (order > newest || order == newest && !sampled) {
			name, newest = a.Name, order
		}
	}
	return name
}
