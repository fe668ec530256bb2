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
	_, err := fmt.Fprintf(w, "%s: ratings in %s; 0 is %s\n%s\n%s", l.Game, l.Scale.Unit, l.Scale.Zero, ratingTable(l).Render(), notes(l))
	if err == nil && len(l.Promotions) > 0 {
		_, err = fmt.Fprintf(w, "\nWho became best, and the gain in %s, measured after the decision\n%s\n", l.Scale.Unit, promotionTable(l).Render())
	}
	if g := l.Gate; err == nil && g != nil {
		_, err = fmt.Fprintf(w, "\n%s is at the gate: %d of at most %d sets\n", g.Agent, g.Sets, g.MaxSets)
	}
	if payoff := payoffTable(l); err == nil && payoff.Length() > 0 {
		_, err = fmt.Fprintf(w, "\nOne agent among others of one kind\n%s\n", payoff.Render())
	}
	if err == nil && len(l.Figures) > 0 {
		_, err = fmt.Fprintf(w, "\nFigures of the game, with 95 %% intervals\n%s\n%s", figureTable(l).Render(), figureNotes(l))
	}
	return err
}

// notes explain the columns that need it.
func notes(l *messages.Ladder) string {
	text := ""
	if l.Scale.UnitMeaning != "" {
		text += l.Scale.UnitMeaning + ".\n"
	}
	if l.Scale.Kind == messages.MoneyScale && len(l.Agents) > 0 {
		text += "The difference of two ratings says what the one wins per game alone among copies of the other.\n"
	}
	if slices.ContainsFunc(l.Agents, func(a messages.LadderAgent) bool { return a.Places.First > 0 }) {
		text += "place: which places the differences of the ratings leave open (95 %).\n"
	}
	if slices.ContainsFunc(l.Payoff, func(p messages.Payoff) bool { return p.Off }) {
		text += "Games of two agents marked ≠ below came out otherwise than their ratings say, beyond chance: one number for each\n" +
			"agent cannot tell who beats whom there, and places follow from games against all.\n"
	}
	return text
}

// ratingTable has columns for the differences that some agent has.
func ratingTable(l *messages.Ladder) table.Writer {
	difference := func(d *messages.Interval) any {
		if d == nil {
			return ""
		}
		return l.Scale.WriteDifference(*d)
	}
	header, best, previous := table.Row{"place", "agent", "kind", "rating", "95 % interval", "games"}, false, false
	for _, a := range l.Agents {
		best, previous = best || a.ToBest != nil, previous || a.ToPrevious != nil
	}
	if best {
		header = append(header, "to the best")
	}
	if previous {
		header = append(header, "to the one before")
	}
	t := texttable.New(0, 3, 4, 5, 6, 7)
	t.AppendHeader(append(header, ""))
	for _, a := range l.Agents {
		interval := l.Scale.Write(a.Low) + " … " + l.Scale.Write(a.High)
		if a.Name == l.Scale.Zero {
			interval = "" // 0 by definition
		}
		row := table.Row{a.Places, a.Name, a.Kind, l.Scale.Write(a.Rating), interval, a.Games}
		if best {
			row = append(row, difference(a.ToBest))
		}
		if previous {
			row = append(row, difference(a.ToPrevious))
		}
		if a.Best {
			row = append(row, "best")
		}
		t.AppendRow(row)
	}
	return t
}

// payoffTable shows shares of the win; in games for money, mean returns.
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
	result := "share of the win"
	if l.Scale.Kind == messages.MoneyScale {
		result = l.Scale.Unit
	}
	t := texttable.New(2, 3, 4, 5)
	t.AppendHeader(table.Row{"one", "among", "games", result, "95 % interval", "by the ratings"})
	for _, p := range l.Payoff {
		if rows[p.A] && columns[p.B] {
			t.AppendRow(append(table.Row{p.A, p.B, p.Games}, payoffCells(l.Scale, p)...))
		}
	}
	return t
}

// payoffCells writes an entry of the payoff matrix, its interval and what the ratings say.
func payoffCells(s messages.Scale, p messages.Payoff) []any {
	off := ""
	if p.Off {
		off = "≠ "
	}
	if s.Kind == messages.MoneyScale || p.WinShare == nil {
		return []any{s.Write(p.MeanReturnA), s.Write(p.Low) + " … " + s.Write(p.High), off + s.Write(p.Rated)}
	}
	return []any{fmt.Sprintf("%.1f %%", 100*p.ShareA), fmt.Sprintf("%.1f … %.1f %%", 100*p.ShareLow, 100*p.ShareHigh),
		fmt.Sprintf("%s%.1f %%", off, 100*p.Rated)}
}

// shownFigures are those that some agent has.
func shownFigures(l *messages.Ladder) []engine.Figure {
	return slices.DeleteFunc(slices.Clone(l.Figures), func(f engine.Figure) bool {
		return !slices.ContainsFunc(l.Agents, func(a messages.LadderAgent) bool { _, has := a.Figures[f.Name]; return has })
	})
}

// figureNotes say what the figures are, and in which unit.
func figureNotes(l *messages.Ladder) string {
	text := ""
	for _, f := range shownFigures(l) {
		text += fmt.Sprintf("%s: %s per %s; %s\n", f.Name, f.Unit, f.Per, f.Help)
	}
	return text
}

// figureTable has a column for each figure that some agent has.
func figureTable(l *messages.Ladder) table.Writer {
	shown := shownFigures(l)
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
