package league

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"croupier/internal/strict"
	"croupier/messages"
)

// Role reports what a learning agent is for (AlphaStar, Vinyals et al. 2019, methods).
type Role string

const (
	// Main is to become good: against everybody.
	Main Role = "main"
	// MainExploiter finds weaknesses of the main agent as it is now.
	MainExploiter Role = "main_exploiter"
	// LeagueExploiter finds weaknesses of the whole population.
	LeagueExploiter Role = "league_exploiter"
)

// maxAgents is the greatest number of learning agents of a run.
const maxAgents = 16

// Agent is a learning agent of a run, with a learner of its own.
type Agent struct {
	Name string `yaml:"name"`
	Role Role   `yaml:"role"`
	// Share is the weight with which the agent gets a part of the workers that play training games. 0 is 1.
	Share float64 `yaml:"share,omitempty"`
	// Weighting is how its opponents are weighted by how well it fares against them; "" is hard. A main exploiter has
	// a rule of its own.
	Weighting Weighting `yaml:"weighting,omitempty"`
	// An exploiter begins again with new weights once its newest version comes out ahead of the main agent's newest one
	// with a chance of ResetAbove, or after ResetUpdates updates of its learner. 0 are the defaults below.
	ResetAbove   float64 `yaml:"reset_above,omitempty"`
	ResetUpdates uint64  `yaml:"reset_updates,omitempty"`
}

// When exploiters begin again, unless their settings say otherwise: AlphaStar's exploiters do so when they win more
// than 70 % of their games, or after a time (Vinyals et al. 2019, methods).
const (
	defaultResetAbove   = 0.7
	defaultResetUpdates = 20_000
)

// Learning returns the learning agents of the run, the main agent first: those of Agents, with their defaults
// filled in, or the main agent alone if there are none.
func (c Config) Learning() []Agent {
	agents := slices.Clone(c.Agents)
	if len(agents) == 0 {
		agents = []Agent{{Name: messages.LearningAgent, Role: Main}}
	}
	for i := range agents {
		a := &agents[i]
		a.Share, a.Weighting = cmp.Or(a.Share, 1), cmp.Or(a.Weighting, Hard)
		if a.Role != Main {
			a.ResetAbove, a.ResetUpdates = cmp.Or(a.ResetAbove, defaultResetAbove), cmp.Or(a.ResetUpdates, defaultResetUpdates)
		}
	}
	first := slices.IndexFunc(agents, func(a Agent) bool { return a.Role == Main })
	if first > 0 {
		main := agents[first]
		agents = slices.Insert(slices.Delete(agents, first, first+1), 0, main)
	}
	return agents
}

// Agent returns the learning agent of a name.
func (c Config) Agent(name string) (Agent, error) {
	var names []string
	for _, a := range c.Learning() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return Agent{}, fmt.Errorf("no agent %q learns in this run; there are %s", name, strings.Join(names, ", "))
}

// validateAgents names the first wrong field of a list of learning agents.
func validateAgents(agents []Agent) error {
	if len(agents) == 0 {
		return nil
	}
	if len(agents) > maxAgents {
		return strict.Errorf("agents", "%d, at most %d are possible", len(agents), maxAgents)
	}
	for i, a := range agents {
		path := strict.Element("agents", i)
		if err := a.validate(); err != nil {
			return strict.Under(path, err)
		}
		if slices.ContainsFunc(agents[:i], func(b Agent) bool { return b.Name == a.Name }) {
			return strict.Errorf(path+".name", "%q appears twice", a.Name)
		}
	}
	if !slices.ContainsFunc(agents, func(a Agent) bool { return a.Role == Main }) {
		return strict.Errorf("agents", "none is %q, with the role %s", messages.LearningAgent, Main)
	}
	return nil
}

func (a Agent) validate() error {
	if err := messages.CheckToken(a.Name); err != nil {
		return strict.Errorf("name", "%v", err)
	}
	if len(a.Name) > maxNameOfAgent {
		return strict.Errorf("name", "%q has %d bytes, the limit is %d", a.Name, len(a.Name), maxNameOfAgent)
	}
	if _, err := rules.find(a.Role); err != nil {
		return strict.Errorf("role", "%w", err)
	}
	if (a.Role == Main) != (a.Name == messages.LearningAgent) {
		return strict.Errorf("role", "the agent with the role %s, and no other, is called %q", Main, messages.LearningAgent)
	}
	if a.Share != 0 && !(a.Share >= 0.001 && a.Share <= 1000) {
		return strict.Errorf("share", "%v is not in 0.001..1000", a.Share)
	}
	if _, err := weightings.find(cmp.Or(a.Weighting, Hard)); err != nil {
		return strict.Errorf("weighting", "%w", err)
	}
	switch {
	case a.Weighting != "" && a.Role == MainExploiter:
		return strict.Errorf("weighting", "the role %s has a rule of its own", a.Role)
	case a.Role == Main && (a.ResetAbove != 0 || a.ResetUpdates != 0):
		return strict.Between("reset_above", "reset_updates", "the agent %q is never reset", a.Name)
	case a.ResetAbove != 0 && !(a.ResetAbove > 0.5 && a.ResetAbove <= 1):
		return strict.Errorf("reset_above", "%v is not a chance above 0.5", a.ResetAbove)
	case a.ResetUpdates > math.MaxInt32:
		return strict.Errorf("reset_updates", "must be a whole number in 0..%d", math.MaxInt32)
	}
	return nil
}

// maxNameOfAgent leaves room for what the names of objects, files and locks have besides it.
const maxNameOfAgent = 32
