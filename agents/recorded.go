package agents

import (
	"slices"

	"croupier/catalog"
	"croupier/internal/stat"
	"croupier/league/rating"
	"croupier/policy"
)

// Recorded is what the references of a game got against one another in the comparison that comes with the program; none
// under rules that it does not cover. Results of a trained network count only while it is the one that comes with the
// program.
func (a *Agents) Recorded() (all []rating.Recorded) {
	recorded, here, err := a.Compared()
	if err != nil || !here {
		return nil
	}
	names := slices.DeleteFunc(a.References(), func(name string) bool {
		_, network, err := policy.CutTemperature(name)
		return err == nil && network == Trained && recorded.Trained != a.trained().digest
	})
	interval := func(m catalog.Met) stat.Interval { return stat.Interval{Value: m.Mean, Low: m.Low, High: m.High} }
	for i, one := range names {
		for _, other := range names[:i] {
			ofA, met := recorded.Between(one, other)
			ofB, both := recorded.Between(other, one)
			if met && both {
				all = append(all, rating.Recorded{A: one, B: other, Games: recorded.Games, OfA: interval(ofA), OfB: interval(ofB)})
			}
		}
	}
	return all
}
