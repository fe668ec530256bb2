package advice

import (
	"context"
	"fmt"
	"slices"

	"croupier/agents"
	"croupier/engine"
	"croupier/policy"
)

// Choose returns the named agent or, without a name, the best one available: a solution,
// the run's best version ("" if there is none) as networks of the game play best, or the
// strongest bot.
func Choose(ctx context.Context, a *agents.Agents, name, best string) (Agent, error) {
	if name != "" {
		return advisor(ctx, a, name)
	}
	for _, s := range agents.SolutionsOf(a.Game()) {
		// A solution may not cover these rules: then try the next best.
		agent, err := advisor(ctx, a, s.Agent)
		if err == nil || ctx.Err() != nil {
			return agent, err
		}
	}
	if best != "" {
		return advisor(ctx, a, agents.DefaultPlay(a.Game().Spec(), best))
	}
	return advisor(ctx, a, a.Game().Bots().Strongest)
}

// Advisers names the agents that can be asked about a game, best first.
func Advisers(game engine.Game) (names []string) {
	for _, s := range agents.SolutionsOf(game) {
		names = append(names, s.Agent)
	}
	for _, bot := range append(slices.Clone(game.Bots().References), policy.RandomName) {
		if !slices.Contains(names, bot) { // a solution may play like a bot
			names = append(names, bot)
		}
	}
	return names
}

// advisor returns the named agent, ready to be asked.
func advisor(ctx context.Context, a *agents.Agents, name string) (Agent, error) {
	player, err := a.Player(ctx, name)
	if err != nil {
		return Agent{}, err
	}
	agent := Agent{Name: name, New: player.Policy}
	if network := player.Network; network != nil {
		agent.Recurrent = network.Layout.StateSize > 0
	}
	return agent, nil
}

// Positioned returns the game if its positions can be written down.
func Positioned(game engine.Game) (engine.Positioned, error) {
	g, ok := game.(engine.Positioned)
	if !ok {
		return nil, fmt.Errorf("positions of %s cannot be written down", game.Spec().Name)
	}
	return g, nil
}
