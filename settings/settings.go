// Package settings holds the effective configuration of a run: the built-in defaults of its
// game, changed by files, by single assignments and by options of the caller.
//
// A document need not be complete: it is read strictly on top of the present values, and
// what it leaves out stays. Errors name the source, the line and the key, whenever they are
// found ([Config.Locate]); unless they say that a file cannot be read, the fault is in what
// the caller wrote.
package settings

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"croupier/actor"
	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/family"
	"croupier/internal/input"
	"croupier/internal/rundir"
	"croupier/internal/space"
	"croupier/internal/strict"
	"croupier/league"
	"croupier/learner/train"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/nn"
)

// defaults holds the files for games that bring no settings of their own ([generalDefaults]).
//
//go:embed defaults/*.yaml
var defaults embed.FS

// Config is the effective configuration of a run: everything that shapes its result. It is
// saved in the run directory and sent to every role.
type Config struct {
	Game       string         `yaml:"game"`
	Run        string         `yaml:"run,omitempty"`
	Seed       uint64         `yaml:"seed"`
	Rules      yaml.Node      `yaml:"rules"`
	Curriculum []Stage        `yaml:"curriculum"`
	Network    nn.Description `yaml:"network"`
	Learner    train.Config   `yaml:"learner"`
	League     league.Config  `yaml:"league"`
	Actor      actor.Config   `yaml:"actor"`
	Archive    archive.Config `yaml:"archive"`
	Streams    bus.Sizes      `yaml:"streams"`
	Disk       space.Config   `yaml:"disk"`
	Conduct    conduct.Config `yaml:"conduct"`

	catalog   *catalog.Catalog
	documents []*strict.Document // that were read, one over the other; the built-in defaults are not among them
	foreign   []foreign          // settings of another version
	changed   []string           // since the program wrote them
}

// Default returns the defaults for a game of the catalog.
func Default(games *catalog.Catalog, game string) (*Config, error) {
	c := &Config{
		catalog: games,
		Game:    game,
		Seed:    1,
		Learner: train.DefaultConfig().With(further(games)...),
		League:  league.DefaultConfig(),
		Actor:   actor.DefaultConfig(),
		Archive: archive.DefaultConfig(),
		Streams: bus.DefaultSizes(),
		Conduct: conduct.DefaultConfig(),
	}
	g, err := games.New(game, nil)
	if err != nil {
		return nil, err
	}
	doc := games.Of(g).Defaults
	if doc == nil {
		if doc, err = defaults.ReadFile(generalDefaults(g.Spec())); err != nil {
			return nil, err
		}
	}
	err = c.Merge(doc, "the built-in defaults of "+game)
	c.documents = nil
	return c, err
}

// Catalog returns the games among which the configured one is.
func (c *Config) Catalog() *catalog.Catalog { return c.catalog }

// generalDefaults names the file for a game without settings of its own, by what the game declares.
func generalDefaults(spec *engine.Spec) string {
	if spec.Bluffs() {
		return "defaults/hidden.yaml"
	}
	return "defaults/default.yaml"
}

// Merge reads a YAML document strictly on top of the configuration. Of the rules, too, only
// those that it names change. Errors name the source of the document.
func (c *Config) Merge(doc []byte, source string) error {
	return c.merge(strict.YAML(doc).From(source))
}

// MergePart is Merge for a part of a YAML document. Errors name the lines of the whole, and the keys of the part.
func (c *Config) MergePart(part *yaml.Node) error { return c.merge(strict.Node(part)) }

func (c *Config) merge(document *strict.Document) error {
	return c.mergeIgnoring(document, func(string, *yaml.Node) bool { return false })
}

// mergeIgnoring is merge for documents with settings that are ignored where ignore says so. Those that are gone are
// ignored in every document, as long as they ask for what is done anyway.
func (c *Config) mergeIgnoring(document *strict.Document, ignore func(path string, value *yaml.Node) bool) error {
	game, rules, curriculum := c.Game, c.Rules, c.Curriculum
	c.Rules, c.Curriculum = yaml.Node{}, nil
	var refused []error
	err := document.Ignoring(func(path string, value *yaml.Node) bool {
		gone, err := dropWithdrawn(path, value)
		if err != nil {
			refused = append(refused, err)
		}
		return gone || ignore(path, value)
	}).Decode(c)
	if err != nil {
		return err
	}
	c.documents = append(slices.Clip(c.documents), document)
	if len(refused) > 0 {
		return c.Locate(strict.Join(refused...))
	}
	if c.Game != game {
		return c.Locate(strict.Errorf("game", "the settings are for %q, not for %q", c.Game, game))
	}
	changed := !c.Rules.IsZero() || c.Curriculum != nil
	c.Rules = overlay(c.Rules, rules)
	if c.Curriculum == nil {
		c.Curriculum = curriculum
	}
	if !changed {
		return nil
	}
	_, _, err = c.Games()
	return err
}

