package play

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"croupier/agents"
	"croupier/catalog"
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
	// Caution of the strongest level is what people must know before the game: that it is not strong
	// ([agents.Agents.Caution]).
	Caution string `json:"caution,omitempty"`
}

// Levels returns the levels of [agents.Agents.Levels] with what each agent is, in words.
func Levels(a *agents.Agents) (levels []Level) {
	for _, l := range a.Levels() {
		levels = append(levels, Level{Name: l.Name, Agent: l.Agent, About: About(a, l.Agent), Strength: l.Strength})
	}
	levels[len(levels)-1].Caution = a.Caution()
	return levels
}

// Caution reports what people must know before a game under its rules; "" for nothing.
func Caution(games *catalog.Catalog, game engine.Game) string {
	return agents.New(game, agents.Sources{Catalog: games}).Caution()
}

// TableLevel returns the best version of a run that trains on a family of rules as an opponent at another table than
// the one of the run's ladder, and false if there is none or it does not know the game's rules.
func TableLevel(ctx context.Context, known *agents.Agents, ladder *messages.Ladder) (Level, bool) {
	best, found := ladder.Best()
	if !found {
		return Level{}, false
	}
	name := agents.DefaultPlay(known.Game().Spec(), best.Name)
	if _, err := known.Player(ctx, name); err != nil {
		return Level{}, false
	}
	level := Level{Name: best.Name, Agent: name, About: About(known, best.Name)}
	if table := ladder.TableOf(known.Game()); table != nil {
		if r, measured := table.Newest(); measured && r.Agent == name {
			level.Strength = table.Describe(r)
		}
	}
	return level, true
}

// RunLevels returns the versions on the ladder of a run, weakest first.
func RunLevels(known *agents.Agents, ladder *messages.Ladder) (levels []Level) {
	if ladder == nil {
		return nil
	}
	for _, a := range ladder.Agents {
		if strings.Contains(a.Name, "@") {
			levels = append(levels, Level{
				Name: a.Name, Agent: agents.DefaultPlay(known.Game().Spec(), a.Name), About: About(known, a.Name),
				Strength: fmt.Sprintf("rating %d on the run's ladder", int(math.Round(a.Rating))),
			})
		}
	}
	slices.Reverse(levels)
	return levels
}

// About says in words what an agent is.
func About(a *agents.Agents, agent string) string {
	t, network, err := policy.CutTemperature(agent)
	switch {
	case err != nil || agent == policy.RandomName:
		return "moves at random"
	case solutions.Has(a.Entry(), a.Game(), agent):
		return "plays a computed solution"
	case strings.HasPrefix(agent, "search"):
		return "trained network that looks ahead"
	case agents.Kind(agent) == "bot":
		return "bot: " + botHelp(a.Game(), agent)
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

// Find returns the agent with the name, or of the level with it, among those that there are.
func Find(ctx context.Context, a *agents.Agents, name string) (Agent, error) {
	name = a.Resolve(name)
	player, err := a.Player(ctx, name)
	if err != nil {
		return Agent{}, err
	}
	found := Agent{
		Name: name, Title: title(a, name), About: About(a, name),
		New: func() (policy.Policy, error) { return player.Policy(), nil },
	}
	if player.Network != nil {
		found.Recurrent = func() bool { return player.Network.Layout.StateSize > 0 }
	}
	return found, nil
}

// title names an agent for people: by its level, if it is one.
func title(a *agents.Agents, name string) string {
	for _, l := range Levels(a) {
		if l.Agent == name {
			return strings.ToUpper(l.Name[:1]) + l.Name[1:]
		}
	}
	return name
}
