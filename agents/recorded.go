package agents

import (
	"slices"

	"croupier/agents/shipped"
	"croupier/engine"
	"croupier/internal/stat"
	"croupier/league"
	"croupier/policy"
)

// Recorded is what the references of a game got against one another in the comparison that comes with the program; none
// under other rules. Results of a trained network count only while it is the one that comes with the program.
func Recorded(game engine.Game) (all []league.Recorded) {
	recorded, err := shipped.Of(game.Spec().Name)
	if err != nil || !recorded.Covers(game) {
		return nil
	}
	names := slices.DeleteFunc(References(game), func(name string) bool {
		_, network, err := policy.CutTemperature(name)
		return err == nil && network == Trained && recorded.Trained != shipped.Digest(game.Spec().Name)
	})
	interval := func(m shipped.Met) stat.Interval { return stat.Interval{Value: m.Mean, Low: m.Low, High: m.High} }
	for i, a := range names {
		for _, b := range names[:i] {
			ofA, met := recorded.Between(a, b)
			ofB, both := recorded.Between(b, a)
			if met && both {
				all = append(all, league.Recorded{A: a, B: b, Games: recorded.Games, OfA: interval(ofA), OfB: interval(ofB)})
			}
		}
	}
	return all
}
