package settings

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/family"
	"croupier/internal/strict"
	"croupier/learner/train"
)

// Stage is one stage of a run's curriculum.
type Stage struct {
	Until float64 `yaml:"until"` // fraction of the run's length, 0..1
	Game  string  `yaml:"game"`  // "" means the run's own
	// Rules lists only the differences from the run's rules, or from the game's defaults
	// where the run's game has no such rule. In a run on a family all others vary as there.
	Rules yaml.Node `yaml:"rules,omitempty"`
}

// stages makes the curriculum of a run of the own game. Errors name the field.
func (c *Config) stages(own engine.Game) (train.Curriculum, error) {
	var out train.Curriculum
	for i := range c.Curriculum {
		s := &c.Curriculum[i]
		if s.Game == "" {
			s.Game = c.Game
		}
		game, err := s.newGame(c.catalog, own)
		if err != nil {
			return nil, strict.Under(strict.Element("curriculum", i), err)
		}
		out = append(out, train.Stage{Until: s.Until, Game: game})
	}
	return out, out.Validate(own)
}

// newGame makes the stage's game under its rules, in a run of the own game.
func (s *Stage) newGame(games *catalog.Catalog, own engine.Game) (engine.Game, error) {
	standard, err := games.New(s.Game, nil)
	if err != nil {
		return nil, strict.Errorf("game", "%v", err)
	}
	var theirs, ours yaml.Node
	if err := theirs.Encode(standard.Rules()); err != nil {
		return nil, fmt.Errorf("%s: rules: %w", s.Game, err)
	}
	if err := ours.Encode(own.Rules()); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	if indexOf(s.Rules, family.Key) >= 0 {
		return nil, strict.Errorf("rules."+family.Key, "what varies is that of the run")
	}
	rules := overlay(s.Rules, common(ours, theirs))
	if at := indexOf(ours, family.Key); at >= 0 && rules.Kind == yaml.MappingNode {
		part, err := s.part(*ours.Content[at], theirs)
		if err != nil {
			return nil, err
		}
		rules.Content = append(rules.Content, scalar(family.Key), &part)
	}
	game, err := newGame(games, s.Game, &rules)
	return game, strict.Under("rules", err)
}

// part returns the family of the stage in a run on a family: the same rules vary but those that the stage names. All of
// them are among the rules of the stage's game.
func (s *Stage) part(whole, theirs yaml.Node) (part yaml.Node, err error) {
	fixed := []string{}
	for i := 0; i+1 < len(whole.Content); i += 2 {
		key := whole.Content[i].Value
		path := strings.Split(key, ".")
		if key != family.DefaultKey && !names(theirs, path) {
			return part, strict.Errorf("game", "%s has no rule %s, which varies in the run", s.Game, key)
		}
		if names(s.Rules, path) {
			fixed = append(fixed, key)
		}
	}
	var list yaml.Node
	err = list.Encode(fixed)
	part = whole
	part.Content = append(slices.Clone(whole.Content), scalar(family.FixedKey), &list)
	return part, err
}

// names reports whether rules have a value at a path.
func names(rules yaml.Node, path []string) bool {
	at := indexOf(rules, path[0])
	return at >= 0 && (len(path) == 1 || names(*rules.Content[at], path[1:]))
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
