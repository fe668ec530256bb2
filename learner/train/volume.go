package train

import (
	"croupier/engine"
	"croupier/internal/stat"
)

// Ratio is the estimate of a figure of games: a sum of values by a sum of weights, with what its interval is made of.
type Ratio = stat.Ratio

// Volume measures a rollout.
type Volume struct {
	Games, Sequences int     // games, and seats of the agent in them that decided something
	Samples          int     // decisions with at least two legal actions
	Decisions        int     // forced ones included
	versions         uint64  // sum over the samples
	Figures          []Ratio // of the learning seats, by figure; a cluster is a game
}

// NewVolume returns that of no games.
func NewVolume(spec *engine.Spec) Volume {
	return Volume{Figures: make([]Ratio, len(spec.Figures))}
}

func (v *Volume) reset() {
	clear(v.Figures)
	*v = Volume{Figures: v.Figures}
}

// add counts the samples and all decisions of one seat in one game, if it made any.
func (v *Volume) add(samples, decisions int, version uint64) {
	if decisions > 0 {
		v.Sequences++
	}
	v.Samples += samples
	v.Decisions += decisions
	v.versions += version * uint64(samples)
}

// Merge adds another volume.
func (v *Volume) Merge(o *Volume) {
	v.Games += o.Games
	v.Sequences += o.Sequences
	v.Samples += o.Samples
	v.Decisions += o.Decisions
	v.versions += o.versions
	for i, m := range o.Figures {
		v.Figures[i].Merge(m)
	}
}

// Measure adds the figures of a game's learning seats.
func (v *Volume) Measure(sums engine.Sums, seats int, learns func(seat int) bool) {
	for i := range v.Figures {
		var game engine.Sum
		for seat := range seats {
			if learns(seat) {
				game.Add(sums.Of(seat)[i])
			}
		}
		v.Figures[i].Add(game.Value, game.Weight)
	}
}

// Lag returns the mean number of versions by which the samples are behind the published one.
func (v *Volume) Lag(published uint64) float64 {
	return max(0, float64(published)-float64(v.versions)/float64(max(v.Samples, 1)))
}
