package described

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"croupier/engine"
	"croupier/internal/strict"
)

// Description is the JSON document in which a game says what it is.
type Description struct {
	Name              string       `json:"name"`
	Title             string       `json:"title"`
	Summary           string       `json:"summary"`
	Seats             int          `json:"seats"`
	Roles             []string     `json:"roles,omitempty"`
	Actions           []group      `json:"actions"`
	Outcomes          int          `json:"outcomes,omitempty"`
	OutcomeNames      []string     `json:"outcome_names,omitempty"`
	Observation       []segment    `json:"observation"`
	Payoff            string       `json:"payoff"`
	MaxReturn         float64      `json:"max_return"`
	Unit              string       `json:"unit"`
	UnitMeaning       string       `json:"unit_meaning,omitempty"`
	MaxHistory        int          `json:"max_history"`
	HiddenInformation bool         `json:"hidden_information,omitempty"`
	Covert            bool         `json:"covert,omitempty"`
	Temperature       float64      `json:"temperature,omitempty"`
	Scores            bool         `json:"scores,omitempty"`
	Rules             []rule       `json:"rules,omitempty"`
	Presets           []rulePreset `json:"presets,omitempty"`
}

type group struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Names []string `json:"names,omitempty"`
}

type segment struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// rule is a whole number with bounds, a text with values, or true or false, as its default is.
type rule struct {
	Name    string    `json:"name"`
	Help    string    `json:"help"`
	Low     int       `json:"low,omitempty"`
	High    int       `json:"high,omitempty"`
	Values  []string  `json:"values,omitempty"`
	Default yaml.Node `json:"default"`
}

type rulePreset struct {
	Name  string `json:"name"`
	Help  string `json:"help"`
	Rules string `json:"rules"` // a document
}

// What a description may ask for.
const (
	maxSeats       = 8
	maxSteps       = 1 << 16 // actions, or outcomes
	maxObservation = 1 << 20
	maxHistory     = 1 << 24
	maxRules       = 64
)

var (
	namePattern    = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	segmentPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	payoffs        = []string{engine.WinLoss: "win-loss", engine.Money: "money"}
)

// Read reads a description and checks it.
func Read(text []byte) (*Description, error) {
	d := &Description{}
	err := strict.JSON(text).DecodeWhole(d)
	if err == nil {
		err = d.check()
	}
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	return d, nil
}

func (d *Description) check() error {
	if !namePattern.MatchString(d.Name) {
		return strict.Errorf("name", "invalid name %q: use one like \"connect-four\"", d.Name)
	}
	for _, err := range []error{
		text("title", d.Title), text("summary", d.Summary), text("unit", d.Unit),
		engine.InRange("seats", d.Seats, 1, maxSeats),
		engine.InRange("outcomes", d.Outcomes, 0, maxSteps),
		engine.InRange("max_history", d.MaxHistory, 1, maxHistory),
		engine.OneOf("payoff", d.Payoff, payoffs...),
		d.checkLists(),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case d.MaxReturn <= 0:
		return strict.Errorf("max_return", "%v is not above 0", d.MaxReturn)
	case d.Temperature < 0:
		return strict.Errorf("temperature", "%v is below 0", d.Temperature)
	case d.HiddenInformation && d.Temperature == 0:
		return strict.Errorf("temperature", "it must be above 0 where information is hidden: 1 plays the probabilities "+
			"that were learnt")
	case d.Covert && !d.HiddenInformation:
		return strict.Errorf("covert", "nothing is hidden: hidden_information is false")
	}
	return d.checkRules()
}

// text checks one line for people.
func text(field, value string) error {
	if value == "" || len(value) > 500 || !Printable(value) {
		return strict.Errorf(field, "%.80q is not one line of text", value)
	}
	return nil
}

