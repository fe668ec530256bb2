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

// side is a value network of the learner's own, which helps to train the policy: nothing of it is published. It is
// trained as the policy is, by its own descent, on targets for the decisions of a rollout as it sees them. It is a
// network of action values with a single action.
type side struct {
	*descent
	name    string // in checkpoints and errors
	epochs  int
	rollout *rollout // of an iteration, as the network sees it
}

// onlyAction lists the only action that a side network knows.
var onlyAction = []int{0}

// newSide returns a side network with dense layers of the given sizes over the observations of spec.
func newSide(name string, spec *engine.Spec, layers []int, minibatch, epochs int, s setup) (*side, error) {
	values := *spec
	values.Actions, values.ActionGroups = 1, []engine.ActionGroup{{Name: "value", Count: 1}}
	layout, err := nn.NewLayout(nn.Description{Dense: layers, Outputs: nn.ActionValueOutputs}, &values)
	if err != nil {
		return nil, err
	}
	if s.network, err = nn.NewNetwork(layout, layout.Init(s.seed)); err != nil {
		return nil, err
	}
	d, err := newDescent(s, minibatch)
	if err != nil {
		return nil, err
	}
	return &side{d, name, epochs, newRollout(layout.Spec)}, nil
}

// sides returns the side networks that there are.
func (t *ppo) sides() (list []*side) {
	if t.critic != nil {
		list = append(list, t.critic.side)
	}
	if t.boundary != nil {
		list = append(list, t.boundary.side)
	}
	return list
}

// judgeAll computes the values of its rollout's decisions.
func (n *side) judgeAll() []float32 {
	n.prepare(n.rollout)
	n.evaluate(n.network, n.rollout, takeAll)
	return n.rollout.values
}

// learn moves the network towards targets of the rollout that it saw last.
//
// Weights that are not sound are undone and tried with smaller steps the next time: nobody plays with them.
func (n *side) learn(ctx context.Context, targets []float32, progress float64) error {
	n.rollout.targets = targets
	rep := report{learningRate: n.learningRate(progress)}
	err := n.attempt(n.rollout, func() error {
		o := objective{loss: graph.TemporalDifference{}, write: (*rollout).writeAction}
		_, err := n.passes(ctx, n.epochs, n.rollout, o, &rep)
		return err
	})
	if err != nil && !errors.Is(err, errUnsound) {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	return nil
}

// forget begins with new weights.
func (n *side) forget() {
	fresh, err := nn.NewNetwork(n.network.Layout, n.network.Layout.Init(n.rng.Uint64()))
	if err != nil {
		panic("learner: new weights of " + n.name + ": " + err.Error())
	}
	n.adopt(fresh, false)
}

// sideNames lists the side networks: prefixes of their tensors in checkpoints, with a slash, and keys of the rest of
// their state.
var sideNames = []string{"critic", "boundary"}

// sideState is what a checkpoint says of a side network beside its tensors.
type sideState struct {
	Steps uint64 `json:"steps"` // of Adam
	RNG   string `json:"rng"`   // hexadecimal
}

// lists returns the network's flat lists with the prefixes of their tensors.
func (n *side) lists() []part {
	prefix := n.name + "/"
	return []part{
		{prefix, &n.weights}, {prefix + firstMomentPrefix, &n.adam.m}, {prefix + secondMomentPrefix, &n.adam.v},
	}
}

// save adds the network to a snapshot.
func (n *side) save(s *snapshot) error {
	rng, err := n.rng.MarshalBinary()
	if err != nil {
		return fmt.Errorf("random stream of %s: %w", n.name, err)
	}
	state, err := json.Marshal(sideState{n.adam.step, hex.EncodeToString(rng)})
	if err != nil {
		return err
	}
	if s.SideStates == nil {
		s.SideStates = map[string]string{}
	}
	s.SideStates[n.name] = string(state)
	layout := n.network.Layout
	for _, list := range n.lists() {
		for i, p := range layout.Parameters {
			t := nn.Tensor{Name: list.prefix + p.Name, Shape: p.Shape, Data: layout.Slice(*list.flat, i)}
			s.Sides = append(s.Sides, t)
		}
	}
	return nil
}

// load returns to a snapshot. Without this network in it, or with one of other layers, it stays as it is: it
// learns within some iterations what it has missed.
func (n *side) load(s *snapshot) error {
	layout, flat := n.network.Layout, n.lists()
	var kept []nn.Tensor
	for _, t := range s.Sides {
		if strings.HasPrefix(t.Name, n.name+"/") {
			kept = append(kept, t)
		}
	}
	tensors := kept
	for _, list := range flat {
		for _, p := range layout.Parameters {
			if len(tensors) == 0 || tensors[0].Name != list.prefix+p.Name || !slices.Equal(tensors[0].Shape, p.Shape) {
				return nil
			}
			tensors = tensors[1:]
		}
	}
	var state sideState
	if err := json.Unmarshal([]byte(s.SideStates[n.name]), &state); err != nil {
		return fmt.Errorf("metadata: %s: %w", n.name, err)
	}
	rng, err := hex.DecodeString(state.RNG)
	if err == nil {
		err = n.rng.UnmarshalBinary(rng)
	}
	if err != nil {
		return fmt.Errorf("metadata: %s: random stream: %w", n.name, err)
	}
	for _, list := range flat {
		for i := range layout.Parameters {
			copy(layout.Slice(*list.flat, i), kept[0].Data)
			kept = kept[1:]
		}
	}
	n.adam.step = state.Steps
	n.network, err = nn.NewNetwork(layout, slices.Clone(n.weights))
	return err
}

// sideStates returns the states of side networks in the metadata of a checkpoint, nil if it has none.
func sideStates(metadata map[string]string) map[string]string {
	var states map[string]string
	for _, name := range sideNames {
		if state, ok := metadata[name]; ok {
			if states == nil {
				states = map[string]string{}
			}
			states[name] = state
		}
	}
	return states
}

// ofSide reports whether a tensor of a checkpoint belongs to a side network.
func ofSide(t nn.Tensor) bool {
	return slices.ContainsFunc(sideNames, func(name string) bool { return strings.HasPrefix(t.Name, name+"/") })
}
