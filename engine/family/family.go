// Package family makes one game of a game under many rules: chance first draws a table, which is a way to play with
// its number of seats, and then the game is played there. So agents train on all tables of a family, histories say at
// which table they were played, and the seed of a game says which table chance must have drawn.
//
// A family is written as rules of the game, which are those of its default table, with a key that says what varies:
//
//	players: 3
//	family:
//	  default: 0.5           # share of the games that are played at the default table
//	  players: 2..8
//	  rounds: [10, 15, 20]
//	  roller: any
//
// A key stands for one of the rules, with those it is nested in: "game.target_score", or nested as in the rules.
// Combinations that the game refuses are left out, and all others are drawn equally often. "family: usual" varies what
// the game's [engine.RuleBook] says people vary.
//
// What a seat sees at a table is its observation there, each segment filled up with zeros to its largest size at any
// table, and the segment [SegmentName], which says what the rules are. [Game.Encoding] gives a network that knows the
// family this view of a table of the plain game.
//
// "fixed: [rounds]" keeps rules of the family as they are at the default table; a seat sees them as if they varied. So
// a part of a family looks to a network like the whole.
package family

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

// SegmentName is the segment of the observation with the rules. Of each rule that varies it has the number of its
// value among at most eight: as 0 or 1 if there are two, else a bit for each value. Of more than two numbers it
// also has where the value is between the lowest, 0, and the highest, 1.
const SegmentName = "family"

// MaxTables bounds the tables of a family.
const MaxTables = 2048

// mostBits bounds the values of a rule that have a bit each in the observation.
const mostBits = 8

// Game is a family. Goroutines may share it.
type Game struct {
	spec     engine.Spec
	rules    map[string]any // that decode to the family
	share    float64        // of the default table
	standard int            // the default table
	scores   bool           // there are some
	varying  []varying
	tables   []table // in the order of their values
	byHash   map[[8]byte]int
	bots     *engine.Bots
}

// table is a member of the family.
type table struct {
	game   engine.Game
	values []int // of each rule that varies, its index
	unused bool  // it differs from the default table in a fixed rule
	encoding
}

// varying is a rule that varies.
type varying struct {
	key    string
	values []any // as in a JSON document
	fixed  any   // the one that all tables have; nil: they vary
}

// New returns the family that a rules document describes; newGame makes its tables.
func New(newGame func([]byte) (engine.Game, error), document []byte) (*Game, error) {
	d, err := read(newGame, document)
	if err != nil {
		return nil, err
	}
	g := &Game{share: d.share, varying: d.varying, rules: d.rules, byHash: map[[8]byte]int{}, standard: -1}
	if err := g.addTables(newGame, d); err != nil {
		return nil, err
	}
	if err := g.specify(d.standard.Spec()); err != nil {
		return nil, err
	}
	g.tables = slices.DeleteFunc(g.tables, func(t table) bool { return t.unused })
	own := engine.RulesHash(d.standard)
	for i := range g.tables {
		g.byHash[engine.RulesHash(g.tables[i].game)] = i
	}
	i, there := g.byHash[own]
	if !there {
		return nil, strict.Errorf("family", "the default table is not in it: its rules must be among those that vary")
	}
	g.standard = i
	g.scores = len(g.Default().NewState().Scores(nil)) > 0
	g.bots = g.seatBots()
	for i := range g.tables {
		g.tables[i].encoding = g.encode(&g.tables[i])
	}
	return g, nil
}

// addTables makes the game of each combination that the game's rules allow.
func (g *Game) addTables(newGame func([]byte) (engine.Game, error), d *description) error {
	refused := map[[2]int]error{} // of each value, why; nil: it is at some table
	combination := make([]int, len(g.varying))
	for {
		rules, err := d.under(combination)
		if err != nil {
			return err
		}
		made, err := newGame(rules)
		if err == nil {
			g.tables = append(g.tables, table{game: made, values: slices.Clone(combination), unused: g.isUnused(combination)})
		}
		for rule, value := range combination {
			at := [2]int{rule, value}
			if before, seen := refused[at]; !seen || before != nil {
				refused[at] = err
			}
		}
		if !next(combination, g.varying) {
			break
		}
	}
	for rule, v := range g.varying {
		for value := range v.values {
			if err := refused[[2]int{rule, value}]; err != nil {
				return strict.Errorf("family."+v.key, "no table has the value %v: %v", v.values[value], err)
			}
		}
	}
	return nil
}

