package settings

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/strict"
	"croupier/learner/train"
)

// Stage is one stage of a run's curriculum.
type Stage struct {
	Until float64 `yaml:"until"` // fraction of the run's length, 0..1
	Game  string  `yaml:"game"`  // "" means the run's own
	// Rules lists only the differences from the run's rules, or from the game's defaults
	// where the run's game has no such rule.
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
	rules := overlay(s.Rules, common(ours, theirs))
	game, err := newGame(games, s.Game, &rules)
	return game, strict.Under("rules", err)
}
