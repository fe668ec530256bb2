package search

import (
	"math"
	"slices"
	"sort"

	"croupier/engine"
)

const (
	// candidates is how many deals are drawn for each of Options.Samples, where they are weighed.
	candidates = 4
	// aberration is the probability that somebody does anything, whatever the model would do: the
	// others are not the model, and no single action may rule a deal out.
	aberration = 0.1
)

// deals are what may be hidden from the searching seat. They fit what it has seen. Where a state
// knows what the others have decided since the deal (engine.Retracer), a deal is as likely as
// the model would have decided so (D. Rebstock and others, "Policy based inference in
// trick-taking card games", IEEE CoG 2019): candidates are drawn, weighed, and drawn from again
// in proportion to their weights (sampling importance resampling; D. Rubin, "Using the SIR
// algorithm to simulate posterior distributions", 1988). Elsewhere all deals are equally likely.
type deals struct {
	model Model
	size  int // number of candidates
	seat  int
	seed  uint64
	rng   engine.RNG

	root       engine.State
	states     []engine.State // candidates
	drawn      int            // of them
	cumulative []float64      // their weights, summed up
	rows       []decision     // of the model's next batch
	prior      []float64
}

// decision is one of another seat that waits for the model.
type decision struct {
	candidate, action int
	legal             []int
}

func newDeals(game engine.Game, model Model, samples int) *deals {
	return &deals{
		model: model, size: candidates * samples, root: game.NewState(),
		prior: make([]float64, game.Spec().Actions), rows: make([]decision, model.Batch()),
	}
}

// begin forgets the deals of the last position.
func (d *deals) begin(s engine.State, seat int, seed uint64) {
	d.root.CopyFrom(s)
	d.seat, d.seed, d.drawn = seat, seed, 0
}

// of returns the deal of the numbered world. The state is lent.
func (d *deals) of(number int) engine.State {
	if _, ok := d.root.(engine.Retracer); !ok {
		for d.drawn <= number {
			d.draw()
		}
		return d.states[number]
	}
	if d.drawn == 0 {
		d.weigh()
	}
	// The fractions of multiples of the golden ratio lie evenly in 0..1, however many there are.
	_, at := math.Modf(float64(number+1) / math.Phi)
	i := sort.SearchFloat64s(d.cumulative, at)
	return d.states[min(i, d.drawn-1)]
}

// draw adds a deal.
func (d *deals) draw() {
	if d.drawn == len(d.states) {
		d.states = append(d.states, d.root.Clone())
	}
	s := d.states[d.drawn]
	s.CopyFrom(d.root)
	d.rng.Seed(engine.GameSeed(d.seed, "search", uint64(d.drawn)), dealStream)
	s.(engine.Redealer).Redeal(d.seat, &d.rng)
	d.drawn++
}

// weigh draws all candidates and sums up their weights.
func (d *deals) weigh() {
	logs := slices.Grow(d.cumulative[:0], d.size)[:d.size]
	clear(logs)
	d.cumulative = logs
	waiting := 0
	for candidate := range d.size {
		d.draw()
		d.states[candidate].(engine.Retracer).Retrace(func(before engine.State, action int) {
			if before.Player() == d.seat {
				return
			}
			r := &d.rows[waiting]
			if r.legal = before.LegalActions(r.legal[:0]); len(r.legal) == 1 {
				return
			}
			r.candidate, r.action = candidate, action
			d.model.Set(waiting, before, r.legal)
			if waiting++; waiting == len(d.rows) {
				d.judge(waiting)
				waiting = 0
			}
		})
	}
	d.judge(waiting)
	softmax(logs)
	sum := 0.0
	for i, weight := range logs {
		sum += weight
		d.cumulative[i] = sum
	}
}

// judge adds what the waiting decisions say to the logarithms of the weights.
func (d *deals) judge(rows int) {
	if rows == 0 {
		return
	}
	d.model.Predict(rows)
	for row, r := range d.rows[:rows] {
		prior := d.prior[:len(r.legal)]
		d.model.LogPrior(row, r.legal, 1, prior)
		softmax(prior)
		p := prior[slices.Index(r.legal, r.action)]
		d.cumulative[r.candidate] += math.Log((1-aberration)*p + aberration/float64(len(r.legal)))
	}
}

// softmax turns logarithms of weights, of which one is finite, into probabilities.
func softmax(logs []float64) {
	greatest, sum := slices.Max(logs), 0.0
	for i, log := range logs {
		logs[i] = math.Exp(log - greatest)
		sum += logs[i]
	}
	for i := range logs {
		logs[i] /= sum
	}
}
