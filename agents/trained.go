package agents

import (
	"fmt"

	"croupier/nn"
)

// Trained is the name of the network that comes with the program for a game under its default
// rules, as an agent.
const Trained = "trained"

// trained returns the network that comes with the program.
func (a *Agents) trained() (*nn.Network, error) {
	if a.entry.Network == nil {
		return nil, &NameError{fmt.Errorf("agent %s: no network for %s comes with the program", Trained, a.entry.Name)}
	}
	n, err := a.decode(a.entry.Network)
	if err != nil {
		return nil, fmt.Errorf("agent %s: the network that comes with the program: %w", Trained, err)
	}
	return n, nil
}
