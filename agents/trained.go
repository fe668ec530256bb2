package agents

import (
	"fmt"
	"strings"

	"croupier/agents/shipped"
	"croupier/engine"
	"croupier/nn"
)

// Trained is the name of the network that comes with the program for a game under its default
// rules, as an agent.
const Trained = "trained"

// trained returns the network that comes with the program.
func (a *Agents) trained() (*nn.Network, error) {
	name := a.game.Spec().Name
	data := shipped.Network(name)
	if data == nil {
		return nil, &NameError{fmt.Errorf("agent %s: no network for %s comes with the program, only for %s",
			Trained, name, strings.Join(shipped.Games(), ", "))}
	}
	n, err := a.decode(data)
	if err != nil {
		return nil, fmt.Errorf("agent %s: the network that comes with the program: %w", Trained, err)
	}
	return n, nil
}

// hasTrained says whether a network for the game under these rules comes with the program.
func hasTrained(game engine.Game) bool {
	_, err := New(game, Sources{}).trained()
	return err == nil
}
