package agents

import (
	"errors"
	"fmt"

	"croupier/engine"
	"croupier/player"
	"croupier/policy"
)

// DefaultPlay names the agent that plays a trained network as networks of the game play best:
// "greedy:main@12" for main@12, or just main@12 where a mixture of actions is the point
// (engine.Spec.Temperature). A name that says how the network plays stays as it is.
func DefaultPlay(spec *engine.Spec, network string) string {
	if _, plain, err := policy.CutTemperature(network); err != nil || plain != network {
		return network
	}
	return policy.Temperature(spec.Temperature).Of(network)
}

// checkTemperature reports why the agent cannot be played at a temperature, as far as its name
// shows.
func checkTemperature(agent string) error {
	if _, network, err := policy.CutTemperature(agent); err != nil || network != agent {
		return fmt.Errorf("%s already names a temperature", agent)
	}
	switch kindOf(agent) {
	case "network", "file", "trained":
		return nil
	case "search":
		return fmt.Errorf("a search takes its best action and has no temperature: it is just %s", agent)
	}
	return notTrained(agent)
}

func notTrained(agent string) error {
	return fmt.Errorf("%s is not a network: only trained networks have a temperature", agent)
}

// errActionValues: there is nothing to draw from.
var errActionValues = errors.New(
	"the network was trained to the values of actions and always takes the best: it has no other temperature than greedy")

// setTemperature makes a player with the name play at the temperature.
func setTemperature(p *player.Player, name string, t policy.Temperature) error {
	switch {
	case p.Network == nil:
		return notTrained(p.Name)
	case p.Network.Layout.Description.ActionValues() && t != policy.Greedy:
		return errActionValues
	}
	p.Name, p.Temperature = name, t
	return nil
}
