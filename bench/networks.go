package bench

import (
	"croupier/engine"
	"croupier/nn"
)

// Network is a network whose inference and training are measured.
type Network struct {
	Name        string
	Description nn.Description
	Spec        *engine.Spec // of the game it plays
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
		{"R128", nn.Description{Dense: []int{128}, LSTM: []int{128}}, spec},
		{"dense2x64", nn.Description{Dense: []int{64, 64}}, spec},
	}
}