func (d *Description) checkLists() error {
	if n := len(d.Roles); n > 0 && n != d.Seats {
		return strict.Errorf("roles", "%d names for %d seats", n, d.Seats)
	}
	if n := len(d.OutcomeNames); n > 0 && n != d.Outcomes {
		return strict.Errorf("outcome_names", "%d names for %d outcomes", n, d.Outcomes)
	}
	var names []string
	for i, g := range d.Actions {
		field := strict.Element("actions", i)
		if err := named(field, g.Name, g.Count, maxSteps, &names); err != nil {
			return err
		}
		if len(g.Names) > 0 && len(g.Names) != g.Count {
			return strict.Errorf(field+".names", "%d names for %d actions", len(g.Names), g.Count)
		}
	}
	names = nil
	for i, s := range d.Observation {
		if err := named(strict.Element("observation", i), s.Name, s.Size, maxObservation, &names); err != nil {
			return err
		}
	}
	if actions := d.ActionCount(); actions == 0 || actions > maxSteps {
		return strict.Errorf("actions", "%d are not in 1..%d", actions, maxSteps)
	}
	if _, size := d.Segments(); size == 0 || size > maxObservation {
		return strict.Errorf("observation", "%d numbers are not in 1..%d", size, maxObservation)
	}
	return nil
}

// named checks a part that has a name of its own and a size.
func named(field, name string, size, most int, names *[]string) error {
	if !segmentPattern.MatchString(name) || slices.Contains(*names, name) {
		return strict.Errorf(field+".name", "invalid name %q: use one like \"own_cards\"; or it appears twice", name)
	}
	*names = append(*names, name)
	if size < 1 || size > most {
		return strict.Errorf(field, "its size %d is not in 1..%d", size, most)
	}
	return nil
}

// ActionCount is the size of the action space.
func (d *Description) ActionCount() (n int) {
	for _, g := range d.Actions {
		n += g.Count
	}
	return n
}

// Segments returns the segments of the observation and its size.
func (d *Description) Segments() ([]engine.Segment, int) {
	list := make([]engine.Segment, len(d.Observation))
	for i, s := range d.Observation {
		list[i] = engine.Segment{Name: s.Name, Size: s.Size}
	}
	return engine.Segments(list)
}

// spec returns the numbers of the game, whose rules the book explains.
func (d *Description) spec(book *engine.RuleBook) engine.Spec {
	s := engine.Spec{
		Name: d.Name, Title: d.Title, Summary: d.Summary, Seats: d.Seats, Roles: d.Roles, Actions: d.ActionCount(),
		Outcomes: d.Outcomes, MaxHistory: d.MaxHistory, Payoff: engine.Payoff(slices.Index(payoffs, d.Payoff)),
		MaxReturn: d.MaxReturn, Unit: d.Unit, UnitMeaning: d.UnitMeaning, PerfectInformation: !d.HiddenInformation,
		Covert: d.Covert, Temperature: d.Temperature, Rules: book,
	}
	s.Segments, s.ObservationSize = d.Segments()
	first := 0
	for _, g := range d.Actions {
		s.ActionGroups = append(s.ActionGroups, engine.ActionGroup{Name: g.Name, First: first, Count: g.Count})
		first += g.Count
	}
	return s
}

// Of returns the description of a game of any kind, without its rules, which are fixed; scores reports whether it has
// points of its own.
func Of(spec *engine.Spec, scores bool) *Description {
	d := &Description{
		Name: spec.Name, Title: spec.Title, Summary: spec.Summary, Seats: spec.Seats, Roles: spec.Roles,
		Outcomes: spec.Outcomes, Payoff: payoffs[spec.Payoff], MaxReturn: spec.MaxReturn, Unit: spec.Unit,
		UnitMeaning: spec.UnitMeaning, MaxHistory: spec.MaxHistory, HiddenInformation: !spec.PerfectInformation,
		Covert: spec.Covert, Temperature: spec.Temperature, Scores: scores,
	}
	if d.HiddenInformation && d.Temperature == 0 {
		d.Temperature = 1
	}
	for _, g := range spec.ActionGroups {
		d.Actions = append(d.Actions, group{Name: g.Name, Count: g.Count})
	}
	for _, s := range spec.Segments {
		d.Observation = append(d.Observation, segment{s.Name, s.Size})
	}
	return d
}

// SameRules reports whether a description under other rules has the same name and rules.
func (d *Description) SameRules(o *Description) error {
	if d.Name != o.Name || !slices.EqualFunc(d.Rules, o.Rules, func(a, b rule) bool { return a.Name == b.Name }) {
		return errors.New("description: its name or its list of rules changes with the rules")
	}
	return nil
}
