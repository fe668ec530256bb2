package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"croupier/engine"
)

// race decides between the actions of a position by the model's prior π and by values Q. The
// score of an action compares it with the prior's favourite f, as log-odds,
//
//	log π(a) − log π(f) + β·Δ,  β = 1.702 / σ
//
// where Δ is how far Q(a) − Q(f) is beyond what the model's errors explain, and σ the standard
// deviation of the difference (see evidence). The first part is what the model thought before the
// search. The second is what the values say on their own if their errors are normal. Log-odds of
// independent evidence add up. So this is argmax(log π + β·Q) as in Gumbel MuZero at play, without
// its noise (I. Danihelka and others, "Policy improvement by planning with Gumbel", ICLR 2022,
// sections 3 and 4), with a β that says how good the values are. Every action gets a value of its
// own; none has to be completed.
type race struct {
	*tree
	samples int
	noise   Noise   // of what the model says
	exact   float64 // standard deviation of values without noise: rounding errors

	prior  []float64 // by legal action
	scores []float64
	all    []int // indices of the legal actions
	racing []int // those still in the race
	target int   // worlds after each of them
}

func newRace(game engine.Game, model Model, noise Noise, o Options) *race {
	actions := game.Spec().Actions
	return &race{
		tree: newTree(game, model, o), samples: o.Samples,
		noise: noise, exact: 1e-9 * game.Spec().MaxReturn,
		prior: make([]float64, actions), scores: make([]float64, actions),
	}
}

// run searches, and returns the index of the chosen action. Worlds are spent by sequential
// halving (Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in multi-armed bandits",
// ICML 2013; Danihelka et al., section 3.3): in each of ⌈log2 n⌉ rounds the actions still in the
// race share an equal part of the budget, and the better half stays.
func (r *race) run(s engine.State, legal []int) int {
	r.begin(s, legal)
	r.plant(s, legal)
	r.racing = append(r.racing[:0], r.all...)
	rounds := bits.Len(uint(len(legal) - 1))
	for len(r.racing) > 1 {
		r.target += max(minWorlds, r.samples*len(legal)/(rounds*len(r.racing)))
		r.sample(r.racing, r.target)
		r.rank()
		r.racing = r.racing[:(len(r.racing)+1)/2]
	}
	return r.racing[0]
}

// begin asks for the prior.
func (r *race) begin(s engine.State, legal []int) {
	r.model.Set(0, s, legal)
	r.model.Predict(1)
	r.model.LogPrior(0, legal, max(r.noise.Value, r.exact), r.prior)
	r.all, r.target = r.all[:0], 0
	for i := range legal {
		r.all = append(r.all, i)
	}
}

// favourite returns the one of the actions that the prior prefers.
func (r *race) favourite(actions []int) int {
	return slices.MaxFunc(actions, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.prior[i], r.prior[j]), j-i)
	})
}

// evaluate runs the race, and then gives all actions as many worlds as the last ones had in it.
func (r *race) evaluate(s engine.State, legal []int) (choice int) {
	choice = r.run(s, legal)
	r.target = max(r.target, r.samples)
	r.sample(r.all, r.target)
	return choice
}

// rank sorts the racing actions by score, the best first.
func (r *race) rank() {
	favourite := r.favourite(r.racing)
	for _, i := range r.racing {
		r.scores[i] = 0
		if i != favourite {
			r.scores[i] = r.prior[i] - r.prior[favourite] + r.evidence(i, favourite)
		}
	}
	slices.SortFunc(r.racing, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.scores[j], r.scores[i]), i-j)
	})
}

// value returns that of an action, as a return.
func (r *race) value(action int) float64 { return r.nodes[r.roots[action]].value }

// difference returns what an action is worth more than the other, or than nothing if other is
// none, as a return, and the variances of its error: that of sampling, and that of what the model
// said.
func (r *race) difference(action, other int) (difference, sampling, judged float64) {
	s := r.spread(action, other)
	sampling = s.sampling + r.exact*r.exact
	if other == none {
		return r.value(action), sampling, s.judged * r.noise.Value * r.noise.Value
	}
	// The noise of a difference is that of two values which the model says.
	return r.value(action) - r.value(other), sampling, s.judged / 2 * r.noise.Difference * r.noise.Difference
}

// evidence returns what the values say for an action against the other, as log-odds.
//
// The model's errors are not drawn again for each decision. Values too good for the seat to move,
// for instance, speak for the same mistake throughout a game, and prior and values have them in
// common. So a difference within the errors' standard deviation says nothing, and a greater one
// only what it has beyond that. But no error makes another action better than one that gets
// the greatest return there is.
func (r *race) evidence(action, other int) float64 {
	if a, b := r.wins(action), r.wins(other); a != b {
		if a {
			return math.Inf(1)
		}
		return math.Inf(-1)
	}
	difference, sampling, judged := r.difference(action, other)
	beyond := max(0, math.Abs(difference)-math.Sqrt(judged))
	return logOdds(math.Copysign(beyond, difference), sampling+judged)
}

// wins reports whether the action gets all that can be won by the rules, whatever the model says.
func (r *race) wins(action int) bool {
	return r.value(action) >= r.spec.MaxReturn-r.exact && r.spread(action, none).judged == 0
}

// logistic is the slope of the logistic distribution closest to the normal one (S. Bowling and
// others, "A logistic approximation to the cumulative normal distribution", 2009: within 0.0095).
const logistic = 1.702

// logOdds returns those of a quantity being positive that was measured with a normal error of
// that variance.
func logOdds(measured, variance float64) float64 {
	return logistic * measured / math.Sqrt(variance)
}
