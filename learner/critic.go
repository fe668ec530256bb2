package learner

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/nn"
)

// critic is a value network that sees what all seats see, hidden cards included, and takes the place of the
// policy's own value head in advantages and targets. The learner knows all that because it replays whole games;
// actors and everybody who plays the policy never need it. A baseline may depend on anything but the action
// it is subtracted for, so what the others hold makes advantages less random and not biased (Pinto et al.
// 2018, "Asymmetric actor critic", arXiv 1710.06542).
//
// It is trained as the policy is, by its own descent, on the targets of the rollout: it is a network of action
// values with a single action.
type critic struct {
	*descent
	everyone view
	epochs   int
	rollout  *rollout // of an iteration, as the critic sees it
}

// criticAction is the only action that the critic knows.
var criticAction = []int{0}

// view is what a value is computed from: the observation of one seat, or of all.
type view struct {
	spec *engine.Spec
	all  bool
}

// size returns the number of values in an observation.
func (v view) size() int {
	if v.all {
		return v.spec.Seats * v.spec.ObservationSize
	}
	return v.spec.ObservationSize
}

// observe appends what a seat may know, and then what the others may, in the order of the seats after it.
func (v view) observe(s engine.State, seat int, dst []float32) []float32 {
	seats := 1
	if v.all {
		seats = v.spec.Seats
	}
	for k := range seats {
		n := len(dst)
		dst = extend(dst, v.spec.ObservationSize)
		s.Observe((seat+k)%v.spec.Seats, dst[n:])
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
	out := *spec
	out.Segments, out.ObservationSize = engine.Segments(segments)
	out.Actions, out.ActionGroups = 1, []engine.ActionGroup{{Name: "value", Count: 1}}
	return &out
}

// newCritic returns a critic with dense layers of the given sizes.
func newCritic(c PPOConfig, s setup) (*critic, error) {
	spec := s.network.Layout.Spec
	layout, err := nn.NewLayout(nn.Description{Dense: c.Critic, Outputs: nn.ActionValueOutputs}, criticSpec(spec))
	if err != nil {
		return nil, err
	}
	n, err := nn.NewNetwork(layout, layout.Init(s.seed))
	if err != nil {
		return nil, err
	}
	s.network = n
	d, err := newDescent(s, c.Minibatch)
	if err != nil {
		return nil, err
	}
	return &critic{d, view{spec, true}, c.Epochs, newRollout(layout.Spec)}, nil
}

// see lays the rollout out as the critic sees it and computes the values of its decisions.
func (c *critic) see(r *rollout) []float32 {
	v := c.rollout
	n := r.len()
	v.observations, v.rewards, v.spans = r.everyone, r.rewards, r.spans
	v.actions, v.logProbs = resize(v.actions, n), resize(v.logProbs, n)
	v.legal, v.legalEnd = resize(v.legal, n), resize(v.legalEnd, n)
	for i := range n {
		v.actions[i], v.logProbs[i], v.legal[i], v.legalEnd[i] = 0, 0, criticAction[0], i+1
	}
	v.sequences = slices.Clone(r.sequences)
	v.prepare(c.steps, 0)
	c.evaluate(c.network, v, takeAll)
	return v.values
}

// learn moves the critic towards the targets of the rollout that it saw last.
//
// Weights that are not sound are undone and tried with smaller steps the next time: they are nothing that anybody plays.
func (c *critic) learn(ctx context.Context, targets []float32, progress float64) error {
	c.rollout.targets = targets
	rep := report{learningRate: c.learningRate(progress)}
	err := c.attempt(c.rollout, func() error {
		o := objective{loss: graph.TemporalDifference{}, write: (*rollout).writeAction}
		_, err := c.passes(ctx, c.epochs, c.rollout, o, &rep)
		return err
	})
	if err != nil && !errors.Is(err, errUnsound) {
		return fmt.Errorf("critic: %w", err)
	}
	return nil
}

// forget begins with new weights.
func (c *critic) forget() {
	n, err := nn.NewNetwork(c.network.Layout, c.network.Layout.Init(c.rng.Uint64()))
	if err != nil {
		panic("learner: new weights of the critic: " + err.Error())
	}
	c.adopt(n, false)
}

// Names in checkpoints: the prefix of the critic's tensors, and the key of the rest of its state.
const (
	criticPrefix = "critic/"
	criticKey    = "critic"
)

// criticState is what a checkpoint says of the critic beside its tensors.
type criticState struct {
	Steps uint64 `json:"steps"` // of Adam
	RNG   string `json:"rng"`   // hexadecimal
}

// lists returns the critic's flat lists with the prefixes of their tensors.
func (c *critic) lists() []part {
	return []part{
		{criticPrefix, &c.weights}, {criticPrefix + firstMomentPrefix, &c.adam.m}, {criticPrefix + secondMomentPrefix, &c.adam.v},
	}
}

// save adds the critic to a snapshot.
func (c *critic) save(s *snapshot) error {
	rng, err := c.rng.MarshalBinary()
	if err != nil {
		return fmt.Errorf("random stream of the critic: %w", err)
	}
	state, err := json.Marshal(criticState{c.adam.step, hex.EncodeToString(rng)})
	if err != nil {
		return err
	}
	s.CriticState = string(state)
	for _, list := range c.lists() {
		for i, p := range c.network.Layout.Parameters {
			s.Critic = append(s.Critic, nn.Tensor{Name: list.prefix + p.Name, Shape: p.Shape, Data: c.network.Layout.Slice(*list.flat, i)})
		}
	}
	return nil
}

// load returns to a snapshot. Without a critic in it, or with one of other layers, this one stays as it is: it
// learns within some iterations what it has missed.
func (c *critic) load(s *snapshot) error {
	layout, tensors := c.network.Layout, s.Critic
	for _, list := range c.lists() {
		for _, p := range layout.Parameters {
			if len(tensors) == 0 || tensors[0].Name != list.prefix+p.Name || !slices.Equal(tensors[0].Shape, p.Shape) {
				return nil
			}
			tensors = tensors[1:]
		}
	}
	var state criticState
	if err := json.Unmarshal([]byte(s.CriticState), &state); err != nil {
		return fmt.Errorf("metadata: %s: %w", criticKey, err)
	}
	rng, err := hex.DecodeString(state.RNG)
	if err == nil {
		err = c.rng.UnmarshalBinary(rng)
	}
	if err != nil {
		return fmt.Errorf("metadata: %s: random stream: %w", criticKey, err)
	}
	tensors = s.Critic
	for _, list := range c.lists() {
		for i := range layout.Parameters {
			copy(layout.Slice(*list.flat, i), tensors[0].Data)
			tensors = tensors[1:]
		}
	}
	c.adam.step = state.Steps
	c.network, err = nn.NewNetwork(layout, slices.Clone(c.weights))
	return err
}

// ofCritic reports whether a tensor of a checkpoint belongs to the critic.
func ofCritic(t nn.Tensor) bool { return strings.HasPrefix(t.Name, criticPrefix) }
