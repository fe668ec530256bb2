package learner

import (
	"context"

	"croupier/engine"
)

// Boundary values make each round of a game (engine.Bounded) an episode of its own: its result is what the game is
// worth after it, W(scores, whose deal it is, …), which a side network learns from self-play. So the luck of the
// rounds to come, above all that of the next deal, stays out of the advantages (the global reward prediction of
// Suphx: Li et al. 2020, arXiv 2003.13590).

// boundaryMinibatch is smaller than those of the policy: a game has few boundaries.
const boundaryMinibatch = 512

// boundaryLambda is the λ of the targets of W. A game has some ten boundaries, so results have much of the weight.
const boundaryLambda = 0.9

// rounds holds the boundaries of games in columns; each row is one as a seat sees it that has a sample already. Their
// spans count the seat's decisions up to its next boundary, or to the end of the game.
type rounds struct {
	decisions
	sequences []sequence // of one seat in one game each
	cuts      []ending
	crossed   int // decisions of the seat before the newest boundary; while a game is being recorded

	values  []float32 // by row; nil: rounds are no episodes. Computed by the trainer
	lengths []int32   // spans of the rollout's samples within their rounds
}

// ending says that a round ended between a sample and the same seat's next one, or the end of the game.
type ending struct {
	sample, boundary int     // rows
	span             int32   // decisions of the seat from the sample to the boundary
	reward           float32 // shaping rewards between them
}

func (b *rounds) clear() {
	b.decisions.clear()
	b.sequences, b.cuts, b.crossed, b.values = b.sequences[:0], b.cuts[:0], 0, nil
}

// cross notes the boundary that a chance node may be, for all seats. Games of some stages have none.
func (r *recorder) cross(s engine.State) {
	if b, ok := s.(engine.Bounded); ok && b.Boundary() {
		for i := range r.seats {
			r.seats[i].cross(s, i)
		}
	}
}

// cross adds a boundary, unless the seat has decided nothing since the one before or has no sample yet.
func (r *record) cross(s engine.State, seat int) {
	b := &r.rounds
	if r.newest == none || b.crossed == r.made {
		return
	}
	b.endRound(r.made)
	if !r.isCut() {
		b.cuts = append(b.cuts, ending{r.newest, b.len(), r.spans[r.newest], r.rewards[r.newest]})
	}
	b.add(s, seat, onlyAction[0], onlyAction, 0)
	b.crossed = r.made
}

// isCut reports whether a boundary has followed the newest sample.
func (r *record) isCut() bool {
	cuts := r.rounds.cuts
	return len(cuts) > 0 && cuts[len(cuts)-1].sample == r.newest
}

// endRound sets the span of the newest boundary, given the number of decisions of the seat so far.
func (b *rounds) endRound(made int) {
	if n := b.len(); n > 0 {
		b.spans[n-1] = int32(max(1, made-b.crossed))
	}
}

// addRounds appends the boundaries of a seat in a game whose sequence comes next.
func (r *rollout) addRounds(d *record, result float32) {
	from, n := &d.rounds, d.rounds.len()
	if n == 0 {
		return
	}
	from.endRound(d.made)
	b, base := &r.rounds, r.len()
	for _, c := range from.cuts {
		c.sample += base
		c.boundary += b.len()
		b.cuts = append(b.cuts, c)
	}
	b.sequences = append(b.sequences, sequence{first: b.len(), length: n, result: result, weight: 1})
	b.decisions.append(&from.decisions, n)
}

// shorten makes the spans and rewards of samples end with their rounds and returns the spans.
func (b *rounds) shorten(spans []int32, rewards []float32) []int32 {
	b.lengths = append(b.lengths[:0], spans...)
	for _, c := range b.cuts {
		b.lengths[c.sample], rewards[c.sample] = c.span, c.reward
	}
	return b.lengths
}

// boundary is the side network of boundary values.
type boundary struct {
	*side
	gamma float64
}

// newBoundary returns a network with the layers that the settings say.
func newBoundary(c PPOConfig, s setup) (*boundary, error) {
	minibatch := min(boundaryMinibatch, c.Minibatch)
	n, err := newSide("boundary", s.network.Layout.Spec, c.BoundaryValue, minibatch, c.Epochs, s)
	return &boundary{n, s.config.Gamma}, err
}

// see values the boundaries of games that the network has not learnt from, and makes their rounds episodes if it
// explains something of how these games ended. It returns what share of the variance it explains.
func (n *boundary) see(b *rounds) (explained float64) {
	v, spec := n.rollout, n.rollout.spec
	v.decisions, v.sequences = b.decisions, append(v.sequences[:0], b.sequences...)
	v.spec = spec // with a single action
	if v.len() == 0 {
		return 0
	}
	values := n.judgeAll()
	if explained = v.explainedVariance(n.gamma); explained > 0 {
		b.values = values
	}
	return explained
}

// learn moves the network towards TD(λ) returns from boundary to boundary, whose last one is the result of the game.
func (n *boundary) learn(ctx context.Context, progress float64) error {
	v := n.rollout
	if v.len() == 0 {
		return nil
	}
	v.estimate(v.values, n.gamma, boundaryLambda)
	return n.side.learn(ctx, v.targets, progress)
}
