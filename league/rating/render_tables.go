package rating

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
	"croupier/messages"
)

// TablesText lists the other tables at which a run's versions are measured, with the newest result of each; "" without
// any.
func TablesText(l *messages.Ladder, width int) string {
	if len(l.Tables) == 0 {
		return ""
	}
	t := texttable.New(1, 4, 5, 6)
	t.AppendHeader(table.Row{"table", "seats", "version", "against", "result", "95 % interval", "parity", ""})
	text := ""
	for i := range l.Tables {
		at := &l.Tables[i]
		row := table.Row{at.Name, at.Seats, "", at.Against, "", "", tableValue(at, at.Parity), at.Verdict()}
		if r, measured := at.Newest(); measured {
			row[2], row[4], row[5] = r.Agent, tableValue(at, r.Value), tableInterval(at, r)
		}
		t.AppendRow(row)
		if r, refused := at.LastRefused(); refused {
			text += fmt.Sprintf("%s is not promoted: at %s it gets %s, and %s gets %s.\n", r.Agent, at.Name,
				tableValue(at, r.Value), r.Best.Agent, tableValue(at, r.Best.Value))
		}
	}
	return t.Fit(width, 6, 3) + "\n" + texttable.Wrap(text, width)
}

// RenderTable writes what versions got at one of these tables.
func RenderTable(w io.Writer, l *messages.Ladder, at *messages.LadderTable) error {
	t := texttable.New(1, 2, 3)
	t.AppendHeader(table.Row{"version", "games", "result", "95 % interval"})
	for _, r := range at.Results {
		t.AppendRow(table.Row{r.Agent, r.Games, tableValue(at, r.Value), tableInterval(at, r)})
	}
	text := fmt.Sprintf("%s, %s, %d seats: what a version gets %s among copies of %s; equal play gets %s\n%s\n", l.Game,
		at.Name, at.Seats, unitWords(at), at.Against, tableValue(at, at.Parity), compactJSON(at.Rules))
	if len(at.Results) > 0 {
		text += t.Render() + "\n"
	}
	_, err := fmt.Fprintf(w, "%sThe newest: %s.\n", text, at.Verdict())
	return err
}

// compactJSON writes a document in one line.
func compactJSON(document []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, document) != nil {
		return string(document)
	}
	return b.String()
}

// unitWords reports what results are, as a part of a sentence.
func unitWords(at *messages.LadderTable) string {
	if at.Parity > 0 {
		return at.Unit
	}
	return "in " + at.Unit + " a game"
}

// tableValue writes a result: a share in percent.
func tableValue(at *messages.LadderTable, value float64) string {
	if at.Parity > 0 {
		return fmt.Sprintf("%.1f %%", 100*value)
	}
	return fmt.Sprintf("%.3f", value)
}

func tableInterval(at *messages.LadderTable, r messages.TableResult) string {
	if at.Parity > 0 {
		return fmt.Sprintf("%.1f … %.1f %%", 100*r.Low, 100*r.High)
	}
	return fmt.Sprintf("%.3f … %.3f", r.Low, r.High)
}
