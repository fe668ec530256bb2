package solver

import "croupier/engine"

// branches are the states that a walk through a game has: at each depth those after all steps of one position. All of
// them are made before the first is followed, so that the steps of a game elsewhere ([engine.Deferred]) travel
// together.
type branches [][]engine.State

// after returns the states after steps that are possible in s, at a depth of the walk: until the next call for that
// depth they do not change.
func (b *branches) after(depth int, s engine.State, steps []int) ([]engine.State, error) {
	for len(*b) <= depth {
		*b = append(*b, nil)
	}
	states := (*b)[depth]
	for i, step := range steps {
		if i == len(states) {
			states = append(states, s.Clone())
		} else {
			states[i].CopyFrom(s)
		}
		if err := states[i].Apply(step); err != nil {
			return nil, err
		}
	}
	(*b)[depth] = states
	return states[:len(steps)], nil
}
