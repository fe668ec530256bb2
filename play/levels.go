package play

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"croupier/agents"
	"croupier/agents/shipped"
	"croupier/engine"
	"croupier/messages"
	"croupier/policy"
	"croupier/solver/solutions"
)

// Level is an opponent by how strong it is.
type Level struct {
	Name     string `json:"name"`  // for people: "beginner" … "expert", or a version of a run
	Agent    string `json:"agent"` // its name as an agent
	About    string `json:"about"`
	Strength string `json:"strength,omitempty"` // against its hardest opponent, with interval
}

// levelNames name so many levels, weakest first.
var levelNames = map[int][]string{
	1: {"beginner"},
	2: {"beginner", "expert"},
	3: {"beginner", "advanced", "expert"},
	4: {"beginner", "casual", "advanced", "expert"},
	5: {"beginner", "casual", "regular", "advanced", "expert"},
}

const maxLevels = 5

// Levels returns the opponents at a game, weakest first: a beginner moves at random, the expert is
// the answer of a solver that comes with the program where there is one for the whole game, else
// the strongest agent of the recorded comparison, and between them are its other agents in their
// order there. Under rules that no agents have been compared under, the order of the bots is that
// under the usual ones.
func Levels(game engine.Game) []Level {
	ranked := ranking(game)
	if len(ranked) > maxLevels-1 {
		ranked = ranked[len(ranked)-(maxLevels-1):]
	}
	levels := []Level{{Agent: policy.RandomName}}
	levels = append(levels, ranked...)
	for i := range levels {
		levels[i].Name = levelNames[len(levels)][i]
		levels[i].About = About(game, levels[i].Agent)
	}
	return levels
}

// ranking lists the opponents better than random, weakest first.
func ranking(game engine.Game) (ranked []Level) {
	here := append(agents.References(game), policy.RandomName)
	if s := expert(game); s != "" {
		ranked = append(ranked, Level{Agent: s})
	}
	recorded, err := shipped.Of(game.Spec().Name)
	if err != nil {
		return ranked
	}
	covered := recorded.Covers(game)
	for _, a := range recorded.Agents {
		known := slices.Contains(here, a.Name) || covered && a.Name != agents.Trained
		if !known || hopeless(a) || len(ranked) > 0 && ranked[0].Agent == a.Name {
			continue
		}
		level := Level{Agent: a.Name}
		if covered {
			level.Strength = recorded.Describe(a.Worst)
		}
		ranked = append(ranked, level)
	}
	slices.Reverse(ranked)
	return ranked
}

// hopeless says whether an agent lost the same in every game against somebody: then it does
// worse than one that moves at random.
func hopeless(a shipped.Agent) bool { return a.Worst.Mean < 0 && a.Worst.Low == a.Worst.High }

// expert names the solver of the whole game that needs no time to answer it, "" without one.
func expert(game engine.Game) string {
	for _, s := range solutions.Of(game) {
		if s.Whole {
			return s.Agent
		}
	}
	return ""
}

// RunLevels returns the versions on the ladder of a run, weakest first.
func RunLevels(game engine.Game, ladder *messages.Ladder) (levels []Level) {
	if ladder == nil {
		return nil
	}
	for _, a := range ladder.Agents {
		if strings.Contains(a.Name, "@") {
			levels = append(levels, Level{
				Name: a.Name, Agent: agents.DefaultPlay(game.Spec(), a.Name), About: About(game, a.Name),
				Strength: fmt.Sprintf("rating %d on the run's ladder", int(math.Round(a.Rating))),
			})
		}
	}
	slices.Reverse(levels)
	return levels
}

// About says in words what an agent is.
func About(game engine.Game, agent string) string {
	t, network, err := policy.CutTemperature(agent)
	switch {
	case err != nil || agent == policy.RandomName:
		return "moves at random"
	case solutions.Has(game, agent):
		return "plays a computed solution"
	case strings.HasPrefix(agent, "search"):
		return "trained network that looks ahead"
	case agents.Kind(agent) == "bot":
		return "bot: " + botHelp(game, agent)
	}
	if t == policy.Greedy {
		return "trained network, takes what it likes best"
	}
	if network == agents.Trained {
		return "trained network, mixes its moves"
	}
	return "trained network of the run, " + t.String()
}

// botHelp returns what a bot of the game does.
func botHelp(game engine.Game, agent string) string {
	name, _, _ := strings.Cut(agent, "(")
	for _, bot := range game.Bots().Table {
		if call, _, _ := strings.Cut(bot.Call, "("); call == name {
			return bot.Help
		}
	}
	return agent
}

// Named finds an agent by the name of its level or its own.
func Named(game engine.Game, name string) string {
	for _, l := range Levels(game) {
		if l.Name == name {
			return l.Agent
		}
	}
	return name
}

// Find returns the agent with the name, or of the level with it, among those that there are.
func Find(ctx context.Context, a *agents.Agents, name string) (Agent, error) {
	game := a.Game()
	name = Named(game, name)
	player, err := a.Player(ctx, name)
	if err != nil {
		return Agent{}, err
	}
	found := Agent{
		Name: name, Title: title(game, name), About: About(game, name),
		New: func() (policy.Policy, error) { return player.Policy(), nil },
	}
	if player.Network != nil {
		found.Recurrent = player.Network.Layout.StateSize > 0
	}
	return found, nil
}

// title names an agent for people: by its level, if it is one.
func title(game engine.Game, name string) string {
	for _, l := range Levels(game) {
		if l.Agent == name {
			return strings.ToUpper(l.Name[:1]) + l.Name[1:]
		}
	}
	return name
}
