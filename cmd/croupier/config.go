package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"croupier/actor"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/internal/rundir"
	"croupier/internal/strictyaml"
	"croupier/league"
	"croupier/learner"
	"croupier/nn"
)

// defaults holds one file for each game that has settings of its own, and
// default.yaml for those that have none.
//
//go:embed defaults/*.yaml
var defaults embed.FS

// runConfig is the effective configuration of a run: all that shapes its result.
// It is saved in the run directory and told to every role.
type runConfig struct {
	Game       string         `yaml:"game"`
	Run        string         `yaml:"run,omitempty"`
	Seed       uint64         `yaml:"seed"`
	Rules      yaml.Node      `yaml:"rules"`
	Curriculum []stageConfig  `yaml:"curriculum"`
	Network    nn.Description `yaml:"network"`
	Learner    learner.Config `yaml:"learner"`
	League     league.Config  `yaml:"league"`
	Actor      actor.Config   `yaml:"actor"`
}

// defaultConfig returns the defaults for a game.
func defaultConfig(game string) (*runConfig, error) {
	c := &runConfig{
		Game:    game,
		Seed:    1,
		Learner: learner.DefaultConfig(),
		League:  league.DefaultConfig(),
		Actor:   actor.DefaultConfig(),
	}
	if _, err := games.New(game, nil); err != nil {
		return nil, usage("%v", err)
	}
	doc, err := defaults.ReadFile(path.Join("defaults", game+".yaml"))
	if err != nil {
		doc, err = defaults.ReadFile("defaults/default.yaml")
	}
	if err != nil {
		return nil, err
	}
	return c, c.merge(doc, "the built-in defaults of "+game)
}

// merge reads a YAML document strictly over the configuration. Of the rules, too,
// only those that it names change. Where the document comes from is part of the error.
func (c *runConfig) merge(doc []byte, source string) error {
	game, rules, curriculum := c.Game, c.Rules, c.Curriculum
	c.Rules, c.Curriculum = yaml.Node{}, nil
	if err := strictyaml.Decode(doc, c); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if c.Game != game {
		return fmt.Errorf("%s: it is for the game %q, not %q", source, c.Game, game)
	}
	changed := !c.Rules.IsZero() || c.Curriculum != nil
	c.Rules = overlay(c.Rules, rules)
	if c.Curriculum == nil {
		c.Curriculum = curriculum
	}
	if !changed {
		return nil
	}
	if _, _, err := c.games(); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

// games makes the run's game and those of its curriculum.
func (c *runConfig) games() (engine.Game, learner.Curriculum, error) {
	game, err := c.newGame()
	if err != nil {
		return nil, nil, err
	}
	stages, err := c.stages(game)
	return game, stages, err
}

// set applies one "section.key=value" of the command line.
func (c *runConfig) set(assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	parts := strings.Split(key, ".")
	if !ok || slices.Contains(parts, "") {
		return usage("--set %s: it must look like learner.ppo.epochs=3", assignment)
	}
	doc := value
	for i := len(parts) - 1; i >= 0; i-- {
		doc = fmt.Sprintf("{%s: %s}", parts[i], doc)
	}
	if err := c.merge([]byte(doc), "--set "+assignment); err != nil {
		return usage("%s", strings.Replace(err.Error(), ": line 1: ", ": ", 1))
	}
	return nil
}

// newGame makes the game under the configured rules.
func (c *runConfig) newGame() (engine.Game, error) {
	rules, err := rulesDocument(c.Rules)
	if err != nil {
		return nil, fmt.Errorf("%s: rules: %w", c.Game, err)
	}
	return games.New(c.Game, rules)
}

// build makes the game and checks every section. The rules that were left out
// are filled in, so that the saved configuration says them all.
func (c *runConfig) build() (engine.Game, error) {
	game, _, err := c.games()
	if err != nil {
		return nil, err
	}
	if err := c.Rules.Encode(game.Rules()); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	if err := c.setDueling(); err != nil {
		return nil, err
	}
	if err := c.Network.Validate(game.Spec()); err != nil {
		return nil, err
	}
	if err := c.Learner.Validate(); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if err := c.Learner.Shaping.Check(game); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	if err := c.League.Validate(); err != nil {
		return nil, fmt.Errorf("league: %w", err)
	}
	if err := c.Actor.Validate(); err != nil {
		return nil, fmt.Errorf("actor: %w", err)
	}
	return game, nil
}

// setDueling makes the network one of action values where DQN trains it.
func (c *runConfig) setDueling() error {
	if c.Network.Dueling && c.Learner.Algorithm == learner.PPO {
		return errors.New("network: dueling: ppo trains a policy, not action values")
	}
	c.Network.Dueling = c.Learner.Algorithm == learner.DQN
	return nil
}

// encode returns the configuration as a document that merge reads back.
func (c *runConfig) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if err := enc.Encode(c); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return buf.Bytes(), nil
}

// loadConfig reads a saved configuration.
func loadConfig(doc []byte, source string) (*runConfig, error) {
	var head struct {
		Game string         `yaml:"game"`
		Rest map[string]any `yaml:",inline"`
	}
	if err := strictyaml.Decode(doc, &head); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	c, err := defaultConfig(head.Game)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return c, c.merge(doc, source)
}

// readConfig reads the configuration of a run directory.
func readConfig(dir string) (*runConfig, error) {
	if _, err := rundir.ReadInfo(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "config.yaml")
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return loadConfig(doc, path)
}

// configFlags are the flags that change a configuration.
type configFlags struct {
	file, rules string
	algorithm   string
	set         []string
	seed        uint64
	seedGiven   bool
}

// apply changes the configuration in the order defaults, file, rules file, algorithm,
// single settings, seed.
func (f *configFlags) apply(c *runConfig) error {
	if f.file != "" {
		doc, err := os.ReadFile(f.file)
		if err != nil {
			return usage("--config: %v", err)
		}
		if err := c.merge(doc, f.file); err != nil {
			return usage("%v", err)
		}
	}
	if f.rules != "" {
		doc, err := os.ReadFile(f.rules)
		if err != nil {
			return usage("--rules: %v", err)
		}
		game, err := games.New(c.Game, doc)
		if err != nil {
			return usage("%s: %v", f.rules, err)
		}
		if err := c.Rules.Encode(game.Rules()); err != nil {
			return fmt.Errorf("%s: %w", f.rules, err)
		}
	}
	if f.algorithm != "" {
		c.Learner.Algorithm = f.algorithm
	}
	for _, s := range f.set {
		if err := c.set(s); err != nil {
			return err
		}
	}
	if f.seedGiven {
		c.Seed = f.seed
	}
	return nil
}

func (f *configFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "config", "", "YAML file with settings; see \"croupier config GAME\"")
	flags.StringVar(&f.rules, "rules", "", "YAML or JSON file with the game's rules")
	flags.StringVar(&f.algorithm, "algo", "", "learning algorithm: ppo or dqn (default: learner.algorithm of the settings)")
	flags.StringArrayVar(&f.set, "set", nil, "one setting, as in learner.ppo.epochs=3; may be repeated")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of everything random")
}
