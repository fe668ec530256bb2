package learner

import (
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
)

// decisions holds decisions in columns; each row is a decision of one seat.
type decisions struct {
	spec         *engine.Spec
	observations []float32 // [n, ObservationSize]
	legal        []int     // legal actions of all decisions, one after the other
	legalEnd     []int     // where the actions of each decision end in legal
	// teacherTargets are a teacher's probability of each element of legal, 0 where it was not asked; empty without one.
	teacherTargets []float32
	actions        []int32
	logProbs       []float32 // behaviour log-probability of the action
	rewards        []float32 // shaping rewards before the seat's next sample, discounted, in units of Spec.MaxReturn
	// spans counts the seat's decisions from a sample to its next one, or to the game's end: 1,
	// and one for each forced decision between. The span of a forced decision is 0.
	spans []int32
}

func (d *decisions) len() int { return len(d.actions) }

func (d *decisions) clear() {
	d.observations, d.legal, d.legalEnd = d.observations[:0], d.legal[:0], d.legalEnd[:0]
	d.teacherTargets = d.teacherTargets[:0]
	d.actions, d.logProbs = d.actions[:0], d.logProbs[:0]
	d.rewards, d.spans = d.rewards[:0], d.spans[:0]
}

// add appends a seat's decision at a state, with no reward and a span of 0 so far.
func (d *decisions) add(s engine.State, seat, action int, legal []int, logProb float32) {
	n := len(d.observations)
	d.observations = extend(d.observations, d.spec.ObservationSize)
	s.Observe(seat, d.observations[n:])
	d.legal = append(d.legal, legal...)
	d.legalEnd = append(d.legalEnd, len(d.legal))
	d.actions = append(d.actions, int32(action))
	d.logProbs = append(d.logProbs, logProb)
	d.rewards = append(d.rewards, 0)
	d.spans = append(d.spans, 0)
}

// append copies the first n decisions of o to the end of d.
func (d *decisions) append(o *decisions, n int) {
	if n == 0 {
		return
	}
	base := len(d.legal)
	d.observations = append(d.observations, o.observations[:n*d.spec.ObservationSize]...)
	d.legal = append(d.legal, o.legal[:o.legalEnd[n-1]]...)
	d.appendTargets(o, base, o.legalEnd[n-1])
	for _, end := range o.legalEnd[:n] {
		d.legalEnd = append(d.legalEnd, base+end)
	}
	d.actions = append(d.actions, o.actions[:n]...)
	d.logProbs = append(d.logProbs, o.logProbs[:n]...)
	d.rewards = append(d.rewards, o.rewards[:n]...)
	d.spans = append(d.spans, o.spans[:n]...)
}

// appendTargets copies the teacher's targets of the first n legal actions of o, which come after so many others. A teacher
// may have been asked about only one of the two.
func (d *decisions) appendTargets(o *decisions, before, n int) {
	if len(d.teacherTargets)+len(o.teacherTargets) == 0 {
		return
	}
	d.teacherTargets = zeroed(d.teacherTargets, before)
	d.teacherTargets = zeroed(append(d.teacherTargets, o.teacherTargets[:min(n, len(o.teacherTargets))]...), before+n)
}

// zeroed returns the slice with zeros up to n elements.
func zeroed(s []float32, n int) []float32 {
	from := len(s)
	s = extend(s, n-from)
	clear(s[from:])
	return s
}

// observation returns the observation of decision i.
func (d *decisions) observation(i int) []float32 {
	size := d.spec.ObservationSize
	return d.observations[i*size : (i+1)*size]
}

// legalRange returns where the legal actions of decision i begin and end in the legal
// column.
func (d *decisions) legalRange(i int) (start, end int) {
	if i > 0 {
		start = d.legalEnd[i-1]
	}
	return start, d.legalEnd[i]
}

// sequence holds the samples of one seat in one game, which are consecutive rows. If the
// network has memory, they include the forced decisions before the last sample.
type sequence struct {
	first, length int
	result        float32 // the seat's return, in units of its game's Spec.MaxReturn
	weight        float32 // of its decisions in the loss
	state         int     // index of its first kept recurrent state
}

// rollout is what one iteration learns from: whole games, split into one sequence for each
// learning seat, or kept as they are for a replay buffer. Its buffers are reused by later iterations.
//
// The games fill the upper part; the trainer computes the rest from it.
type rollout struct {
	decisions
	sequences      []sequence
	games          []game // for a replay buffer, which have no sequences
	size           volume
	controlVariate controlVariate // of chance, if it is corrected

	values []float32 // [n] value before the iteration
	// reference has one element for each element of the legal column: the action's log-probability
	// under the reference policy, or its value according to the target network.
	reference  []float32
	moved      []float32 // [n] KL estimate between the behaviour policy and the policy before the iteration
	corrected  []float32 // [n] rewards without the luck of chance
	advantages []float32 // [n]
	targets    []float32 // [n]
	chunks     []chunk
	states     []float32 // recurrent states at the beginning of chunks, [·, StateSize]
}