// Locate adds to an error about settings, made with strict.Errorf, where they are: in the newest of the documents
// that were read. Whatever is checked after reading gets its place here.
func (c *Config) Locate(err error) error { return strict.Locate(err, c.documents...) }

// Games makes the game of the run's training games, a [*family.Game] where its rules are a family's, and the games of
// its curriculum.
func (c *Config) Games() (engine.Game, train.Curriculum, error) {
	game, err := c.trainingGame()
	if err != nil {
		return nil, nil, err
	}
	stages, err := c.stages(game)
	return game, stages, c.Locate(err)
}

// Set applies one assignment, as in "learner.ppo.epochs=3".
func (c *Config) Set(assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	parts := strings.Split(key, ".")
	if !ok || slices.Contains(parts, "") {
		return fmt.Errorf("--set %s: it must look like learner.ppo.epochs=3", assignment)
	}
	given := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(value), &document); err != nil {
		return fmt.Errorf("--set %s: its value is not YAML: %s", assignment, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) > 0 {
		given = document.Content[0]
	}
	if given.Kind == yaml.ScalarNode && decimalComma.MatchString(given.Value) {
		return fmt.Errorf("--set %s: %s is not a number; a decimal point is a point, as in %s", assignment, given.Value,
			strings.Replace(given.Value, ",", ".", 1))
	}
	for _, part := range slices.Backward(parts) {
		given = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str",
			Value: part}, given}}
	}
	return c.merge(strict.Node(given).WithoutLines().From("--set " + assignment))
}

// decimalComma finds numbers as several languages write them. None of the settings is a text of this form.
var decimalComma = regexp.MustCompile(`^[-+]?\d*,\d+$`)

// NewGame makes the game under the configured rules, which are those of the default table where they are a family's.
func (c *Config) NewGame() (engine.Game, error) {
	game, err := c.trainingGame()
	return atTable(game), err
}

// atTable returns the plain game of the default table.
func atTable(game engine.Game) engine.Game {
	if f, isFamily := game.(*family.Game); isFamily {
		return f.Default()
	}
	return game
}

func (c *Config) trainingGame() (engine.Game, error) {
	game, err := newGame(c.catalog, c.Game, &c.Rules)
	if err != nil {
		return nil, c.Locate(strict.Under("rules", err))
	}
	return game, nil
}

// newGame makes a game under rules that are part of a document. Errors name fields, and no lines.
func newGame(games *catalog.Catalog, name string, rules *yaml.Node) (engine.Game, error) {
	var document []byte
	if !rules.IsZero() {
		var err error
		if document, err = yaml.Marshal(rules); err != nil {
			return nil, err
		}
	}
	game, err := games.New(name, document)
	return game, strict.WithoutLines(err)
}

// Build makes the game and checks every section. It fills in the rules that were left out,
// so that the saved configuration lists them all.
func (c *Config) Build() (engine.Game, error) {
	game, _, err := c.Games()
	if err != nil {
		return nil, err
	}
	if err := c.Rules.Encode(game.Rules()); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	return atTable(game), c.Locate(c.validate(game))
}

// validate checks every section. Errors are of type [*strict.Error] and name fields by their paths.
func (c *Config) validate(game engine.Game) (err error) {
	if c.Network, err = c.Learner.Network(c.Network); err != nil {
		return err
	}
	for _, section := range []struct {
		key   string
		check func() error
	}{
		{"network", func() error { return c.Network.Validate(game.Spec()) }},
		{"learner", c.Learner.Validate},
		{"learner", func() error { return c.Learner.Check(game, c.Network) }},
		{"learner", func() error { return checkTeacher(c.catalog.Of(game), game, c.Learner.PPO.Teacher) }},
		{"league", c.League.Validate},
		{"actor", c.Actor.Validate},
		{"archive", c.Archive.Validate},
		{"streams", c.Streams.Validate},
		{"disk", c.Disk.Validate},
		{"conduct", c.Conduct.Validate},
	} {
		if err := section.check(); err != nil {
			return strict.Under(section.key, err)
		}
	}
	if most := c.Streams.ResultBytes / 2; c.League.ResultBytes > most {
		return strict.Between("league.result_bytes", "streams.result_bytes",
			"%d is more than half of streams.result_bytes, %d: "+
				"results would be refused before the league takes them over", c.League.ResultBytes, most)
	}
	return nil
}

// Encode returns the whole configuration as a document that Merge reads back.
func (c *Config) Encode() ([]byte, error) { return encode(c) }

