package train

import (
	"math"
	"slices"

	"croupier/engine"
	"croupier/internal/stat"
)

// Decisions holds decisions in columns; each row is a decision of one seat.
type Decisions struct {
	spec         *engine.Spec
	Observations []float32 // [n, ObservationSize]
	Legal        []int     // legal actions of all decisions, one after the other
	LegalEnd     []int     // where the actions of each decision end in legal
	// TeacherTargets are a teacher's probability of each element of legal, 0 where it was not asked; empty without one.
	TeacherTargets []float32
	Actions        []int32   // [n] that were taken
	LogProbs       []float32 // [n] log-probability of the action under the policy that played, in nats
	Rewards        []float32 // [n] shaping rewards before the seat's next sample, discounted, in units of Spec.MaxReturn
	// Spans counts the seat's decisions from a sample to its next one, or to the game's end: 1,
	// and one for each forced decision between. The span of a forced decision is 0.
	Spans []int32
}

// Len returns the number of decisions, n.
func (d *Decisions) Len() int { return len(d.Actions) }

func (d *Decisions) clear() {
	d.Observations, d.Legal, d.LegalEnd = d.Observations[:0], d.Legal[:0], d.LegalEnd[:0]
	d.TeacherTargets = d.TeacherTargets[:0]
	d.Actions, d.LogProbs = d.Actions[:0], d.LogProbs[:0]
	d.Rewards, d.Spans = d.Rewards[:0], d.Spans[:0]
}

// add appends a seat's decision at a state, with no reward and a span of 0 so far.
func (d *Decisions) add(s engine.State, seat, action int, legal []int, logProb float32) {
	n := len(d.Observations)
	d.Observations = extend(d.Observations, d.spec.ObservationSize)
	s.Observe(seat, d.Observations[n:])
	d.Legal = append(d.Legal, legal...)
	d.LegalEnd = append(d.LegalEnd, len(d.Legal))
	d.Actions = append(d.Actions, int32(action))
	d.LogProbs = append(d.LogProbs, logProb)
	d.Rewards = append(d.Rewards, 0)
	d.Spans = append(d.Spans, 0)
}

// append copies the first n decisions of o to the end of d.
func (d *Decisions) append(o *Decisions, n int) {
	if n == 0 {
		return
	}
	base := len(d.Legal)
	d.Observations = append(d.Observations, o.Observations[:n*d.spec.ObservationSize]...)
	d.Legal = append(d.Legal, o.Legal[:o.LegalEnd[n-1]]...)
	d.appendTargets(o, base, o.LegalEnd[n-1])
	for _, end := range o.LegalEnd[:n] {
		d.LegalEnd = append(d.LegalEnd, base+end)
	}
	d.Actions = append(d.Actions, o.Actions[:n]...)
	d.LogProbs = append(d.LogProbs, o.LogProbs[:n]...)
	d.Rewards = append(d.Rewards, o.Rewards[:n]...)
	d.Spans = append(d.Spans, o.Spans[:n]...)
}

// appendTargets copies the teacher's targets of the first n legal actions of o, which come after that many others. A
// teacher may have been asked about only one of the two.
func (d *Decisions) appendTargets(o *Decisions, before, n int) {
	if len(d.TeacherTargets)+len(o.TeacherTargets) == 0 {
		return
	}
	d.TeacherTargets = zeroed(d.TeacherTargets, before)
	d.TeacherTargets = zeroed(append(d.TeacherTargets, o.TeacherTargets[:min(n, len(o.TeacherTargets))]...), before+n)
}

// zeroed returns the slice with zeros up to n elements.
func zeroed(s []float32, n int) []float32 {
	from := len(s)
	s = extend(s, n-from)
	clear(s[from:])
	return s
}

// Observation returns the observation of decision i.
func (d *Decisions) Observation(i int) []float32 {
	size := d.spec.ObservationSize
	return d.Observations[i*size : (i+1)*size]
}

// LegalRange returns where the legal actions of decision i begin and end in the legal
// column.
func (d *Decisions) LegalRange(i int) (start, end int) {
	if i > 0 {
		start = d.LegalEnd[i-1]
	}
	return start, d.LegalEnd[i]
}

// Sequence holds the samples of one seat in one game, which are consecutive rows. If the
// network has memory, they include the forced decisions before the last sample.
type Sequence struct {
	First, Length int     // first row and number of rows
	Result        float32 // the seat's return, in units of its game's Spec.MaxReturn
	Weight        float32 // of its decisions in the loss
	state         int     // index of its first kept recurrent state
}

