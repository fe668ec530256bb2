package agents

import (
	"fmt"

	"croupier/catalog"
	"croupier/nn"
)

// Trained is the name of the network that comes with the program for a game under its rules, as an agent.
const Trained = "trained"

// shipped is the network that comes with the program for the game under its rules: the game's own network, or else that
// of its family of tables.
type shipped struct {
	network *nn.Network
	digest  string // of its file
	family  bool   // it is that of the family
	err     error  // why there is none
}

// findTrained finds the network that comes with the program.
func (a *Agents) findTrained() (s shipped) {
	if a.entry.Network == nil {
		s.err = &NameError{fmt.Errorf("agent %s: no network for %s comes with the program", Trained, a.entry.Name)}
		return s
	}
	for i, file := range [][]byte{a.entry.Network, a.entry.Family} {
		if file == nil {
			continue
		}
		if s.network, s.err = a.decode(file); s.err == nil {
			s.digest, s.family = catalog.Digest(file), i == 1
			return s
		}
	}
	s.err = fmt.Errorf("agent %s: the network that comes with the program: %w", Trained, s.err)
	return s
}

// HasTrained reports whether a network for the game under its rules comes with the program.
func (a *Agents) HasTrained() bool { return a.trained().err == nil }

// OfFamily reports whether that network is the one of the game's family of tables.
func (a *Agents) OfFamily() bool { return a.trained().family }

// Compared returns the comparison of the game's agents that comes with the program: under its rules, or else, and then
// here is false, under the usual ones.
func (a *Agents) Compared() (c *catalog.Comparison, here bool, err error) {
	recorded := a.compared()
	return recorded.comparison, recorded.here, recorded.err
}

// recordedComparison is what [Agents.Compared] returns.
type recordedComparison struct {
	comparison *catalog.Comparison
	here       bool
	err        error
}
