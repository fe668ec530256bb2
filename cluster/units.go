package cluster

import (
	"fmt"
	"strings"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/learner"
	"croupier/messages"
)

// CurveUnits returns what finds the unit in which people are shown a curve by its name, "" where it is not known. Where
// the description of the game is nil, units of ratings and figures are in the run's ladder, nil before the first.
func CurveUnits(spec *engine.Spec, ladder *messages.Ladder) func(curve string) string {
	known, ratings, returns := map[string]string{}, "", ""
	for _, s := range learner.Series() {
		known[s.Name] = s.Unit
	}
	var figures []engine.Figure
	switch {
	case spec != nil:
		figures, ratings, returns = spec.Figures, rating.Unit(spec), messages.CoinPerGame(spec)
	case ladder != nil:
		figures, ratings = ladder.Figures, ladder.Scale.Unit
		if ladder.Scale.Kind == messages.MoneyScale {
			returns = ratings
		}
	}
	for _, f := range figures {
		known["figure/"+f.Name] = fmt.Sprintf("%s per %s", f.Unit, f.Per)
	}
	return func(curve string) string {
		kind, _, _ := strings.Cut(strings.TrimPrefix(curve, "probe/"), "/")
		switch {
		case kind == "rating":
			return ratings
		case messages.IsAmountCurve(curve):
			return returns
		case kind == "win_share" || kind == "exploit_share" || kind == "table_share":
			return "share of the win"
		}
		return known[curve]
	}
}
