package advice

import (
	"context"
	"fmt"
	"slices"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
	"croupier/policy"
)

// Adviser reports who was asked, why, and how strong that agent is.
type Adviser struct {
	Agent string `json:"agent"`
	// Why it was asked, in words: "as named", "exact solution", …; empty if Choose did not choose.
	Why string `json:"why"`
	// Strength is what the agent got against a strong other one, or where it fared worst; nil if
	// that is unknown or, for an exact answer, goes without saying.
	Strength *catalog.Met `json:"strength,omitempty"`
	Unit     string       `json:"unit,omitempty"` // of Strength
	Games    uint64       `json:"games,omitempty"`
}

// The reasons that speak for themselves.
const (
	asNamed  = "as named"
	solution = "exact solution"
	bounded  = "a solution; what a seat could gain by deviating has been computed"
)

// notes are for people: who was asked and why, where they have not named the agent and the answer
// is not exact.
func (a *Adviser) notes(spec *engine.Spec) []string {
	if a.Why == "" || a.Why == asNamed || a.Why == solution {
		return nil
	}
	text := fmt.Sprintf("Asked: %s, %s", a.Agent, a.Why)
	if s := a.Strength; s != nil {
		equal := "0"
		if a.Unit == catalog.ShareUnit {
			equal = decimal(1/float64(spec.Seats), 3)
		}
		text += fmt.Sprintf("; against %s it got %s in %d games; equal play gets %s",
			s.Among, s.Write(a.Unit, spec.Coin), a.Games, equal)
	}
	return []string{text}
}

// Choose returns the named agent or, without a name, the best one there is for the game under
// its rules: an exact solution, or one with a computed bound; else the strongest of the recorded comparison
// ([catalog.Comparison]), or the best version of the run that has this ladder (nil: there is
// none) where it is stronger still; else the strongest bot.
func Choose(ctx context.Context, a *agents.Agents, name string, run *messages.Ladder) (Agent, error) {
	if name != "" {
		return advisor(ctx, a, Adviser{Agent: name, Why: asNamed})
	}
	for _, s := range a.Solutions() {
		// A solution may not cover these rules: then try the next best.
		agent, err := advisor(ctx, a, Adviser{Agent: s.Agent, Why: solution})
		if err == nil && s.Bounded && !isExact(agent) {
			agent.Adviser.Why = bounded
		}
		if ctx.Err() != nil || err == nil && !s.Part && (s.Bounded || isExact(agent)) {
			return agent, err
		}
	}
	recorded, here, err := a.Compared()
	if err != nil {
		return Agent{}, err
	}
	return advisor(ctx, a, choose(a, recorded, here, run))
}

// isExact reports whether the agent knows exactly what actions are worth.
func isExact(agent Agent) bool {
	v, ok := agent.New().(policy.Valuer)
	return ok && v.Scale().Exact
}

// choose decides between the recorded comparison of the game, which is under its rules if here, and the best version of
// a run.
func choose(a *agents.Agents, recorded *catalog.Comparison, here bool, run *messages.Ladder) Adviser {
	game := a.Game()
	best, trained := run.Best()
	best.Name = agents.DefaultPlay(game.Spec(), best.Name)
	if here {
		strongest, found := recorded.Strongest()
		if found && a.OfFamily() {
			strongest = mixing(recorded, strongest, game.Spec().Seats)
		}
		if trained && found {
			if stronger, ok := exceeds(game, best.Name, strongest.Name, recorded, run); ok {
				return stronger
			}
		}
		if found {
			return ofComparison(recorded, strongest)
		}
	}
	bot := a.StrongestBot()
	if trained && !outranks(run, bot, best.Name) {
		return Adviser{Agent: best.Name, Why: "the best version of the run"}
	}
	if a.HasTrained() {
		return Adviser{Agent: agents.Trained,
			Why: "the network that comes with the program, which was trained for these rules; under them no agents have been " +
				"compared"}
	}
	return Adviser{Agent: bot, Why: "the strongest bot, since no network that comes with the program knows these rules: " +
		"its advice can be poor"}
}

