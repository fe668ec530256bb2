package sweep

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/input"
	"croupier/internal/strict"
	"croupier/settings"
)

// File is the description of a sweep, as people write it.
type File struct {
	Game string `yaml:"game"`
	// Base are the settings that all candidates share, a document like those of croupier train --config.
	Base yaml.Node `yaml:"base"`
	// Variants are candidates with names: several settings each, by their dotted names.
	Variants map[string]map[string]yaml.Node `yaml:"variants"`
	// Vary are settings by their dotted names, with the list of values of a grid, or with a range from which
	// they are drawn ([Range]).
	Vary      map[string]yaml.Node `yaml:"vary"`
	Search    Search               `yaml:"search"`
	Seeds     Seeds                `yaml:"seeds"`
	Budget    time.Duration        `yaml:"budget"`     // processor time of a run
	Games     uint64               `yaml:"games"`      // of training of a run, in place of a budget: then it is deterministic
	Processor int                  `yaml:"processors"` // on which a run works at the same time
	Parallel  int                  `yaml:"parallel"`   // runs at the same time
	Objective Objective            `yaml:"objective"`

	text       []byte
	shared     bool // it is played on machines that do not have each other's files
	candidates []Candidate
	games      *catalog.Catalog
	game       engine.Game // of the base settings
}

// Methods of searching.
const (
	Grid    = "grid"    // every combination
	Random  = "random"  // drawn from ranges (Bergstra and Bengio 2012)
	Halving = "halving" // drawn; the better ones get more time (Jamieson and Talwalkar 2016)
)

// Search reports which candidates there are, and how much time each gets.
type Search struct {
	Method     string `yaml:"method"`
	Candidates int    `yaml:"candidates"` // random, halving: how many are drawn
	Seed       uint64 `yaml:"seed"`       // random, halving: of what is drawn
	// halving: one of this many candidates gets into the next round, with this many times the budget
	Reduction int           `yaml:"reduction"`
	Least     time.Duration `yaml:"least"` // halving: budget of the first round, at least
}

// Seeds are how many seeds there are. Every candidate gets the same ones.
type Seeds struct {
	// Tuning is the number of seeds on which the winner is chosen; 0: all candidates are played on the
	// reporting seeds.
	Tuning    int `yaml:"tuning"`
	Reporting int `yaml:"reporting"`
}

// firstTuningSeed keeps tuning apart from reporting, whose seeds begin with 1.
const firstTuningSeed = 1001

func seedsFrom(first uint64, n int) (list []uint64) {
	for i := range n {
		list = append(list, first+uint64(i))
	}
	return list
}

// Candidate is one of the settings that are compared.
type Candidate struct {
	Name     string    `json:"name"`
	Settings []Setting `json:"settings"` // other than the base

	config *settings.Config
}

// Setting is a setting by its dotted name, with its value as YAML.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Limits of a sweep.
const (
	maxCandidates = 1000
	maxSeeds      = 1000
	maxProcessors = 1024
)

// Read reads the file of a sweep. Errors name the file, the line and the field.
func Read(games *catalog.Catalog, path string) (*File, error) { return read(games, path, Parse) }

// ReadShared is Read for a sweep that is played elsewhere, as ParseShared.
func ReadShared(games *catalog.Catalog, path string) (*File, error) {
	return read(games, path, ParseShared)
}