func newRollout(spec *engine.Spec) *rollout {
	return &rollout{
		decisions: decisions{spec: spec}, size: newVolume(spec), controlVariate: controlVariate{spec: spec},
	}
}

// reset empties the rollout and keeps its memory.
func (r *rollout) reset() {
	r.decisions.clear()
	r.sequences = r.sequences[:0]
	clear(r.games) // let go of the histories, which the replay buffer may keep
	r.games = r.games[:0]
	r.controlVariate.clear()
	r.size.reset()
}

// add appends a game with a weight in the loss.
func (r *rollout) add(g *rows, weight float32) {
	r.size.games++
	if g.counted {
		r.addGame(g)
		return
	}
	if g.chance != nil {
		r.addEvents(g.chance, g.seats)
	}
	for seat := range g.seats {
		r.addSequence(&g.seats[seat], g.results[seat], g.episode.Versions[seat], weight)
	}
}

// addSequence appends the samples of one seat in one game, if it had any, and counts its
// decisions.
func (r *rollout) addSequence(d *record, result float32, version uint64, weight float32) {
	r.size.add(d.samples, d.made, version)
	if d.samples == 0 {
		return
	}
	length := d.newest + 1
	r.sequences = append(r.sequences, sequence{first: r.len(), length: length, result: result, weight: weight})
	r.decisions.append(&d.decisions, length)
}

// estimator returns what computes the advantages and targets of sequences first..end-1 from the values of the decisions
// (see [gae]). Several workers may use it at the same time.
func (r *rollout) estimator(values []float32, gamma, lambda float64) func(first, end int) {
	n := r.len()
	r.advantages, r.targets = resize(r.advantages, n), resize(r.targets, n)
	r.corrected = append(r.corrected[:0], r.rewards...)
	r.controlVariate.correct(r.corrected, float32(gamma))
	return func(first, end int) {
		for _, s := range r.sequences[first:end] {
			first, end := s.first, s.first+s.length
			gae(values[first:end], r.corrected[first:end], r.spans[first:end], s.result,
				float32(gamma), float32(lambda), r.advantages[first:end], r.targets[first:end])
		}
	}
}

// normalise shifts and scales the samples' advantages to mean 0 and standard deviation 1.
// If they are (nearly) all equal, they become about 0.
func (r *rollout) normalise() {
	m := r.moments(r.advantages)
	scale := 1 / (m.Deviation() + 1e-8)
	for i, v := range r.advantages {
		r.advantages[i] = float32((float64(v) - m.Mean) * scale)
	}
}

// moments describes the samples' entries of a column.
func (r *rollout) moments(column []float32) (m stat.Moments) {
	for i, x := range column {
		if r.spans[i] > 0 {
			m.N++
			m.Mean += float64(x)
		}
	}
	m.Mean /= max(m.N, 1)
	for i, x := range column {
		if r.spans[i] > 0 {
			d := float64(x) - m.Mean
			m.Squares += d * d
		}
	}
	return m
}

// samplesOf appends the rows of a sequence's samples to dst.
func (r *rollout) samplesOf(s sequence, dst []int) []int {
	for i := s.first; i < s.first+s.length; i++ {
		if r.spans[i] > 0 {
			dst = append(dst, i)
		}
	}
	return dst
}

// explainedVariance is 1 − Var(result − value) / Var(result) over the samples, where
// result is the discounted return that the game actually had, shaping included: 1 for a
// value that predicts it, 0 for one as good as a constant. It is 0 if all results are
// equal.
func (r *rollout) explainedVariance(gamma float64) float64 {
	var results, errs stat.Moments
	var samples []int
	for _, s := range r.sequences {
		result := float64(s.result)
		samples = r.samplesOf(s, samples[:0])
		for _, i := range slices.Backward(samples) {
			result = float64(r.rewards[i]) + math.Pow(gamma, float64(r.spans[i]-1))*result
			results.Add(result)
			errs.Add(result - float64(r.values[i]))
			result *= gamma
		}
	}
	if results.Squares <= 1e-12*results.N {
		return 0
	}
	return 1 - errs.Squares/results.Squares
}

// extend returns the slice with n more elements of arbitrary content.
func extend[T any](s []T, n int) []T {
	if len(s)+n > cap(s) {
		grown := make([]T, len(s), max(2*cap(s), len(s)+n))
		copy(grown, s)
		s = grown
	}
	return s[:len(s)+n]
}

// resize returns a slice of n elements of arbitrary content, in the same memory if it fits.
func resize[T any](s []T, n int) []T { return extend(s[:0], n) }
