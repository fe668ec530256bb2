package cluster

import (
	"fmt"
	"strings"

	"croupier/learner"
	"croupier/messages"
)

// CurveUnits returns what finds the unit of a curve by its name, "" where it is not known. Those of ratings and figures
// stand in the run's ladder, nil before the first.
func CurveUnits(ladder *messages.Ladder) func(curve string) string {
	known := map[string]string{}
	for _, s := range learner.Series() {
		known[s.Name] = s.Unit
	}
	var scale messages.Scale
	if ladder != nil {
		scale = ladder.Scale
		for _, f := range ladder.Figures {
			known["figure/"+f.Name] = fmt.Sprintf("%s per %s", f.Unit, f.Per)
		}
	}
	return func(curve string) string {
		kind, _, _ := strings.Cut(strings.TrimPrefix(curve, "probe/"), "/")
		switch kind {
		case "rating", "mean_return", "exploit_return", "table_return", "exploitability":
			return scale.Unit
		case "win_share", "exploit_share", "table_share":
			return "share of the win"
		}
		return known[curve]
	}
}