// mixing returns the network that mixes its moves in the place of the one that takes what it likes best, unless it is
// clearly weaker. Where several wait for another one to move first, those who never mix wait for ever, and what an
// action is worth among them says little about any other company: of BANK! for four, that banking the first roll wins.
func mixing(c *catalog.Comparison, strongest catalog.Agent, seats int) catalog.Agent {
	t, network, err := policy.CutTemperature(strongest.Name)
	if err != nil || t != policy.Greedy {
		return strongest
	}
	i := slices.IndexFunc(c.Agents, func(a catalog.Agent) bool { return a.Name == network && a.Advises })
	parity := 0.0
	if c.Unit == catalog.ShareUnit {
		parity = 1 / float64(seats)
	}
	if m, met := c.Between(network, strongest.Name); i < 0 || !met || m.High < parity {
		return strongest
	}
	return c.Agents[i]
}

// ofComparison describes the strongest agent of a comparison that can advise.
func ofComparison(c *catalog.Comparison, strongest catalog.Agent) Adviser {
	return Adviser{
		Agent: strongest.Name, Strength: &strongest.Worst, Unit: c.Unit, Games: c.Games,
		Why: fmt.Sprintf("the strongest of %d in a recorded comparison, each judged by its hardest opponent", advisers(c)),
	}
}

// advisers counts the agents of a comparison that can advise.
func advisers(c *catalog.Comparison) (n int) {
	for _, a := range c.Agents {
		if a.Advises {
			n++
		}
	}
	return n
}

// exceeds describes the best version of a run if it is stronger than the strongest agent of the
// comparison. That is decided by what both got against a third agent, the strongest one of the
// comparison that the version has met on its ladder (such as the greedy network that comes with
// the program): the interval of the version must lie above that of the other. If the third one is
// the strongest itself, the version has to have more than parity.
func exceeds(game engine.Game, best, strongest string, c *catalog.Comparison, run *messages.Ladder) (Adviser, bool) {
	for _, common := range c.Agents {
		i := slices.IndexFunc(run.Payoff, func(p messages.Payoff) bool { return p.A == best && p.B == common.Name })
		if i < 0 {
			continue
		}
		p := run.Payoff[i]
		own, toBeat := catalog.Met{Agent: best, Among: common.Name, Mean: p.MeanReturnA, Low: p.Low, High: p.High}, 0.0
		if p.WinShare != nil {
			own.Mean, own.Low, own.High = p.ShareA, p.ShareLow, p.ShareHigh
			toBeat = 1 / float64(game.Spec().Seats)
		}
		if common.Name != strongest {
			other, met := c.Between(strongest, common.Name)
			if !met {
				return Adviser{}, false
			}
			toBeat = other.High
		}
		return Adviser{
			Agent: best, Strength: &own, Unit: c.Unit, Games: p.Games,
			Why: fmt.Sprintf("the best version of the run, stronger than %s", strongest),
		}, own.Low > toBeat
	}
	return Adviser{}, false
}

// outranks reports whether an agent is above another one on the ladder.
func outranks(l *messages.Ladder, agent, other string) bool {
	rating := func(name string) (float64, bool) {
		i := slices.IndexFunc(l.Agents, func(a messages.LadderAgent) bool { return a.Name == name })
		if i < 0 {
			return 0, false
		}
		return l.Agents[i].Rating, true
	}
	x, here := rating(agent)
	y, there := rating(other)
	return here && there && x > y
}

// Advisers names the agents that can be asked about a game, the one that is asked first, unless
// the best version of a run is stronger.
func Advisers(a *agents.Agents) (names []string) {
	for _, s := range a.Solutions() {
		names = append(names, s.Agent)
	}
	recorded, here, err := a.Compared()
	if err == nil && here {
		for _, r := range recorded.Agents {
			names = append(names, r.Name)
		}
	}
	names = append(append(names, a.Game().Bots().References...), policy.RandomName)
	var once []string // a solution may play like a bot
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// advisor returns the agent, ready to be asked.
func advisor(ctx context.Context, a *agents.Agents, who Adviser) (Agent, error) {
	player, err := a.Player(ctx, who.Agent)
	if err != nil {
		return Agent{}, err
	}
	agent := Agent{Name: who.Agent, New: player.Policy, Adviser: who}
	if network := player.Network; network != nil {
		agent.Recurrent = network.Layout.StateSize > 0
		if player.Temperature == policy.Greedy && !network.Layout.Description.ActionValues() {
			agent.Trained = func() policy.Stochastic { return nn.NewPolicy(network, policy.Sampled) }
		}
	}
	return agent, nil
}