// isUnused reports whether a fixed rule has another value than at the default table.
func (g *Game) isUnused(combination []int) bool {
	for rule, value := range combination {
		if v := g.varying[rule]; v.fixed != nil && v.values[value] != v.fixed {
			return true
		}
	}
	return false
}

// next moves on to the next combination, the last rule first, and reports whether there is one.
func next(combination []int, rules []varying) bool {
	for i := len(combination) - 1; i >= 0; i-- {
		if combination[i]++; combination[i] < len(rules[i].values) {
			return true
		}
		combination[i] = 0
	}
	return false
}

// specify makes the family's specification, given that of the default table. The tables must agree in all that a
// network or a history depends on.
func (g *Game) specify(standard *engine.Spec) error {
	g.spec = *standard
	spec := &g.spec
	spec.Roles = nil
	segments := slices.Clone(spec.Segments)
	for i := range g.tables {
		s := g.tables[i].game.Spec()
		if why := differs(standard, s); why != "" {
			return strict.Errorf("family", "%s at the table %s: that must not vary", why, g.describe(i))
		}
		spec.Seats = max(spec.Seats, s.Seats)
		spec.MaxHistory = max(spec.MaxHistory, s.MaxHistory)
		spec.MaxReturn = max(spec.MaxReturn, s.MaxReturn)
		for j := range segments {
			segments[j].Size = max(segments[j].Size, s.Segments[j].Size)
		}
	}
	spec.MaxHistory += 1 + len(g.varying)
	spec.Rules = g.book()
	spec.Outcomes = max(spec.Outcomes, 2)
	size := 0
	for _, v := range g.varying {
		spec.Outcomes = max(spec.Outcomes, len(v.values))
		size += len(v.encode(nil, 0))
	}
	segments = append(segments, engine.Segment{Name: SegmentName, Size: size})
	spec.Segments, spec.ObservationSize = engine.Segments(segments)
	return nil
}

// book returns the rule book of the plain game with what a document says of the family.
func (g *Game) book() *engine.RuleBook {
	plain := g.spec.Rules
	book := &engine.RuleBook{Rules: slices.Clone(plain.Rules), Presets: plain.Presets}
	book.Rules = append(book.Rules,
		engine.Rule{Key: Key + "." + DefaultKey, Help: "Share of the games at the default table"})
	if slices.ContainsFunc(g.varying, func(v varying) bool { return v.fixed != nil }) {
		book.Rules = append(book.Rules,
			engine.Rule{Key: Key + "." + FixedKey, Help: "Those that stay as at the default table"})
	}
	for _, v := range g.varying {
		i := slices.IndexFunc(plain.Rules, func(r engine.Rule) bool { return r.Key == v.key })
		r := plain.Rules[i]
		r.Key, r.Help = Key+"."+v.key, "What it varies among: "+strings.ToLower(r.Help[:1])+r.Help[1:]
		book.Rules = append(book.Rules, r)
	}
	return book
}

// differs reports what of a table's specification is not that of the default table, though it has to be.
func differs(a, b *engine.Spec) string {
	name := func(s engine.Segment) string { return s.Name }
	switch {
	case a.Actions != b.Actions || !slices.Equal(a.ActionGroups, b.ActionGroups):
		return "it has other actions"
	case a.Outcomes != b.Outcomes:
		return "it has other outcomes"
	case !slices.Equal(collect(a.Segments, name), collect(b.Segments, name)):
		return "its observation has other segments"
	case a.Payoff != b.Payoff || a.Unit != b.Unit || a.HistoryUnit != b.HistoryUnit:
		return "its returns are counted in another way"
	case a.PerfectInformation != b.PerfectInformation || a.Covert != b.Covert:
		return "other things are hidden"
	case !slices.Equal(a.Figures, b.Figures):
		return "it has other figures"
	}
	return ""
}

func collect[T, U any](list []T, of func(T) U) (out []U) {
	for _, v := range list {
		out = append(out, of(v))
	}
	return out
}

// describe names a table by the rules that vary.
func (g *Game) describe(table int) string {
	rules := map[string]any{}
	for i, v := range g.varying {
		rules[v.key] = v.values[g.tables[table].values[i]]
	}
	text, _ := json.Marshal(rules) // of numbers and texts
	return string(text)
}