// UnknownGameError says that a configuration cannot be read since its game is not known here: it comes with another
// program, or from a file or program that is not here. Nothing is wrong with the configuration.
type UnknownGameError struct {
	Source string // as of [Load]
	cause  error
}

func (e *UnknownGameError) Error() string { return e.Source + ": " + e.cause.Error() }

// Unwrap returns which game is not known.
func (e *UnknownGameError) Unwrap() error { return e.cause }

// Load reads a saved configuration, which a program of another version may have written ([Config.Foreign]). Errors name
// the source; one is an [*UnknownGameError] where the game is not known.
func Load(games *catalog.Catalog, doc []byte, source string) (*Config, error) {
	var sections map[string]yaml.Node
	if err := strict.YAML(doc).Decode(&sections); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if err := sourceKnown(games, doc); err != nil {
		return nil, &UnknownGameError{source, fmt.Errorf("the game %s %w", sections["game"].Value, err)}
	}
	if _, err := games.Find(sections["game"].Value); err != nil {
		return nil, &UnknownGameError{source, err}
	}
	c, err := Default(games, sections["game"].Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return c, c.mergeIgnoring(strict.YAML(doc).From(source), c.keepForeign)
}

// sourceKnown reports which file or program of a configuration's game is not known here.
func sourceKnown(games *catalog.Catalog, doc []byte) error {
	rules := rulesOf(doc)
	switch hash := catalog.NamedSource(rules); {
	case hash == "" || games.Has(hash):
		return nil
	case catalog.NamedFile(rules) == "":
		return fmt.Errorf("is a program with the SHA-256 %s, which is not known here: no run or broker hands out programs, "+
			"since they run with your rights; name the game as exec:COMMAND, or keep it with croupier games add exec:COMMAND",
			hash)
	default:
		return fmt.Errorf("comes from a file with the SHA-256 %s, which is not here", hash)
	}
}

// ArchiveLimit returns archive.max_bytes of a saved configuration, whose game need not be known; 0 if it has none.
func ArchiveLimit(doc []byte) int64 {
	var part struct{ Archive archive.Config }
	if yaml.Unmarshal(doc, &part) != nil {
		return 0 // the reader of the configuration says what is wrong
	}
	return part.Archive.MaxBytes
}

// FileNamed returns the SHA-256 of the file from which the game of a configuration comes, "" if it comes from none.
func FileNamed(doc []byte) string { return catalog.NamedFile(rulesOf(doc)) }

// rulesOf returns the rules of a configuration, nil if it cannot be read.
func rulesOf(doc []byte) []byte {
	var sections map[string]yaml.Node
	if strict.YAML(doc).Decode(&sections) != nil {
		return nil // who reads the configuration says what is wrong
	}
	rules := sections["rules"]
	text, err := yaml.Marshal(&rules)
	if err != nil {
		return nil
	}
	return text
}

// OpenGame opens the file of a run's game for the catalog. It reports false if the game comes from none.
func OpenGame(games *catalog.Catalog, dir string) (game catalog.Game, found bool, err error) {
	file, err := rundir.ReadGame(dir)
	if err == nil && file != nil {
		game, err = games.Open(file)
	}
	if err != nil {
		return game, false, fmt.Errorf("%s: %w", filepath.Join(dir, rundir.GameFile), err)
	}
	return game, file != nil, nil
}

// Read reads the configuration of a run directory.
func Read(games *catalog.Catalog, dir string) (*Config, error) {
	if _, err := rundir.ReadInfo(dir); err != nil {
		return nil, err
	}
	saved, err := rundir.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if _, _, err := OpenGame(games, dir); err != nil {
		return nil, err
	}
	c, err := Load(games, saved.Text, filepath.Join(dir, rundir.ConfigFile))
	if err != nil {
		return nil, err
	}
	c.changed = saved.Changed
	return c, nil
}

// CheckRun says in what run.json and the configuration, which both say what run a directory holds, contradict each
// other:
// one of them is damaged, or of another run. A run that continues under the wrong name would begin from nothing, and
// write over what there is.
func (c *Config) CheckRun(info rundir.Info) error {
	for _, part := range []struct {
		what         string
		here, effect any
	}{
		{"run", info.ID, cmp.Or(c.Run, info.ID)}, {"game", info.Game, c.Game}, {"seed", uint64(info.Seed), c.Seed},
	} {
		if part.here != part.effect {
			return fmt.Errorf("by run.json its %s is %v, by %s %v: one of the two files is damaged, or of another run",
				part.what, part.here, rundir.ConfigFile, part.effect)
		}
	}
	return nil
}

// Changed reports which settings of the run directory are not as the program wrote them ([rundir.Config]).
func (c *Config) Changed() []string { return c.changed }

// further returns the settings of the algorithms of a catalog, which are made for the caller.
func further(games *catalog.Catalog) (list []train.Settings) {
	for _, algorithm := range games.Algorithms() {
		list = append(list, algorithm().(train.Settings))
	}
	return list
}

// Algorithms returns the learning algorithms of a program with a catalog, with their usual settings.
func Algorithms(games *catalog.Catalog) []train.Algorithm {
	c := train.DefaultConfig().With(further(games)...)
	return c.Algorithms()
}

// AlgorithmNames lists them for people: "ppo or dqn".
func AlgorithmNames(games *catalog.Catalog) string { return train.AlgorithmNames(Algorithms(games)) }

// Changes are what a program's caller wants to be different from the defaults or from a
// saved configuration. The zero value changes nothing.
type Changes struct {
	File      string   // a document with settings
	Rules     string   // a document with the game's rules
	Family    bool     // what people choose of the rules varies
	League    string   // a document with the league's settings, its learning agents among them
	Algorithm string   // for learning, one of Algorithms
	Set       []string // assignments for Config.Set
	Seed      *uint64
}

// Empty reports whether nothing is to be changed.
func (f *Changes) Empty() bool {
	return f.File == "" && f.Rules == "" && !f.Family && f.League == "" && f.Algorithm == "" && len(f.Set) == 0 &&
		f.Seed == nil
}

// Apply makes the changes in the order of the fields. Files may be pipes, which are waited for until ctx ends. Errors
// name them as flags: --config, --rules, --league, --set.
func (f *Changes) Apply(ctx context.Context, c *Config) error {
	if err := f.readFile(ctx, c); err != nil {
		return err
	}
	if err := f.readRules(ctx, c); err != nil {
		return err
	}
	if err := f.addFamily(c); err != nil {
		return err
	}
	if err := f.readLeague(ctx, c); err != nil {
		return err
	}
	if f.Algorithm != "" {
		algorithm := fmt.Sprintf("learner: {algorithm: %q}", f.Algorithm)
		if err := c.merge(strict.YAML(algorithm).WithoutLines().From("--algo " + f.Algorithm)); err != nil {
			return err
		}
	}
	for _, s := range f.Set {
		if err := c.Set(s); err != nil {
			return err
		}
	}
	if f.Seed != nil {
		c.Seed = *f.Seed
	}
	return nil
}

func (f *Changes) readFile(ctx context.Context, c *Config) error {
	if f.File == "" {
		return nil
	}
	doc, err := readDocument(ctx, f.File)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	return c.Merge(doc, f.File)
}

func (f *Changes) readRules(ctx context.Context, c *Config) error {
	if f.Rules == "" {
		return nil
	}
	doc, err := readDocument(ctx, f.Rules)
	if err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	game, err := c.catalog.New(c.Game, doc) // which may be a family
	if err != nil {
		return fmt.Errorf("--rules %s: %w", f.Rules, err)
	}
	if err := c.Rules.Encode(game.Rules()); err != nil {
		return fmt.Errorf("%s: %w", f.Rules, err)
	}
	return nil
}

func (f *Changes) addFamily(c *Config) error {
	if !f.Family {
		return nil
	}
	game, err := c.trainingGame()
	if err != nil {
		return err
	}
	if _, isFamily := game.(*family.Game); isFamily {
		return errors.New("--family: the rules describe a family already")
	}
	return c.merge(strict.YAML("rules: {family: usual}").WithoutLines().From("--family"))
}

func (f *Changes) readLeague(ctx context.Context, c *Config) error {
	if f.League == "" {
		return nil
	}
	doc, err := readDocument(ctx, f.League)
	if err != nil {
		return fmt.Errorf("--league: %w", err)
	}
	return c.merge(strict.YAML(doc).From(f.League).Under("league"))
}

// readDocument reads a document, but no more of it than shows that it is too large: the file may have no end.
func readDocument(ctx context.Context, path string) ([]byte, error) {
	f, err := input.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(input.TextReader(f), strict.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return doc, nil
}

// GameUnder makes a game under the rules in a file, which may be a pipe as for [Changes.Apply], or under its own rules
// for "".
func GameUnder(ctx context.Context, games *catalog.Catalog, name, rules string) (engine.Game, error) {
	if rules == "" {
		return games.New(name, nil)
	}
	doc, err := readDocument(ctx, rules)
	if err != nil {
		return nil, fmt.Errorf("--rules: %w", err)
	}
	game, err := games.Table(name, doc)
	if err != nil {
		return nil, fmt.Errorf("--rules %s: %w", rules, err)
	}
	return game, nil
}
