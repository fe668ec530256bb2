package advice

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
)

// Render writes the answer for people.
func (a *Answer) Render(out io.Writer) error {
	if a.Text != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(a.Text))
	}
	header := table.Row{"action", a.Unit, "loss"}
	right := []int{1, 2}
	if !a.Exact {
		header, right = append(header, "95 % interval of the loss"), append(right, 3)
	}
	if a.Risk != "" {
		header, right = append(header, a.Risk), append(right, len(header))
	}
	t := texttable.New(right...)
	t.AppendHeader(header)
	digits := digitsFor(a)
	for _, entry := range a.Actions {
		name := entry.Name
		if entry.Action == a.Best {
			name += " *"
		}
		row := table.Row{name, fmt.Sprintf("%.*f", digits, entry.Value), fmt.Sprintf("%.*f", digits, entry.Loss)}
		if !a.Exact {
			row = append(row, fmt.Sprintf("%.*f .. %.*f", digits, entry.LossLow, digits, entry.LossHigh))
		}
		if entry.Risk != nil {
			row = append(row, fmt.Sprintf("%.1f %%", 100**entry.Risk))
		}
		t.AppendRow(row)
	}
	how := "exact"
	if !a.Exact {
		how = "estimated"
	}
	_, err := fmt.Fprintf(out, "%s\n\n%s\nAdvice of %s, %s.\n", t.Render(), a.Reason, a.Agent, how)
	for _, note := range a.Notes {
		fmt.Fprintf(out, "Note: %s.\n", note)
	}
	return err
}

// digitsFor returns the number of decimals that shows four digits of the largest value.
func digitsFor(a *Answer) int {
	largest := 0.0
	for _, entry := range a.Actions {
		largest = max(largest, math.Abs(entry.Value))
	}
	if largest == 0 {
		return 4
	}
	return max(0, min(4, 3-int(math.Floor(math.Log10(largest)))))
}

// Render writes the sums and at most top of the worst moments.
func (r *Report) Render(out io.Writer, top int) error {
	seats := texttable.New(0, 1, 2, 3, 4)
	seats.AppendHeader(table.Row{"seat", "decisions", "mistakes", "lost (" + r.Unit + ")", "a game"})
	for _, s := range r.Seats {
		seats.AppendRow(table.Row{s.Seat, s.Decisions, s.Mistakes,
			fmt.Sprintf("%.4f", s.Loss), fmt.Sprintf("%.4f", s.Loss/float64(r.Games))})
	}
	how := "exact"
	if !r.Exact {
		how = "estimated"
	}
	fmt.Fprintf(out, "%d games of %s, judged by %s (%s)\n\n%s\n", r.Games, r.Game, r.Agent, how, seats.Render())
	worst := slices.DeleteFunc(slices.Clone(r.Decisions), func(d Decision) bool { return d.Loss == 0 })
	slices.SortStableFunc(worst, func(a, b Decision) int { return cmp.Compare(b.Loss, a.Loss) })
	switch {
	case top == 0:
		return nil
	case len(worst) == 0:
		_, err := fmt.Fprintln(out, "\nNothing was lost.")
		return err
	}
	moments := texttable.New(0, 1, 2, 5, 6)
	moments.AppendHeader(table.Row{"game", "step", "seat", "played", "best", "loss", "95 % interval"})
	for _, d := range worst[:min(top, len(worst))] {
		moments.AppendRow(table.Row{d.GameIndex, d.Step, d.Seat, d.TakenName, d.BestName,
			fmt.Sprintf("%.4f", d.Loss), fmt.Sprintf("%.4f .. %.4f", d.LossLow, d.LossHigh)})
	}
	_, err := fmt.Fprintf(out, "\nThe worst moments (games and steps are counted from 0):\n\n%s\n", moments.Render())
	return err
}
