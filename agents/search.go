package agents

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"croupier/engine"
	"croupier/policy"
	"croupier/search"
)

// isSearch recognises names like "search:main@12" and "search(2,64):file:PATH".
func isSearch(name string) bool {
	head, _, ok := strings.Cut(name, ":")
	return ok && (head == "search" || strings.HasPrefix(head, "search("))
}

// parseSearch splits the name of a search agent into its options and the agent whose
// network it searches with.
func parseSearch(name string, defaults search.Options) (o search.Options, agent string, err error) {
	head, agent, _ := strings.Cut(name, ":")
	o = defaults
	_, numbers, err := engine.ParseCall(head)
	if err != nil {
		return o, "", err
	}
	if len(numbers) > 2 {
		return o, "", fmt.Errorf("%q: at most two numbers are allowed, depth and samples", head)
	}
	for i, option := range []*int{&o.Depth, &o.Samples}[:len(numbers)] {
		if *option = int(numbers[i]); float64(*option) != numbers[i] {
			return o, "", fmt.Errorf("%q: %v is not a whole number", head, numbers[i])
		}
	}
	if agent == "" {
		return o, "", fmt.Errorf("it does not say which network searches; " +
			"it must look like search:main@12 or search:file:PATH")
	}
	return o, agent, o.Validate()
}

// searching returns the policies of a search agent.
func (a *Agents) searching(ctx context.Context, name string) (func() policy.Policy, error) {
	wrap := func(err error) error { return &NameError{fmt.Errorf("agent %s: %w", name, err)} }
	o, agent, err := parseSearch(name, search.DefaultOptions(a.game.Spec()))
	if err != nil {
		return nil, wrap(err)
	}
	if isSearch(agent) {
		return nil, wrap(fmt.Errorf("a search cannot contain a search"))
	}
	if err := search.Check(a.game); err != nil {
		return nil, wrap(err)
	}
	if t, network, err := policy.CutTemperature(agent); err != nil || network != agent {
		if err == nil {
			err = fmt.Errorf("a search takes its best action, %s or not: write %s", t,
				strings.Replace(name, agent, network, 1))
		}
		return nil, wrap(err)
	}
	player, err := a.Player(ctx, agent)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if player.Network == nil {
		return nil, wrap(fmt.Errorf("%s is not a network: it does not know what positions are worth", agent))
	}
	if err := search.CheckNetwork(player.Network); err != nil {
		return nil, wrap(err)
	}
	noise := sync.OnceValue(func() search.Noise {
		return search.Residual(a.game, search.NewNetwork(player.Network), o)
	})
	return func() policy.Policy {
		return search.New(a.game, search.NewNetwork(player.Network), noise(), o)
	}, nil
}
