package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"croupier/catalog"
	"croupier/engine"
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
// does. The caller can add searches and slow bots, with as few samples as there is time for.
func (a *Agents) Candidates() (names []string) {
	if a.HasTrained() {
		if policy.Temperature(a.game.Spec().Temperature) != policy.Sampled {
			names = append(names, policy.Greedy.Of(Trained))
		}
		names = append(names, Trained)
	}
	for _, name := range a.References() {
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
) (*catalog.Comparison, *messages.Ladder, error) {
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
	c := &catalog.Comparison{Game: spec.Name, Rules: rules, Seed: catalog.Seed(t.Seed), Unit: spec.Unit, Coin: spec.Coin}
	if spec.Payoff == engine.WinLoss {
		c.Unit = catalog.ShareUnit
	}
	c.Trained = a.trained().digest
	for _, p := range ladder.Payoff {
		c.Games = p.Games
		m := catalog.Met{Agent: p.A, Among: p.B, Mean: p.MeanReturnA, Low: p.Low, High: p.High}
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
	slices.SortStableFunc(c.Agents, func(x, y catalog.Agent) int { return cmp.Compare(y.Worst.Mean, x.Worst.Mean) })
	return c, ladder, nil
}

// compared sums up what an agent got.
func (t Tournament) compared(ctx context.Context, a *Agents, met []catalog.Met,
	thought Thought) (catalog.Agent, error) {
	player, err := a.Player(ctx, thought.Agent)
	if err != nil {
		return catalog.Agent{}, err
	}
	perMove := thought.Time / time.Duration(max(thought.Moves, 1))
	_, values := player.Policy().(policy.Valuer)
	agent := catalog.Agent{
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
