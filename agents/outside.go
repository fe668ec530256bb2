package agents

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"croupier/agents/external"
	"croupier/policy"
)

// outside holds the agents outside this program that were asked for.
type outside struct {
	mu   sync.Mutex
	list []*external.Agent
}

// external starts an agent outside this program. It ends with ctx.
func (a *Agents) external(ctx context.Context, name string) (func() policy.Policy, error) {
	if !a.sources.Programs {
		return nil, &NameError{fmt.Errorf("agent %s: external agents (exec:, http:) are not allowed here", name)}
	}
	if _, err := external.Parse(name); err != nil {
		return nil, &NameError{fmt.Errorf("agent %s: %w", name, err)}
	}
	agent, err := external.Open(ctx, a.game, name)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", name, err)
	}
	a.outside.mu.Lock()
	defer a.outside.mu.Unlock()
	a.outside.list = append(a.outside.list, agent)
	return func() policy.Policy { return agent.Policy(ctx) }, nil
}

// Failed reports which agents outside this program were given up; nil if none was.
func (a *Agents) Failed() error {
	a.outside.mu.Lock()
	defer a.outside.mu.Unlock()
	var list []error
	for _, agent := range a.outside.list {
		list = append(list, agent.Err())
	}
	return errors.Join(list...)
}

// Conduct says of each agent outside this program, some of whose decisions were drawn at random
// because it did not answer as it should, how many they were.
func (a *Agents) Conduct() (lines []string) {
	a.outside.mu.Lock()
	defer a.outside.mu.Unlock()
	for _, agent := range a.outside.list {
		if line := agent.Conduct(); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
