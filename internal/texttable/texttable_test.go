package texttable

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/stretchr/testify/require"
)

// A table leaves out what it may until it fits, the first of the optional columns first.
func TestTableFits(t *testing.T) {
	made := func() *Table {
		t := New(1)
		t.AppendHeader(table.Row{"agent", "games", "of what it says", "and of what others say"})
		t.AppendRow(table.Row{"random", 7, "nothing", "less"})
		return t
	}
	whole := made().Fit(0, 2, 3)
	width := made().Width()
	require.Contains(t, whole, "    7", "numbers are on the right")
	require.Equal(t, whole, made().Fit(width, 2, 3))
	less := made().Fit(width-1, 2, 3)
	require.NotContains(t, less, "nothing")
	require.Contains(t, less, "less")
	least := made().Fit(1, 2, 3)
	require.NotContains(t, least, "less")
	require.Contains(t, least, "random")
	require.Equal(t, least, made().Fit(1, 3, 2))
	for line := range strings.Lines(least) {
		require.Less(t, len([]rune(line)), 20)
	}
}

func TestWrap(t *testing.T) {
	require.Equal(t, "one two three\n", Wrap("one two three\n", 0))
	for line := range strings.Lines(Wrap("one two three four\nfive", 9)) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 9)
	}
	require.Equal(t, "one two three four five", strings.Join(strings.Fields(Wrap("one two three four\nfive", 9)), " "))
}
