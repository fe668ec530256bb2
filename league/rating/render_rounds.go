package rating

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"croupier/internal/texttable"
	"croupier/messages"
)

// verdictText reports how a test has ended.
func verdictText(t *messages.SequentialTest) string {
	said := map[string]string{
		string(Passed): "%s is better than %s", string(Failed): "%s was not found to be better than %s",
		string(Undecided): "it is not decided whether %s is better than %s",
	}[t.Verdict]
	return fmt.Sprintf("Test: "+said+", after %d of at most %d sets. Evidence %.2f, decided at ± %.2f.\n"+
		"Better means by %v standard deviations of a set; either verdict is wrong in at most %v %% of cases.\n",
		t.A, t.B, t.Sets, t.MostSets, t.Evidence, t.Threshold, t.Gain, 100*t.Error)
}

// roundsTable has a row for each agent, by falling points and rating, with its results round by round.
func roundsTable(l *messages.Ladder) *texttable.Table {
	points, rank := map[string]float64{}, map[string]int{}
	var names []string
	for _, a := range l.Agents {
		names = append(names, a.Name)
	}
	cells := map[string]map[int]func() string{}
	note := func(round int, agent, opponent string, got float64) {
		if cells[agent] == nil {
			cells[agent] = map[int]func() string{}
			if !slices.Contains(names, agent) { // it had no opponent
				names = append(names, agent)
			}
		}
		points[agent] += got
		cells[agent][round] = func() string {
			if opponent == "" {
				return "+"
			}
			return map[float64]string{1: "+", 0.5: "=", 0: "-"}[got] + strconv.Itoa(rank[opponent])
		}
	}
	for i, round := range l.Rounds {
		for _, m := range round {
			note(i, m.A, m.B, m.PointsA)
			if m.B != "" {
				note(i, m.B, m.A, 1-m.PointsA)
			}
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(points[y], points[x]) })
	for i, name := range names {
		rank[name] = i + 1
	}
	header, right := table.Row{"", "agent", "points"}, []int{0, 2}
	for i := range l.Rounds {
		header, right = append(header, i+1), append(right, i+3)
	}
	t := texttable.New(right...)
	t.AppendHeader(header)
	for _, name := range names {
		row := table.Row{rank[name], name, points[name]}
		for i := range l.Rounds {
			cell := ""
			if write := cells[name][i]; write != nil {
				cell = write()
			}
			row = append(row, cell)
		}
		t.AppendRow(row)
	}
	return t
}
