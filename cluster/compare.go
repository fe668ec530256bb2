package cluster

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/agents"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/policy"
	"croupier/web"
)

// comparer compares runs of a directory.
type comparer struct{ runs *runList }

var _ web.Comparer = comparer{}

// Compare implements web.Comparer.
func (c comparer) Compare(ctx context.Context, ids []string) (*web.Comparison, error) {
	comparison := &web.Comparison{Settings: []web.ComparedSetting{}, References: []string{}}
	var shown []*View
	var settings []map[string]string
	for _, id := range ids {
		run, err := c.runs.named(id)
		if err != nil {
			return nil, err
		}
		saved, err := rundir.ReadConfig(run.Dir)
		if err != nil {
			return nil, err
		}
		flat, err := flatten(saved.Text)
		if err != nil {
			return nil, fmt.Errorf("run %s: %s: %w", id, rundir.ConfigFile, err)
		}
		compared, err := describeRun(ctx, run)
		if err != nil {
			return nil, err
		}
		compared.Label, compared.Nameable = labelOf(run.Dir)(), c.runs.nameable()
		shown, settings = append(shown, run), append(settings, flat)
		comparison.Runs = append(comparison.Runs, compared)
	}
	comparison.Settings = append(comparison.Settings, differences(settings)...)
	comparison.References = append(comparison.References, agents.New(
		shown[0].Game, agents.Sources{Catalog: c.runs.games}).References()...)
	if err := meet(shown); err != nil {
		comparison.Apart = err.Error()
	}
	return comparison, nil
}

func describeRun(ctx context.Context, run *View) (web.ComparedRun, error) {
	c := web.ComparedRun{ID: run.ID, Root: web.RootOf(run.ID), Game: run.Game.Spec().Name, Agents: []string{}}
	ladder, err := run.Ladder(ctx)
	if err != nil || ladder == nil {
		return c, err
	}
	best, _ := ladder.Best()
	c.Best = best.Name
	rated := slices.Clone(ladder.Agents)
	slices.SortStableFunc(rated, func(a, b messages.LadderAgent) int {
		switch {
		case a.Rating > b.Rating:
			return -1
		case a.Rating < b.Rating:
			return 1
		}
		return 0
	})
	for _, a := range rated {
		if a.Kind == "network" {
			c.Agents = append(c.Agents, a.Name)
		}
	}
	return c, nil
}

// meet reports why agents of runs cannot play with one another.
func meet(runs []*View) error {
	for _, run := range runs[1:] {
		if a, b := runs[0].Game.Spec().Name, run.Game.Spec().Name; a != b {
			return fmt.Errorf("%s plays %s, %s plays %s", runs[0].ID, a, run.ID, b)
		}
		if engine.RulesHash(runs[0].Game) != engine.RulesHash(run.Game) {
			return fmt.Errorf("%s and %s play by different rules", runs[0].ID, run.ID)
		}
	}
	return nil
}

// flatten returns the values of a document by their paths, such as learner.gamma. Lists are values.
func flatten(doc []byte) (map[string]string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(doc, &root); err != nil {
		return nil, err
	}
	flat := map[string]string{}
	var walk func(n *yaml.Node, path string) error
	walk = func(n *yaml.Node, path string) error {
		if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
			text, err := yaml.Marshal(n)
			flat[path] = strings.TrimSpace(string(text))
			return err
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if path != "" {
				key = path + "." + key
			}
			if err := walk(n.Content[i+1], key); err != nil {
				return err
			}
		}
		return nil
	}
	for _, n := range root.Content {
		if err := walk(n, ""); err != nil {
			return nil, err
		}
	}
	return flat, nil
}

// differences lists the settings that are not the same in all runs, but for their names.
func differences(settings []map[string]string) (list []web.ComparedSetting) {
	keys := map[string]bool{}
	for _, s := range settings {
		for key := range s {
			keys[key] = key != "run" && key != ""
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		d := web.ComparedSetting{Key: key}
		for _, s := range settings {
			d.Values = append(d.Values, s[key])
		}
		if keys[key] && len(slices.Compact(slices.Clone(d.Values))) > 1 {
			list = append(list, d)
		}
	}
	return list
}

// Tournament implements web.Comparer. In its ladder, main@8 of the run evening is evening-main@8.
func (c comparer) Tournament(
	ctx context.Context, names []web.RunAgent, games uint64, progress func(played, matches int),
) (*messages.Ladder, error) {
	var shown []*View
	for _, n := range names {
		if n.Run == "" {
			continue
		}
		run, err := c.runs.named(n.Run)
		if err != nil {
			return nil, err
		}
		shown = append(shown, run)
	}
	if len(shown) == 0 {
		return nil, fmt.Errorf("none of the agents is of a run")
	}
	if err := meet(shown); err != nil {
		return nil, err
	}
	aliases := aliases{}
	var players []string
	for _, n := range names {
		name := n.Agent
		if n.Run != "" {
			var err error
			if name, err = aliases.add(shown[0], n); err != nil {
				return nil, err
			}
			shown = shown[1:]
		}
		players = append(players, name)
	}
	game := aliases.game
	t := agents.Tournament{
		Game: game, Games: games, Seed: 1, Workers: max(1, runtime.GOMAXPROCS(0)/2), Progress: progress,
	}
	ladder, _, err := t.Play(ctx, agents.New(game, agents.Sources{Catalog: c.runs.games, Frozen: aliases.frozen}), players)
	return ladder.InCoin(game.Spec()), err
}

// aliases are the names of versions of several runs in one tournament.
type aliases struct {
	game  engine.Game
	known map[string]func(ctx context.Context) ([]byte, error) // weights by alias
}

// add makes a name for a version: greedy:main@8 of the run evening is greedy:evening-main@8.
func (a *aliases) add(run *View, n web.RunAgent) (string, error) {
	_, version, err := policy.CutTemperature(n.Agent)
	if err != nil {
		return "", fmt.Errorf("run %s: agent %w", run.ID, err)
	}
	agent, number, ok := messages.ParseMemberName(version)
	if !ok {
		return "", fmt.Errorf("run %s: agent %.80q does not look like main@12", run.ID, n.Agent)
	}
	token, err := rundir.ID(run.ID)
	if err != nil {
		token = "run"
	}
	if a.known == nil {
		a.game, a.known = run.Game, map[string]func(context.Context) ([]byte, error){}
	}
	token = token[:min(len(token), messages.MaxToken-len(agent)-4)] + "-" + agent
	alias := messages.MemberName(token, number)
	for i := 2; a.known[alias] != nil && i < 100; i++ { // another run of a name that reads alike
		alias = messages.MemberName(fmt.Sprintf("%s-%d", token, i), number)
	}
	a.known[alias] = func(ctx context.Context) ([]byte, error) { return run.frozen(ctx, version) }
	return strings.TrimSuffix(n.Agent, version) + alias, nil
}

// frozen is the agents.Frozen of the aliases.
func (a *aliases) frozen(ctx context.Context, name string) ([]byte, error) {
	if weights := a.known[name]; weights != nil {
		return weights(ctx)
	}
	return nil, fmt.Errorf("there is no %.80q among the agents", name)
}
