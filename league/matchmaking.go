package league

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"croupier/messages"
)

// A rule says whom an agent's training games are played against when it does not have all seats: names, each with
// the agent's chance to come out ahead, and how these become weights. Training games are sampled, and so the names are
// plain; how hard an opponent is says its rating where it plays its best.
type rule func(c *core, a Agent) (opponents []opponent, weighting Weighting)

type opponent struct {
	name   string
	chance float64 // of the agent's newest member to come out ahead of it
}

// rules has a rule for each role. What is not here is no role.
var rules = choices[Role, rule]{
	{Main, fictitious}, {MainExploiter, againstMain}, {LeagueExploiter, fictitious},
}

// choices are values among which the settings choose by name, in the order in which errors list them.
type choices[N ~string, V any] []struct {
	name  N
	value V
}

// find returns the value of a name. The error names those that there are.
func (c choices[N, V]) find(name N) (value V, err error) {
	names := make([]string, len(c))
	for i, choice := range c {
		if choice.name == name {
			return choice.value, nil
		}
		names[i] = string(choice.name)
	}
	return value, fmt.Errorf("%.40q is not one of %s", name, strings.Join(names, ", "))
}

// named is the rule where the settings name the opponents.
func named(c *core, _ Agent) (list []opponent, _ Weighting) {
	for _, name := range c.config.Opponents {
		list = append(list, opponent{name: name})
	}
	return list, Uniform
}

// fictitious is prioritised fictitious self-play (Vinyals et al. 2019, methods): against the newest members of all
// agents, against older ones where the configuration says so, and against the references where it does.
func fictitious(c *core, a Agent) ([]opponent, Weighting) {
	first := max(0, len(c.members)-c.config.Pool)
	list := c.opponents(a, c.members[first:])
	older := c.opponents(a, c.members[:first])
	weights := a.Weighting.weigh(older, c.config.PriorityPower)
	byWeight := make([]int, len(older))
	for i := range byWeight {
		byWeight[i] = i
	}
	// Of equals the oldest come first: they are those that were forgotten.
	slices.SortStableFunc(byWeight, func(i, j int) int { return cmp.Compare(weights[j], weights[i]) })
	for _, i := range byWeight[:min(c.config.History, len(older))] {
		list = append(list, older[i])
	}
	if c.config.TrainOnReferences {
		for _, r := range c.references {
			list = append(list, opponent{r, c.chance(a, r)})
		}
	}
	return list, a.Weighting
}

// tooHard is the chance below which an exploiter learns nothing from its target.
const tooHard = 0.2

// againstMain is the rule of a main exploiter (Vinyals et al. 2019, methods): against the newest member of the main
// agent; while that is too hard, against all of the main agent's newest members, most against those that are its
// equals.
func againstMain(c *core, a Agent) ([]opponent, Weighting) {
	members := c.lineages[messages.LearningAgent]
	if len(members) == 0 {
		return nil, Uniform
	}
	if target := c.opponents(a, members[len(members)-1:]); target[0].chance >= tooHard {
		return target, Uniform
	}
	return c.opponents(a, members[max(0, len(members)-c.config.Pool):]), Even
}

// opponents are members with the agent's chances against them.
func (c *core) opponents(a Agent, members []*messages.Member) []opponent {
	list := make([]opponent, len(members))
	for i, m := range members {
		list[i] = opponent{m.Name, c.chance(a, c.player(m))}
	}
	return list
}

// tables returns, for each learning agent, the table for its training games.
func (c *core) tables() []*messages.Matchmaking {
	tables := make([]*messages.Matchmaking, len(c.agents))
	for i, a := range c.agents {
		t := &messages.Matchmaking{Schema: messages.SchemaVersion, Learner: a.Name, SelfPlay: c.config.SelfPlay}
		if a.Role != Main {
			t.SelfPlay = 0
		}
		rule, _ := rules.find(a.Role) // the settings are valid
		if len(c.config.Opponents) > 0 {
			rule, t.SelfPlay = named, 0
		}
		list, weighting := rule(c, a)
		for j, weight := range weighting.weigh(list, c.config.PriorityPower) {
			t.Opponents = append(t.Opponents, &messages.Opponent{Name: list[j].name, Weight: weight})
		}
		if len(t.Opponents) == 0 {
			t.SelfPlay = 1
		}
		tables[i] = t
	}
	return tables
}

// Weighting is how the chances p to come out ahead of opponents become their weights.
type Weighting string

const (
	Hard    Weighting = "hard"
	Even    Weighting = "even"
	Uniform Weighting = "uniform"
)

// weightings has the weight of an opponent for each weighting. What is not here is no weighting.
var weightings = choices[Weighting, weight]{
	{Hard, weight{func(p float64) float64 { return 1 - p }, true}},        // those that win are met often
	{Even, weight{func(p float64) float64 { return p * (1 - p) }, false}}, // those of about the same strength
	{Uniform, weight{func(float64) float64 { return 1 }, false}},          // all alike
}

// A weight is that of an opponent.
type weight struct {
	value   func(p float64) float64 // given the chance to come out ahead of it
	powered bool                    // it is the value to the power of priority_power
}

// weigh returns the weights of opponents, which sum to 1. The one with the greatest is the measure of the others, so
// that a great power leaves it a weight. Where all would have none, all have the same.
func (w Weighting) weigh(list []opponent, power float64) []float64 {
	weight, _ := weightings.find(cmp.Or(w, Hard)) // the settings are valid
	if !weight.powered {
		power = 1
	}
	most := 0.0
	for _, o := range list {
		most = max(most, weight.value(o.chance))
	}
	weights, total := make([]float64, len(list)), 0.0
	for i, o := range list {
		weights[i] = 1
		if most > 0 {
			weights[i] = math.Pow(weight.value(o.chance)/most, power)
		}
		total += weights[i]
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}

// chance is the chance of an agent's newest member, which stands for the agent, to come out ahead of an opponent.
func (c *core) chance(a Agent, opponent string) float64 {
	return c.chanceOf(c.player(c.newestOf(a.Name)), opponent)
}

// chanceOf is the chance of one player to come out ahead of another, ½ before the first ratings.
func (c *core) chanceOf(player, opponent string) float64 {
	if player == opponent || c.standing == nil {
		return 0.5
	}
	return c.Results.Chance(c.standing, player, opponent)
}
