package advice

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/plural"
	"croupier/internal/texttable"
)

// Render writes the answer for people.
func (a *Answer) Render(out io.Writer) error {
	if a.Text != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(a.Text))
	}
	if a.Line != "" {
		fmt.Fprintf(out, "Position: %s\n\n", a.Line)
	}
	header := table.Row{"action", a.Unit, "loss"}
	if !a.Exact {
		header = append(header, "95 % interval of the loss")
	}
	mixing, risky := a.mixing(), a.risky()
	if mixing {
		header = append(header, "played")
	}
	if risky {
		header = append(header, a.Risk)
	}
	var right []int
	for i := range header[1:] {
		right = append(right, i+1)
	}
	t := texttable.New(right...)
	t.AppendHeader(header)
	for i := range a.Actions {
		t.AppendRow(a.row(&a.Actions[i], mixing, risky))
	}
	fmt.Fprintf(out, "%s\n\n%s\nAdvice of %s, %s.\n", t.Render(), a.Reason, a.Agent, how(a.Exact))
	if a.UnitMeaning != "" {
		fmt.Fprintf(out, "%s.\n", a.UnitMeaning)
	}
	for _, note := range a.Notes {
		fmt.Fprintf(out, "Note: %s.\n", note)
	}
	return nil
}

// row describes an action. A loss that is below 0 by chance is shown as none.
func (a *Answer) row(entry *Action, mixing, risky bool) table.Row {
	name := entry.Name
	if entry.Action == a.Best {
		name += " *"
	}
	row := table.Row{name, a.number(entry.Value), a.number(max(0, entry.Loss))}
	if !a.Exact {
		row = append(row, a.number(max(0, entry.LossLow))+" .. "+a.number(max(0, entry.LossHigh)))
	}
	if mixing {
		row = append(row, percent(*entry.Frequency))
	}
	if risky {
		row = append(row, percent(*entry.Risk))
	}
	return row
}

func how(exact bool) string {
	if exact {
		return "exact"
	}
	return "estimated"
}

// digits are the decimals of losses in a review: of coins people want few.
func (r *Report) digits() int {
	if r.coins {
		return 1
	}
	return 4
}

func (r *Report) lost(v float64) string { return decimal(max(0, v), r.digits()) }

// Render writes how the seats decided and at most top of the worst moments.
func (r *Report) Render(out io.Writer, top int) error {
	header := table.Row{"seat", "decisions", "mistakes", "lost per decision (" + r.Unit + ")", "accuracy"}
	if !r.Exact {
		header = append(header, "95 % interval of the loss")
	}
	seats := texttable.New(0, 1, 2, 3, 4, 5)
	seats.AppendHeader(header)
	for _, s := range r.Seats {
		row := table.Row{
			s.Seat + 1, s.Decisions, s.Mistakes, decimal(s.LossPerDecision, r.digits()), decimal(s.Accuracy, 1),
		}
		if !r.Exact {
			row = append(row, decimal(s.LossLow, r.digits())+" .. "+decimal(s.LossHigh, r.digits()))
		}
		seats.AppendRow(row)
	}
	fmt.Fprintf(out, "%s of %s, judged by %s (%s)\n\n%s\n", plural.Of(r.Games, "game"), r.Game, r.Agent, how(r.Exact),
		seats.Render())
	if r.UnitMeaning != "" {
		fmt.Fprintf(out, "%s.\n", r.UnitMeaning)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(out, "Note: %s.\n", note)
	}
	return r.moments(out, top)
}

// moments writes the decisions that lost most, mistakes before those that may have lost nothing.
func (r *Report) moments(out io.Writer, top int) error {
	worst := slices.DeleteFunc(slices.Clone(r.Decisions), func(d Decision) bool { return d.Loss <= 0 })
	slices.SortStableFunc(worst, func(a, b Decision) int {
		if a.Mistake != b.Mistake {
			if a.Mistake {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Loss, a.Loss)
	})
	switch {
	case top == 0:
		return nil
	case len(worst) == 0:
		_, err := fmt.Fprintln(out, "\nNothing was lost.")
		return err
	}
	moments := texttable.New(0, 1, 2, 5, 6)
	moments.AppendHeader(table.Row{"game", "step", "seat", "played", "best", "loss", "95 % interval", "mistake"})
	for _, d := range worst[:min(top, len(worst))] {
		mistake := ""
		if d.Mistake {
			mistake = "yes"
		}
		moments.AppendRow(table.Row{d.GameIndex, d.Step, d.Seat + 1, d.TakenName, d.BestName,
			r.lost(d.Loss), r.lost(d.LossLow) + " .. " + r.lost(d.LossHigh), mistake})
	}
	_, err := fmt.Fprintf(out, "\nThe worst moments (games and steps are counted from 0):\n\n%s\n", moments.Render())
	return err
}
