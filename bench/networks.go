package bench

import (
	"croupier/engine"
	"croupier/nn"
)

// network is one of the reference networks: 128 inputs, 32 actions and a value.
type network struct {
	name        string
	description nn.Description
}

var networks = []network{
	{"R128", nn.Description{Dense: []int{128}, LSTM: []int{128}}},
	{"dense2x64", nn.Description{Dense: []int{64, 64}}},
}

// networkSpec has the sizes of the reference networks; it is no game.
var networkSpec = &engine.Spec{
	Name: "benchmark", Seats: 2, Actions: 32, ObservationSize: 128, MaxReturn: 1,
	Segments:     []engine.Segment{{Name: "all", Size: 128}},
	ActionGroups: []engine.ActionGroup{{Name: "all", Count: 32}},
}

// allLegal are the legal actions of every measured decision.
var allLegal = func() []int {
	legal := make([]int, networkSpec.Actions)
	for i := range legal {
		legal[i] = i
	}
	return legal
}()
