package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"croupier/agents/shipped"
	"croupier/engine"
	"croupier/internal/seed"
	"croupier/messages"
	"croupier/policy"
)

// slowest is the mean time of a decision, as compared, beyond which too few games could be
// played out with an agent while a person waits. Agents that know what actions are worth may
// take longer.
const slowest = time.Millisecond

// Candidates names the agents of a game that could be asked for advice: those on its ladder but
// random, and the network that comes with the program, sampled and, but in games of bluff, greedy.
// There a player who never mixes looks strong until somebody exploits him, and none of the others
// does. Whoever compares can add searches and slow bots, with as few samples as there is time for.
func Candidates(game engine.Game) (names []string) {
	if hasTrained(game) {
		if policy.Temperature(game.Spec().Temperature) != policy.Sampled {
			names = append(names, policy.Greedy.Of(Trained))
		}
		names = append(names, Trained)
	}
	for _, name := range References(game) {
		if name != policy.RandomName && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Compare plays the tournament between the named agents and sums it up. The same call gives the
// same results, but for the times.
func (t Tournament) Compare(
	ctx context.Context, a *Agents, names []string,
) (*shipped.Comparison, *messages.Ladder, error) {
	t.Alone = true
	ladder, thoughts, err := t.Play(ctx, a, names)
	if err != nil {
		return nil, nil, err
	}
	rules, err := json.Marshal(t.Game.Rules())
	if err != nil {
		return nil, nil, fmt.Errorf("rules of %s: %w", t.Game.Spec().Name, err)
	}
	spec := t.Game.Spec()
	c := &shipped.Comparison{Game: spec.Name, Rules: rules, Seed: seed.Number(t.Seed), Unit: spec.Unit}
	if spec.Payoff == engine.WinLoss {
		c.Unit = shipped.ShareUnit
	}
	if hasTrained(t.Game) {
		c.Trained = shipped.Digest(spec.Name)
	}
	for _, p := range ladder.Payoff {
		c.Games = p.Games
		m := shipped.Met{Agent: p.A, Among: p.B, Mean: p.MeanReturnA, Low: p.Low, High: p.High}
		if p.WinShare != nil {
			m.Mean, m.Low, m.High = p.ShareA, p.ShareLow, p.ShareHigh
		}
		c.Met = append(c.Met, m)
	}
	for _, thought := range thoughts {
		agent, err := t.compared(ctx, a, c.Met, thought)
		if err != nil {
			return nil, nil, err
		}
		c.Agents = append(c.Agents, agent)
	}
	slices.SortStableFunc(c.Agents, func(x, y shipped.Agent) int { return cmp.Compare(y.Worst.Mean, x.Worst.Mean) })
	return c, ladder, nil
}

// compared sums up what an agent got.
func (t Tournament) compared(ctx context.Context, a *Agents, met []shipped.Met, thought Thought) (shipped.Agent, error) {
	player, err := a.Player(ctx, thought.Agent)
	if err != nil {
		return shipped.Agent{}, err
	}
	perMove := thought.Time / time.Duration(max(thought.Moves, 1))
	_, values := player.Policy().(policy.Valuer)
	agent := shipped.Agent{
		Name: thought.Agent, Kind: Kind(thought.Agent),
		MillisecondsPerMove: float64(perMove.Nanoseconds()) / 1e6,
		Advises:             values || perMove <= slowest,
	}
	for _, m := range met {
		if m.Agent == agent.Name && (agent.Worst.Agent == "" || m.Mean < agent.Worst.Mean) {
			agent.Worst = m
		}
	}
	return agent, nil
}
