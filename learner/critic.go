package learner

import (
	"fmt"

	"croupier/engine"
)

// critic is a value network that sees what all seats see, hidden cards included, and who plays them, and takes the
// place of the policy's own value head in advantages and targets. The learner knows all that because it replays whole
// games; actors and everybody who plays the policy never need it. A baseline may depend on anything but the action
// it is subtracted for, so what the others hold makes advantages less random and not biased (Pinto et al.
// 2018, "Asymmetric actor critic", arXiv 1710.06542). So does whom one meets: the policy itself, or an opponent of
// the league, who is weaker or stronger (as the value function of AlphaStar sees more than its policy: Vinyals et al.
// 2019, "Grandmaster level in StarCraft II", methods).
type critic struct{ *side }

// view is what a value is computed from: the observation of one seat, or of all, with a flag for each of the others
// that says whether the learner's agent plays it.
type view struct {
	spec *engine.Spec
	all  bool
}

// size returns the number of values in an observation.
func (v view) size() int {
	if v.all {
		return criticSize(v.spec)
	}
	return v.spec.ObservationSize
}

// criticSize returns the number of values that the critic sees of a position.
func criticSize(spec *engine.Spec) int { return spec.Seats*spec.ObservationSize + spec.Seats - 1 }

// observe appends what a seat may know; for the critic then what the others may, in the order of the seats after
// it, and 1 for each of these that the agent plays, own says which, else 0.
func (v view) observe(s engine.State, seat int, own []bool, dst []float32) []float32 {
	seats := 1
	if v.all {
		seats = v.spec.Seats
	}
	for k := range seats {
		n := len(dst)
		dst = extend(dst, v.spec.ObservationSize)
		s.Observe((seat+k)%v.spec.Seats, dst[n:])
	}
	for k := 1; k < seats; k++ {
		flag := float32(0)
		if own[(seat+k)%v.spec.Seats] {
			flag = 1
		}
		dst = append(dst, flag)
	}
	return dst
}

// criticSpec describes the game as the critic sees it.
func criticSpec(spec *engine.Spec) *engine.Spec {
	var segments []engine.Segment
	for seat := range spec.Seats {
		for _, s := range spec.Segments {
			segments = append(segments, engine.Segment{Name: fmt.Sprintf("%d/%s", seat, s.Name), Size: s.Size})
		}
	}
	if spec.Seats > 1 {
		segments = append(segments, engine.Segment{Name: "own", Size: spec.Seats - 1})
	}
	out := *spec
	out.Segments, out.ObservationSize = engine.Segments(segments)
	return &out
}

// newCritic returns a critic with the layers that the settings say.
func newCritic(c PPOConfig, s setup) (*critic, error) {
	n, err := newSide("critic", criticSpec(s.network.Layout.Spec), c.Critic, c.Minibatch, c.Epochs, s)
	return &critic{n}, err
}

// see lays the rollout out as the critic sees it and computes the values of its decisions.
func (c *critic) see(r *rollout) []float32 {
	v := c.rollout
	n := r.len()
	v.observations, v.rewards, v.spans = r.everyone, r.rewards, r.spans
	v.actions, v.logProbs = resize(v.actions, n), resize(v.logProbs, n)
	v.legal, v.legalEnd = resize(v.legal, n), resize(v.legalEnd, n)
	for i := range n {
		v.actions[i], v.logProbs[i], v.legal[i], v.legalEnd[i] = 0, 0, onlyAction[0], i+1
	}
	v.sequences = append(v.sequences[:0], r.sequences...)
	return c.judgeAll()
}