// Rollout is what one iteration learns from: whole games, split into one sequence for each
// learning seat, or kept as they are for a replay buffer. Its buffers are reused by later iterations.
//
// The games fill the upper part; the trainer computes the rest from it.
type Rollout struct {
	Decisions
	Sequences      []Sequence     // in the order of their rows
	games          []game         // for a replay buffer, which have no sequences
	Size           Volume         // how much there is
	controlVariate controlVariate // of chance, if it is corrected

	Values []float32 // [n] value before the iteration, in units of Spec.MaxReturn
	// reference has one element for each element of the legal column: the action's log-probability
	// under the reference policy, or its value according to the target network.
	reference  []float32
	moved      []float32 // [n] KL estimate between the behaviour policy and the policy before the iteration
	corrected  []float32 // [n] rewards without the luck of chance
	Advantages []float32 // [n] estimates of how much better the action was than the policy's mean, in units of MaxReturn
	Targets    []float32 // [n] what the value is trained towards, in units of MaxReturn
	chunks     []chunk
	states     []float32 // recurrent states at the beginning of chunks, [·, StateSize]
}

// NewRollout returns an empty rollout for games with the specification.
func NewRollout(spec *engine.Spec) *Rollout {
	return &Rollout{
		Decisions: Decisions{spec: spec}, Size: NewVolume(spec), controlVariate: controlVariate{spec: spec},
	}
}

// Reset empties the rollout and keeps its memory.
func (r *Rollout) Reset() {
	r.Decisions.clear()
	r.Sequences = r.Sequences[:0]
	clear(r.games) // let go of the histories, which the replay buffer may keep
	r.games = r.games[:0]
	r.controlVariate.clear()
	r.Size.reset()
}

// Add appends a game with a weight in the loss.
func (r *Rollout) Add(g *Rows, weight float32) {
	r.Size.Games++
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
func (r *Rollout) addSequence(d *seatRows, result float32, version uint64, weight float32) {
	r.Size.add(d.samples, d.made, version)
	if d.samples == 0 {
		return
	}
	length := d.newest + 1
	r.Sequences = append(r.Sequences, Sequence{First: r.Len(), Length: length, Result: result, Weight: weight})
	r.Decisions.append(&d.Decisions, length)
}

// estimator returns what computes the advantages and targets of sequences first..end-1 from the values of the decisions
// (see [gae]). Several workers may use it at the same time.
func (r *Rollout) estimator(values []float32, gamma, lambda float64) func(first, end int) {
	n := r.Len()
	r.Advantages, r.Targets = resize(r.Advantages, n), resize(r.Targets, n)
	r.corrected = append(r.corrected[:0], r.Rewards...)
	r.controlVariate.correct(r.corrected, float32(gamma))
	return func(first, end int) {
		for _, s := range r.Sequences[first:end] {
			first, end := s.First, s.First+s.Length
			gae(values[first:end], r.corrected[first:end], r.Spans[first:end], s.Result,
				float32(gamma), float32(lambda), r.Advantages[first:end], r.Targets[first:end])
		}
	}
}

// Normalise shifts and scales the samples' advantages to mean 0 and standard deviation 1.
// If they are (nearly) all equal, they become about 0.
func (r *Rollout) Normalise() {
	m := r.moments(r.Advantages)
	scale := 1 / (m.Deviation() + 1e-8)
	for i, v := range r.Advantages {
		r.Advantages[i] = float32((float64(v) - m.Mean) * scale)
	}
}

// moments describes the samples' entries of a column.
func (r *Rollout) moments(column []float32) (m stat.Moments) {
	for i, x := range column {
		if r.Spans[i] > 0 {
			m.N++
			m.Mean += float64(x)
		}
	}
	m.Mean /= max(m.N, 1)
	for i, x := range column {
		if r.Spans[i] > 0 {
			d := float64(x) - m.Mean
			m.Squares += d * d
		}
	}
	return m
}

// samplesOf appends the rows of a sequence's samples to dst.
func (r *Rollout) samplesOf(s Sequence, dst []int) []int {
	for i := s.First; i < s.First+s.Length; i++ {
		if r.Spans[i] > 0 {
			dst = append(dst, i)
		}
	}
	return dst
}

// ExplainedVariance is 1 − Var(result − value) / Var(result) over the samples, where
// result is the discounted return that the game actually had, shaping included: 1 for a
// value that predicts it, 0 for one as good as a constant. It is 0 if all results are
// equal.
func (r *Rollout) ExplainedVariance(gamma float64) float64 {
	var results, errs stat.Moments
	var samples []int
	for _, s := range r.Sequences {
		result := float64(s.Result)
		samples = r.samplesOf(s, samples[:0])
		for _, i := range slices.Backward(samples) {
			result = float64(r.Rewards[i]) + math.Pow(gamma, float64(r.Spans[i]-1))*result
			results.Add(result)
			errs.Add(result - float64(r.Values[i]))
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
