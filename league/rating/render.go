package rating

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/engine"
	"croupier/internal/texttable"
	"croupier/messages"
)

// Style reports how a ladder is written for people.
type Style struct {
	Width   int  // of a line, in characters; 0: no limit
	Figures bool // with the game's own figures
}

// Render writes the ladder as tables for people; where they would be wider than lines may be,
// columns are left out. Of the payoff matrix it shows how the best and the newest version fare
// against each other and against bots and solvers; all of it where there is no best. The game's
// figures have half the width of their intervals next to them.
func Render(w io.Writer, l *messages.Ladder, style Style) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ratings in %s; 0 is %s\n%s\n%s", l.Game, l.Scale.Unit, l.Scale.Zero, ratingTable(l, style.Width),
		texttable.Wrap(notes(l), style.Width))
	if len(l.Promotions) > 0 {
		head := fmt.Sprintf("\nAgents that became best, and the gain in %s, measured after the decision\n", l.Scale.Unit)
		fmt.Fprintf(&b, "%s%s\n", texttable.Wrap(head, style.Width), promotionTable(l).Render())
	}
	if g := l.Gate; g != nil {
		fmt.Fprintf(&b, "\n%s is at the gate: %d of at most %d sets\n", g.Agent, g.Sets, g.MaxSets)
	}
	for _, r := range l.Resets {
		fmt.Fprintf(&b, "\n%s", texttable.Wrap(r.String()+"\n", style.Width))
	}
	if l.HeldBack != nil {
		fmt.Fprintf(&b, "\n%s", texttable.Wrap(l.HeldBack.String()+"\n", style.Width))
	}
	if l.Test != nil {
		fmt.Fprintf(&b, "\n%s", texttable.Wrap(verdictText(l.Test), style.Width))
	}
	if len(l.Rounds) > 0 {
		fmt.Fprintf(&b, "\nPoints, and by round: + won, = level, - lost, against whose place in this table\n%s\n",
			roundsTable(l).Render())
	}
	if payoff := payoffTable(l); payoff.Length() > 0 {
		fmt.Fprintf(&b, "\nOne agent among others of one kind\n%s\n", payoff.Fit(style.Width, 2, 5))
	}
	if tables := TablesText(l, style.Width); tables != "" {
		fmt.Fprintf(&b, "\nAt other tables, alone among copies of the strongest bot\n%s", tables)
	}
	if c := l.Correction; c != nil {
		head := fmt.Sprintf("\nReturn of one per game in its games with the other, and the same corrected for chance by the values of %s "+
			"(both estimate one mean; ± 95 %%)\n", c.Baseline)
		fmt.Fprintf(&b, "%s%s\n", texttable.Wrap(head, style.Width), correctionTable(l).Render())
	}
	if style.Figures && len(shownFigures(l)) > 0 {
		fmt.Fprintf(&b, "\nFigures of the game, with 95 %% intervals\n%s%s", figureTables(l, style.Width),
			texttable.Wrap(figureNotes(l), style.Width))
	}
	_, err := io.WriteString(w, b.String())
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
		text += "place: possible ranks at 95 % confidence.\n"
	}
	if slices.ContainsFunc(l.Payoff, func(p messages.Payoff) bool { return p.Off }) {
		text += "Games of two agents marked ≠ below came out otherwise than their ratings say, beyond chance: one number for each\n" +
			"agent cannot tell who beats whom there, and places follow from games against all.\n"
	}
	return text
}

// ratingTable has columns for the differences that some agent has. Kinds, games and differences
// are what it can do without.
func ratingTable(l *messages.Ladder, width int) string {
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
		kind := a.Kind
		if a.Role != "" {
			kind = strings.ReplaceAll(a.Role, "_", " ")
		}
		row := table.Row{a.Places, a.Name, kind, l.Scale.Write(a.Rating), interval, a.Games}
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
	optional := []int{2, 5}
	for column := len(header) - 1; column > 5; column-- {
		optional = append(optional, column)
	}
	return t.Fit(width, optional...)
}

// payoffTable shows shares of the win; in games for money, mean returns.
func payoffTable(l *messages.Ladder) *texttable.Table {
	newest := Newest(l)
	all := !slices.ContainsFunc(l.Agents, func(a messages.LadderAgent) bool { return a.Best })
	rows, columns, versions := map[string]bool{}, map[string]bool{}, map[uint64]bool{}
	for _, a := range l.Agents {
		rows[a.Name] = all || a.Best || a.Name == newest
		if order, ok := MemberOrder(a.Name); ok && rows[a.Name] {
			versions[order] = true
		}
	}
	for _, a := range l.Agents {
		order, _ := MemberOrder(a.Name)
		columns[a.Name] = all || !IsMember(a.Name) || versions[order]
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

// figureTables has a column for each figure that some agent has, in as many tables below each
// other as the width demands.
func figureTables(l *messages.Ladder, width int) string {
	all, text := shownFigures(l), ""
	for len(all) > 0 {
		some := len(all)
		table := figureTable(l, all)
		for width > 0 && some > 1 && table.Width() > width {
			some--
			table = figureTable(l, all[:some])
		}
		text += table.Render() + "\n"
		all = all[some:]
	}
	return text
}

func figureTable(l *messages.Ladder, shown []engine.Figure) *texttable.Table {
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
