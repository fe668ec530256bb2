package league

import (
	"fmt"
	"slices"
	"strings"

	"croupier/internal/strict"
	"croupier/messages"
)

// Role says what a learning agent is for (AlphaStar, Vinyals et al. 2019, methods).
type Role string

const (
	// Main is to become good: against everybody.
	Main Role = "main"
	// MainExploiter finds weaknesses of the main agent as it is now.
	MainExploiter Role = "main_exploiter"
	// LeagueExploiter finds weaknesses of the whole population.
	LeagueExploiter Role = "league_exploiter"
)

var roles = []Role{Main, MainExploiter, LeagueExploiter}

// maxAgents is the greatest number of learning agents of a run.
const maxAgents = 16

// Agent is a learning agent of a run, with a learner of its own.
type Agent struct {
	Name string `yaml:"name"`
	Role Role   `yaml:"role"`
	// Share is the weight with which the agent gets a part of the workers that play training games. 0 is 1.
	Share float64 `yaml:"share,omitempty"`
}

// Learning returns the learning agents of the run, the main agent first: those of Agents, with their defaults
// filled in, or the main agent alone if there are none.
func (c Config) Learning() []Agent {
	agents := slices.Clone(c.Agents)
	if len(agents) == 0 {
		agents = []Agent{{Name: messages.LearningAgent, Role: Main}}
	}
	for i := range agents {
		if agents[i].Share == 0 {
			agents[i].Share = 1
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
		return fmt.Errorf("agents: %d, at most %d are possible", len(agents), maxAgents)
	}
	for i, a := range agents {
		path := strict.Element("agents", i)
		if err := a.validate(); err != nil {
			return fmt.Errorf("%s.%w", path, err)
		}
		if slices.ContainsFunc(agents[:i], func(b Agent) bool { return b.Name == a.Name }) {
			return fmt.Errorf("%s.name: %q is there twice", path, a.Name)
		}
	}
	if !slices.ContainsFunc(agents, func(a Agent) bool { return a.Role == Main }) {
		return fmt.Errorf("agents: none is %q, with the role %s", messages.LearningAgent, Main)
	}
	return nil
}

func (a Agent) validate() error {
	if err := messages.CheckToken(a.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if len(a.Name) > maxNameOfAgent {
		return fmt.Errorf("name: %q has %d bytes, the limit is %d", a.Name, len(a.Name), maxNameOfAgent)
	}
	if !slices.Contains(roles, a.Role) {
		return fmt.Errorf("role: %q is none of main, main_exploiter, league_exploiter", a.Role)
	}
	if (a.Role == Main) != (a.Name == messages.LearningAgent) {
		return fmt.Errorf("role: the agent with the role %s, and no other, is called %q", Main, messages.LearningAgent)
	}
	if !(a.Share >= 0 && a.Share <= 1000) {
		return fmt.Errorf("share: %v is not in 0..1000", a.Share)
	}
	return nil
}

// maxNameOfAgent leaves room for what the names of objects, files and locks have beside it.
const maxNameOfAgent = 32