func read(
	games *catalog.Catalog, path string, parse func(*catalog.Catalog, []byte) (*File, error),
) (*File, error) {
	text, err := input.ReadText(path, strict.MaxBytes)
	if err != nil {
		return nil, err
	}
	f, err := parse(games, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse reads the text of such a file.
func Parse(games *catalog.Catalog, text []byte) (*File, error) { return parseText(games, text, false) }

// ParseShared is Parse for a sweep that is played on machines of different owners: it refuses agents in files.
func ParseShared(games *catalog.Catalog, text []byte) (*File, error) {
	return parseText(games, text, true)
}

func parseText(games *catalog.Catalog, text []byte, shared bool) (*File, error) {
	f := &File{
		games: games, shared: shared,
		Search: Search{Method: Grid, Seed: 1, Reduction: 3}, Seeds: Seeds{Reporting: 5}, Processor: 1, Parallel: 1,
		Objective: defaultObjective(), text: text,
	}
	document := strict.YAML(text)
	if err := document.Decode(f); err != nil {
		return nil, err
	}
	checks := []func() error{
		f.checkNumbers, f.expand, f.checkShared, f.build, f.checkGames,
		func() error { return f.Objective.check(f.agents()) }, f.checkExploiters,
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return nil, strict.Locate(err, document)
		}
	}
	return f, nil
}

// checkNumbers names the first wrong field.
func (f *File) checkNumbers() error {
	for _, n := range []struct {
		field             string
		value, least, top int
	}{
		{"seeds.tuning", f.Seeds.Tuning, 0, maxSeeds},
		{"seeds.reporting", f.Seeds.Reporting, 1, maxSeeds},
		{"processors", f.Processor, 1, maxProcessors},
		{"parallel", f.Parallel, 1, maxProcessors},
		{"search.reduction", f.Search.Reduction, 2, 100},
	} {
		if n.value < n.least || n.value > n.top {
			return strict.Errorf(n.field, "%d is not in %d..%d", n.value, n.least, n.top)
		}
	}
	switch {
	case f.Game == "":
		return strict.Errorf("game", "is missing")
	case f.Games > 0:
		return f.checkInstead()
	case f.Budget < time.Second:
		return strict.Errorf("budget", "%v is not at least 1s of processor time", f.Budget)
	}
	return f.checkSearch()
}

// checkSearch names the first wrong field of what the candidates are.
func (f *File) checkSearch() error {
	switch drawn := f.Search.Method != Grid; {
	case !slices.Contains([]string{Grid, Random, Halving}, f.Search.Method):
		return strict.Errorf("search.method", "%q is not %s, %s or %s", f.Search.Method, Grid, Random, Halving)
	case drawn && (f.Search.Candidates < 1 || f.Search.Candidates > maxCandidates):
		return strict.Errorf("search.candidates", "%d is not in 1..%d", f.Search.Candidates, maxCandidates)
	case !drawn && f.Search.Candidates != 0:
		return strict.Errorf("search.candidates", "a grid has all combinations")
	case f.Search.Method != Halving && f.Search.Least != 0:
		return strict.Errorf("search.least", "is for search.method: %s", Halving)
	case f.Search.Method == Halving && (f.Search.Least < time.Second || f.Search.Least > f.Budget):
		return strict.Errorf("search.least", "%v is not between 1s and the budget, %v", f.Search.Least, f.Budget)
	case f.Search.Method == Halving && f.Seeds.Tuning == 0:
		return strict.Errorf("seeds.tuning", "halving chooses by seeds of tuning: at least 1 is needed")
	case drawn && len(f.Vary) == 0:
		return strict.Errorf("vary", "says from what the candidates are drawn, and is empty")
	case len(f.Vary) == 0 && len(f.Variants) == 0 && f.Seeds.Tuning != 0:
		return strict.Errorf("seeds.tuning", "%d seeds to choose by, but neither vary nor variants name a choice",
			f.Seeds.Tuning)
	}
	return nil
}

// checkInstead names what does not go with a number of training games in place of a budget.
func (f *File) checkInstead() error {
	switch {
	case f.Budget != 0:
		return strict.Errorf("games", "a run has a budget or a number of games, not both")
	case f.Search.Method == Halving:
		return strict.Errorf("games", "search.method: %s divides a budget", Halving)
	case f.Objective.Summary != End:
		return strict.Errorf("games", "only summary: %s goes without a budget", End)
	}
	return f.checkSearch()
}

// checkGames reports which candidate cannot be trained deterministically, as a number of games asks for.
func (f *File) checkGames() error {
	if f.Games == 0 {
		return nil
	}
	for _, c := range f.candidates {
		if league := &c.config.League; len(league.Learning()) > 1 || len(league.Opponents) > 0 {
			return strict.Errorf("games", "candidate %s: such a run is deterministic, and its agent plays against itself "+
				"alone: league.agents and league.opponents name others", c.Name)
		}
	}
	return nil
}

// checkShared names the first agent that only this machine has, or could have.
func (f *File) checkShared() error {
	if !f.shared {
		return nil
	}
	for i, name := range f.Objective.Opponents {
		if err := agents.CheckShared(name); err != nil {
			return strict.Errorf(strict.Element("objective.opponents", i), "%v", err)
		}
	}
	return nil
}

// checkSharedSettings is checkShared for the settings of a candidate.
func (f *File) checkSharedSettings(c *settings.Config) error {
	if !f.shared {
		return nil
	}
	for field, names := range map[string][]string{
		"league.references": c.League.References, "league.opponents": c.League.Opponents,
	} {
		for i, name := range names {
			if err := agents.CheckShared(name); err != nil {
				return strict.Errorf(strict.Element(field, i), "%v", err)
			}
		}
	}
	return nil
}

// build makes the settings of every candidate, so that a mistake is reported before anything is played.
func (f *File) build() error {
	base, err := f.baseConfig()
	if err != nil {
		return err
	}
	if f.game, err = base.Build(); err != nil {
		return strict.Under("base", err)
	}
	if err := f.checkSharedSettings(base); err != nil {
		return strict.Under("base", err)
	}
	f.candidates[0].config = base
	for i := range f.candidates[1:] {
		c := &f.candidates[i+1]
		if c.config, err = f.baseConfig(); err != nil {
			return err
		}
		for _, s := range c.Settings {
			if err := c.config.Set(s.Name + "=" + s.Value); err != nil {
				return f.blame(s.Name, reason(err))
			}
		}
		if _, err = c.config.Build(); err == nil {
			err = f.checkSharedSettings(c.config)
		}
		if err != nil {
			return f.blameOf(c, err)
		}
		if c.config.Game != f.Game || c.config.Seed != base.Seed {
			return strict.Errorf("vary", "game and seed are those of the sweep")
		}
	}
	return nil
}

// baseConfig makes the base settings.
func (f *File) baseConfig() (*settings.Config, error) {
	c, err := settings.Default(f.games, f.Game)
	if err != nil {
		return nil, strict.Errorf("game", "%v", err)
	}
	if f.Base.IsZero() {
		return c, nil
	}
	return c, strict.Under("base", c.MergePart(&f.Base))
}

// reason is what is wrong with a setting, without the names of places where it is not.
func reason(err error) string {
	var wrong *strict.Error
	if errors.As(err, &wrong) {
		return wrong.Reason
	}
	return err.Error()
}

// blameOf finds which setting of a candidate makes an error, if it is one of its own.
func (f *File) blameOf(c *Candidate, err error) error {
	var wrong *strict.Error
	if errors.As(err, &wrong) {
		for _, s := range c.Settings {
			if strings.HasPrefix(wrong.Field, s.Name) {
				return f.blame(s.Name, wrong.Reason)
			}
		}
	}
	return strict.Errorf("", "candidate %s: %v", c.Name, err)
}

// blame finds where a setting is.
func (f *File) blame(name, why string) error {
	if n, found := f.Vary[name]; found {
		return &strict.Error{Line: n.Line, Field: "vary." + name, Reason: why}
	}
	for _, variant := range slices.Sorted(maps.Keys(f.Variants)) {
		if n, found := f.Variants[variant][name]; found {
			return &strict.Error{Line: n.Line, Field: "variants." + variant + "." + name, Reason: why}
		}
	}
	return strict.Errorf(name, "%s", why)
}

var variantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$`)

// Candidates returns the candidates, the base first.
func (f *File) Candidates() []Candidate { return f.candidates }
