package bench

import (
	"fmt"

	"croupier/engine"
	"croupier/nn"
)

// Network is a network whose inference and training are measured.
type Network struct {
	Name        string
	Description nn.Description
	Spec        *engine.Spec // of the game it plays
	Positions   []Position   // which it is asked about
}

// Position is what the seat to move observes, and its legal actions.
type Position struct {
	Observation []float32
	Legal       []int
}

// positions is how many positions a network is asked about, in turn.
const positions = 512

// played returns positions with a choice from games that are played at random: most of an observation is 0 in many
// games, and few actions are legal.
func played(g engine.Game) []Position {
	list := make([]Position, 0, positions)
	rng := engine.NewRNG(1, engine.ActionStream)
	for s := g.NewState(); len(list) < positions; {
		step := 0
		switch s.Player() {
		case engine.Terminal:
			s.Reset()
			continue
		case engine.Chance:
			step = s.SampleChance(rng)
		default:
			legal := s.LegalActions(nil)
			if len(legal) > 1 {
				p := Position{make([]float32, g.Spec().ObservationSize), legal}
				s.Observe(s.Player(), p.Observation)
				list = append(list, p)
			}
			step = legal[rng.IntN(len(legal))]
		}
		if err := s.Apply(step); err != nil {
			panic(fmt.Sprintf("bench: a legal step of %s: %v", g.Spec().Name, err))
		}
	}
	return list
}

// invented returns positions of no game: noise, with every action legal.
func invented(spec *engine.Spec) []Position {
	list := make([]Position, positions)
	for i := range list {
		list[i] = Position{noise(spec.ObservationSize, uint64(i)), make([]int, spec.Actions)}
		for a := range spec.Actions {
			list[i].Legal[a] = a
		}
	}
	return list
}

// ReferenceNetworks returns networks with 128 inputs, 32 actions and a value; they play no
// real game.
func ReferenceNetworks() []Network {
	spec := &engine.Spec{
		Name: "benchmark", Seats: 2, Actions: 32, ObservationSize: 128, MaxReturn: 1,
		Segments:     []engine.Segment{{Name: "all", Size: 128}},
		ActionGroups: []engine.ActionGroup{{Name: "all", Count: 32}},
	}
	return []Network{
		{"R128", nn.Description{Dense: []int{128}, LSTM: []int{128}}, spec, invented(spec)},
		{"dense2x64", nn.Description{Dense: []int{64, 64}}, spec, invented(spec)},
	}
}
