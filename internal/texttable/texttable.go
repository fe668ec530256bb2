// Package texttable makes the tables that commands print.
package texttable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"croupier/internal/visible"
)

// Table is a plain table.
type Table struct {
	table.Writer
	columns []table.ColumnConfig
}

// New returns a table whose given columns (from 0) are aligned right.
func New(right ...int) *Table {
	t := &Table{Writer: table.NewWriter()}
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options = table.OptionsNoBordersAndSeparators
	for _, c := range right {
		t.columns = append(t.columns, table.ColumnConfig{Number: c + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(t.columns)
	return t
}

// AppendHeader adds a header.
func (t *Table) AppendHeader(row table.Row, config ...table.RowConfig) {
	t.Writer.AppendHeader(readable(row), config...)
}

// AppendRow adds a row, whose texts may be those of strangers.
func (t *Table) AppendRow(row table.Row, config ...table.RowConfig) {
	t.Writer.AppendRow(readable(row), config...)
}

// readable makes the texts of a row visible.
func readable(row table.Row) table.Row {
	row = slices.Clone(row)
	for i, cell := range row {
		switch v := cell.(type) {
		case string:
			row[i] = visible.Text(v)
		case fmt.Stringer:
			row[i] = visible.Text(fmt.Sprint(v)) // v may be nil
		}
	}
	return row
}

// Fit renders the table with at most width characters in a line, if leaving out some of the
// optional columns (from 0) suffices for that: the first of them goes first. A width of 0 is no
// limit.
func (t *Table) Fit(width int, optional ...int) string {
	columns := slices.Clone(t.columns)
	for {
		t.SetColumnConfigs(columns)
		rendered := t.Render()
		if width == 0 || len(optional) == 0 || widest(rendered) <= width {
			return rendered
		}
		columns = hide(columns, optional[0]+1)
		optional = optional[1:]
	}
}

// hide returns the configurations with one that hides the column (from 1).
func hide(columns []table.ColumnConfig, number int) []table.ColumnConfig {
	for i := range columns {
		if columns[i].Number == number {
			columns[i].Hidden = true
			return columns
		}
	}
	return append(columns, table.ColumnConfig{Number: number, Hidden: true})
}

// Width is that of the widest line, in characters.
func (t *Table) Width() (width int) {
	t.SetColumnConfigs(t.columns)
	return widest(t.Render())
}

func widest(rendered string) (width int) {
	for line := range strings.Lines(rendered) {
		width = max(width, text.StringWidth(strings.TrimRight(line, "\n")))
	}
	return width
}

// Wrap breaks the lines of a text between words so that none is wider than width. A width of 0
// is no limit.
func Wrap(s string, width int) string {
	if width == 0 {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(text.WrapSoft(strings.TrimRight(line, "\n"), width), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
