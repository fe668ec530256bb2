package solve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is what a seat does at one difference.
type Row struct {
	Seat       int     `json:"seat"`
	Round      int     `json:"round"`      // from 1
	Role       string  `json:"role"`       // "lone", "first" or "second"
	Stage      int     `json:"stage"`      // 1 and 2 for those rolls, 3 for later ones
	Difference int     `json:"difference"` // own points less the other's
	Banks      []Range `json:"banks"`      // it banks with these and passes with others
}

// Columns names the cells of a [Row].
var Columns = []string{"seat", "round", "role", "stage", "difference", "banks"}

// Cells returns the row as the text of a table.
func (r Row) Cells() []string {
	ranges := make([]string, len(r.Banks))
	for i, b := range r.Banks {
		ranges[i] = b.String()
	}
	return []string{strconv.Itoa(r.Seat), strconv.Itoa(r.Round), r.Role, strconv.Itoa(r.Stage),
		strconv.Itoa(r.Difference), strings.Join(ranges, " ")}
}

// Range is a range of banks that includes both ends. To is 0 if it has no end.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// String shows the range: "45-52", or "60-" if it has no end.
func (r Range) String() string {
	if r.To == 0 {
		return fmt.Sprintf("%d-", r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// String names the role.
func (r role) String() string { return [...]string{"lone", "first", "second"}[r] }

// Plans lists what the seats do at all differences and with all banks in the tables. With
// repoll all rounds are alike and a seat that is not alone passes, so there is only one round
// and only the role lone for both seats.
func (o *Optimum) Plans() []Row {
	seats, rounds, played := 2, o.rules.Rounds, []role{lone, first, second}
	if o.rules.Repoll {
		seats, rounds, played = 1, 1, played[:1]
	}
	var rows []Row
	for seat := range seats {
		for n := range rounds {
			p := o.races[seat].rounds[n].plan
			for _, r := range played {
				for stage := range stages {
					for i, changes := range p.changes[r][stage] {
						banks := ranges(changes, mostBank(stage+1, p.size))
						rows = append(rows, Row{seat, n + 1, r.String(), stage + 1, i - p.size, banks})
					}
				}
			}
		}
	}
	return rows
}

// ranges lists the banks with which a plan banks, rising; the table ends at most.
func ranges(changes []uint16, most int) []Range {
	list, end := []Range{}, 0
	for i := 0; i < len(changes); i += 2 {
		if from := int(changes[i]); from <= most {
			list = append(list, Range{from, end})
		}
		if i+1 == len(changes) {
			slices.Reverse(list)
			return list
		}
		end = int(changes[i+1]) - 1
	}
	list = append(list, Range{1, end})
	slices.Reverse(list)
	return list
}
