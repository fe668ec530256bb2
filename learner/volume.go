package learner

import (
	"croupier/engine"
	"croupier/internal/stat"
)

// volume measures a rollout.
type volume struct {
	games, sequences int
	samples          int          // decisions with at least two legal actions
	decisions        int          // forced ones included
	versions         uint64       // sum over the samples
	figures          []stat.Ratio // of the learning seats, by figure; a cluster is a game
}

func newVolume(spec *engine.Spec) volume {
	return volume{figures: make([]stat.Ratio, len(spec.Figures))}
}

func (v *volume) reset() {
	clear(v.figures)
	*v = volume{figures: v.figures}
}

// add counts the samples and all decisions of one seat in one game, if it made any.
func (v *volume) add(samples, decisions int, version uint64) {
	if decisions > 0 {
		v.sequences++
	}
	v.samples += samples
	v.decisions += decisions
	v.versions += version * uint64(samples)
}

// merge adds another volume.
func (v *volume) merge(o *volume) {
	v.games += o.games
	v.sequences += o.sequences
	v.samples += o.samples
	v.decisions += o.decisions
	v.versions += o.versions
	for i, m := range o.figures {
		v.figures[i].Merge(m)
	}
}

// measure adds the figures of a game's learning seats.
func (v *volume) measure(sums engine.Sums, seats int, learns func(seat int) bool) {
	for i := range v.figures {
		var game engine.Sum
		for seat := range seats {
			if learns(seat) {
				game.Add(sums.Of(seat)[i])
			}
		}
		v.figures[i].Add(game.Value, game.Weight)
	}
}

// lag returns the mean number of versions by which the samples are behind the published one.
func (v *volume) lag(published uint64) float64 {
	return max(0, float64(published)-float64(v.versions)/float64(max(v.samples, 1)))
}
