package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"croupier/actor"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/league"
	"croupier/learner"
	"croupier/nn"
	"croupier/rundir"
)

// defaults holds one file for each game that has settings of its own, and
// default.yaml for those that have none.
//
//go:embed defaults/*.yaml
var defaults embed.FS

// runConfig is the effective configuration of a run: all that shapes its result.
// It is saved in the run directory and told to every role.
type runConfig struct {
	Game    string         `yaml:"game"`
	Run     string         `yaml:"run,omitempty"`
	Seed    uint64         `yaml:"seed"`
	Rules   yaml.Node      `yaml:"rules"`
	Network nn.Description `yaml:"network"`
	Learner learner.Config `yaml:"learner"`
	League  league.Config  `yaml:"league"`
	Actor   actor.Config   `yaml:"actor"`
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

// merge reads a YAML document strictly over the configuration. Where it comes
// from is part of the error.
func (c *runConfig) merge(doc []byte, source string) error {
	dec := yaml.NewDecoder(bytes.NewReader(doc))
	dec.KnownFields(true)
	game := c.Game
	err := dec.Decode(c)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %s", source, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if c.Game != game {
		return fmt.Errorf("%s: it is for the game %q, not %q", source, c.Game, game)
	}
	return nil
}

// set applies one "section.key=value" of the command line.
func (c *runConfig) set(assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	if !ok {
		return usage("--set %s: it must look like learner.learning_rate=0.001", assignment)
	}
	doc := value
	parts := strings.Split(key, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		doc = fmt.Sprintf("{%s: %s}", parts[i], doc)
	}
	if err := c.merge([]byte(doc), "--set "+assignment); err != nil {
		return usage("%v", err)
	}
	return nil
}

// newGame makes the game under the configured rules.
func (c *runConfig) newGame() (engine.Game, error) {
	var rules []byte
	if !c.Rules.IsZero() {
		var err error
		if rules, err = yaml.Marshal(&c.Rules); err != nil {
			return nil, fmt.Errorf("rules: %w", err)
		}
	}
	return games.New(c.Game, rules)
}

// build makes the game and checks every section. The rules that were left out
// are filled in, so that the saved configuration says them all.
func (c *runConfig) build() (engine.Game, error) {
	game, err := c.newGame()
	if err != nil {
		return nil, err
	}
	if err := c.Rules.Encode(game.Rules()); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	if err := c.Network.Validate(game.Spec()); err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	if err := c.Learner.Validate(); err != nil {
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
		Game string `yaml:"game"`
	}
	if err := yaml.Unmarshal(doc, &head); err != nil {
		return nil, fmt.Errorf("%s: %s", source, strings.TrimPrefix(err.Error(), "yaml: "))
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
	set         []string
	seed        uint64
	seedGiven   bool
}

// apply changes the configuration in the order defaults, file, rules file, single
// settings, seed.
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
		if _, err := games.New(c.Game, doc); err != nil {
			return usage("%s: %v", f.rules, err)
		}
		if err := yaml.Unmarshal(doc, &c.Rules); err != nil {
			return usage("%s: %v", f.rules, err)
		}
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
	flags.StringVar(&f.rules, "rules", "", "YAML file with the game's rules")
	flags.StringArrayVar(&f.set, "set", nil, "one setting, as in learner.epochs=3; may be repeated")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of everything random")
}