// encode appends what the observation says of a value.
func (v *varying) encode(dst []float32, value int) []float32 {
	n := len(v.values)
	switch {
	case n == 2:
		dst = append(dst, float32(value))
	case n <= mostBits || !v.isNumber():
		bits := make([]float32, n)
		bits[value] = 1
		dst = append(dst, bits...)
	}
	if n > 2 && v.isNumber() {
		low, high := v.bounds()
		dst = append(dst, float32((v.values[value].(float64)-low)/(high-low)))
	}
	return dst
}

func (v *varying) isNumber() bool {
	_, is := v.values[0].(float64)
	return is
}

// Spec returns the family's fixed numbers: seats are those of its largest table.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the rules of the default table and those that vary; [New] makes the same family of them.
func (g *Game) Rules() any { return g.rules }

// NewState returns the state before a table is drawn.
func (g *Game) NewState() engine.State {
	s := &State{game: g, inners: make([]engine.State, len(g.tables))}
	s.Reset()
	return s
}

// Default returns the plain game of the default table.
func (g *Game) Default() engine.Game { return g.tables[g.standard].game }

// Tables returns the plain games of all tables.
func (g *Game) Tables() []engine.Game {
	return collect(g.tables, func(t table) engine.Game { return t.game })
}

// Farthest returns the plain game of the table that differs from the default one in as many rules as any, in numbers
// by the most.
func (g *Game) Farthest() engine.Game {
	own := g.tables[g.standard].values
	far, most := g.standard, 0.0
	for i := range g.tables {
		distance := 0.0
		for rule, value := range g.tables[i].values {
			distance += g.varying[rule].distance(own[rule], value)
		}
		if distance > most {
			far, most = i, distance
		}
	}
	return g.tables[far].game
}

// distance is 0 for the same value and 1 for another; of numbers it is above 1 by how far they are apart, as a share of
// the most.
func (v *varying) distance(a, b int) float64 {
	if a == b {
		return 0
	}
	if !v.isNumber() {
		return 1
	}
	low, high := v.bounds()
	return 1 + math.Abs(v.values[a].(float64)-v.values[b].(float64))/(high-low)
}

// bounds returns the lowest and the highest of the values, which are numbers.
func (v *varying) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range v.values {
		low, high = min(low, x.(float64)), max(high, x.(float64))
	}
	return low, high
}

// drawsDefault draws whether a game is at the default table.
func (g *Game) drawsDefault(rng *engine.RNG) bool { return rng.Float64() < g.share }

// draw draws the value of a rule, given the tables that agree with what was drawn before.
func (g *Game) draw(rng *engine.RNG, first, end, rule int) (value int) {
	return g.tables[first+rng.IntN(end-first)].values[rule]
}

// with returns which of some tables have the value of a rule. They agree in the rules before it.
func (g *Game) with(first, end, rule, value int) (from, to int) {
	for from = first; from < end && g.tables[from].values[rule] != value; {
		from++
	}
	for to = from; to < end && g.tables[to].values[rule] == value; {
		to++
	}
	return from, to
}

// Seats returns how many seats the table has that the seed of a game draws.
func (g *Game) Seats(seed uint64) int {
	rng := engine.NewRNG(seed, engine.ChanceStream)
	if g.drawsDefault(rng) {
		return g.Default().Spec().Seats
	}
	first, end := 0, len(g.tables)
	for rule := range g.varying {
		first, end = g.with(first, end, rule, g.draw(rng, first, end, rule))
	}
	return g.tables[first].game.Spec().Seats
}

// Encoding returns how states of a table look to a network that knows the family. The error reports why the game is not
// a table of the family.
func (g *Game) Encoding(game engine.Game) (engine.Encoding, error) {
	if i, there := g.byHash[engine.RulesHash(game)]; there {
		return &g.tables[i].encoding, nil
	}
	if f, is := game.(*Game); is && engine.RulesHash(f) == engine.RulesHash(g) {
		return nil, nil
	}
	rules, _ := json.Marshal(game.Rules()) // as RulesHash does
	return nil, fmt.Errorf("%s %s is not among the %d tables for which it was trained", game.Spec().Name, rules, len(g.tables))
}
