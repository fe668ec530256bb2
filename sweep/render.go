package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"croupier/internal/plural"
	"croupier/internal/texttable"
)

// Render prints the tables for people, with lines of at most width characters if that can be; 0: of any width.
func (t *Table) Render(out io.Writer, width int) error {
	better := "the greater, the better"
	if t.Smaller {
		better = "the smaller, the better"
	}
	fmt.Fprintf(out, "%s: %s; %s\n", t.Game, t.Objective, better)
	for i, r := range t.Rounds {
		what := fmt.Sprintf("Tuning %d", i+1)
		if r.Report {
			what = "Report"
		}
		fmt.Fprintf(out, "\n%s: %s for a run, %s from %d on, %d of %s played\n", what, t.length(r),
			plural.Of(len(r.Seeds), "seed"), r.Seeds[0], r.Played, plural.Of(r.Runs, "run"))
		fmt.Fprintln(out, r.text(width))
	}
	_, err := fmt.Fprint(out, t.verdict())
	return err
}

// length says for how long a run of a round trains.
func (t *Table) length(r TableRound) string {
	if t.Games > 0 {
		return plural.Of(t.Games, "training game")
	}
	return fmt.Sprintf("%v of processor time", time.Duration(r.Seconds*float64(time.Second)))
}

// verdict reports who has won, and what that is worth.
func (t *Table) verdict() string {
	switch {
	case t.Winner == "":
		return ""
	case len(t.Rounds) == 1 && len(t.Rounds[0].Rows) == 1:
		return "" // nothing was compared
	case len(t.Rounds) == 1:
		return fmt.Sprintf("\nThe best is %s. It was chosen by these very seeds, which flatters it; seeds.tuning sets some apart.\n", t.Winner)
	}
	return fmt.Sprintf("\nThe winner is %s.\n", t.Winner)
}

func (r TableRound) text(width int) string {
	table := texttable.New(1, 2, 3, 4, 5, 6, 7)
	table.AppendHeader([]any{"candidate", "IQM", "95 %", "to base", "95 %", "runs", "processor s", "games"})
	for _, row := range r.Rows {
		runs := strconv.Itoa(row.Runs)
		if row.Reached < row.Runs {
			runs += fmt.Sprintf(" (%d reached it)", row.Reached)
		}
		if row.Failed > 0 {
			runs += fmt.Sprintf(" (%d failed)", row.Failed)
		}
		value, interval := row.Value.words(false)
		difference, range_ := row.Difference.words(true)
		table.AppendRow([]any{
			row.Candidate, value, interval, difference, range_, runs, texttable.Number(row.Processor, 1),
			texttable.Number(row.Games, 0),
		})
	}
	return table.Fit(width, 7, 6, 5)
}

// words are the number and its interval for people.
func (e *Estimate) words(signed bool) (value, interval string) {
	if e == nil {
		return "", ""
	}
	write := func(v float64) string {
		text := strconv.FormatFloat(v, 'g', 4, 64)
		if signed && v > 0 {
			text = "+" + text
		}
		return text
	}
	if e.Low != nil && e.High != nil {
		interval = write(*e.Low) + " to " + write(*e.High)
	}
	return write(e.Value), interval
}

// WriteCSV writes all rows of all rounds.
func (t *Table) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	records := [][]string{{
		"round", "report", "budget_seconds", "candidate", "settings", "runs", "failed", "reached", "value", "low", "high",
		"difference", "difference_low", "difference_high", "processor_seconds", "games",
	}}
	for i, r := range t.Rounds {
		for _, row := range r.Rows {
			var set []string
			for _, s := range row.Settings {
				set = append(set, s.Name+"="+s.Value)
			}
			record := []string{
				strconv.Itoa(i + 1), strconv.FormatBool(r.Report), number(&r.Seconds), row.Candidate, strings.Join(set, " "),
				strconv.Itoa(row.Runs), strconv.Itoa(row.Failed), strconv.Itoa(row.Reached),
			}
			record = append(append(record, row.Value.fields()...), row.Difference.fields()...)
			records = append(records, append(record, number(&row.Processor), number(&row.Games)))
		}
	}
	return w.WriteAll(records)
}

func (e *Estimate) fields() []string {
	if e == nil {
		return []string{"", "", ""}
	}
	return []string{number(&e.Value), number(e.Low), number(e.High)}
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
