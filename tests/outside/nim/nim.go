// Package nim is a game in a module of its own, which trains, is rated and is played with croupier.
//
// On the table lie piles of counters. In a turn a seat takes one or more counters from one pile; the one that takes the
// last counter of all wins (C. L. Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3,
// 1901).
//
// Rules:
//
//	piles  one to four of 1..7 counters each (3, 4, 5)
//
// Actions: 7 × pile + counters - 1. There is no chance. The return is +1 to the winner and -1 to the other.
package nim

import (
	"embed"
	"fmt"
	"strings"

	"croupier/catalog"
	"croupier/engine"
)

const (
	seats    = 2
	maxPiles = 4
	largest  = 7 // pile
	// observed values of a pile: its size in unary, and the three binary digits of it.
	digits          = 3
	observedPile    = largest + digits
	observationSize = maxPiles * observedPile
)

//go:embed board
var board embed.FS

// Entry is Nim as a catalog has it.
var Entry = catalog.Game{Name: "nim", New: New, Board: catalog.Folder(board, "board"), Exact: exact}

// Rules are the parameters.
type Rules struct {
	Piles []int `json:"piles" yaml:"piles"`
}

var ruleBook = &engine.RuleBook{
	Rules:   []engine.Rule{{Key: "piles", Help: "Counters in each pile at the beginning", Low: 1, High: largest}},
	Presets: []engine.Preset{{Name: "Two piles", Help: "The second to move wins by mirroring", Document: "piles: [5, 5]"}},
}

// Validate reports what is wrong with the rules.
func (r Rules) Validate() error {
	if n := len(r.Piles); n < 1 || n > maxPiles {
		return engine.FieldErrorf("piles", "there are %d, and must be 1 to %d", n, maxPiles)
	}
	for i, n := range r.Piles {
		if err := engine.InRange(engine.Element("piles", i), n, 1, largest); err != nil {
			return err
		}
	}
	return nil
}

var segments, _ = engine.Segments([]engine.Segment{{Name: "piles", Size: observationSize}})

// Game is Nim under fixed rules.
type Game struct {
	rules Rules
	spec  engine.Spec
}

// New returns the game under a rules document.
func New(document []byte) (engine.Game, error) {
	rules := Rules{Piles: []int{3, 4, 5}}
	if err := engine.ReadRules(document, &rules, ruleBook); err != nil {
		return nil, err
	}
	return &Game{rules, engine.Spec{
		Name: "nim", Title: "Nim", Summary: "Nim: take from one pile; the last counter wins", Rules: ruleBook,
		Seats: seats, Actions: maxPiles * largest, MaxHistory: maxPiles * largest,
		ObservationSize: observationSize, Segments: segments,
		ActionGroups: []engine.ActionGroup{{Name: "take", Count: maxPiles * largest}},
		Payoff:       engine.WinLoss, MaxReturn: 1, Unit: "wins", PerfectInformation: true,
	}}, nil
}

// Spec returns the fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the Rules.
func (g *Game) Rules() any { return g.rules }

// NewState returns the initial state.
func (g *Game) NewState() engine.State {
	s := &State{game: g}
	s.Reset()
	return s
}

// State is a position.
type State struct {
	game  *Game
	piles [maxPiles]int8
	seat  int8 // to move; at the end, who lost
}

// Reset puts all counters back.
func (s *State) Reset() {
	*s = State{game: s.game}
	for i, n := range s.game.rules.Piles {
		s.piles[i] = int8(n)
	}
}

// Player returns the seat to move, or Terminal.
func (s *State) Player() int {
	if s.piles == [maxPiles]int8{} {
		return engine.Terminal
	}
	return int(s.seat)
}

// LegalActions appends every number of counters of every pile.
func (s *State) LegalActions(buf []int) []int {
	for i, n := range s.piles {
		for taken := range int(n) {
			buf = append(buf, i*largest+taken)
		}
	}
	return buf
}

// Outcomes appends nothing.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome { return buf }

// SampleChance is never called.
func (s *State) SampleChance(*engine.RNG) int { return 0 }

// Apply takes counters.
func (s *State) Apply(action int) error {
	pile, taken := action/largest, int8(action%largest+1)
	if action < 0 || pile >= maxPiles || s.piles[pile] < taken {
		return &engine.IllegalError{Player: s.Player(), Action: action,
			Reason: "there are not that many counters in the pile"}
	}
	s.piles[pile] -= taken
	s.seat = 1 - s.seat
	return nil
}

// Seen returns the step: nothing is hidden.
func (s *State) Seen(_, step int) int { return step }

// Observe writes, for each pile, a 1 for each counter, and its size in binary.
func (s *State) Observe(_ int, dst []float32) {
	clear(dst[:observationSize])
	for i, n := range s.piles {
		pile := dst[i*observedPile : (i+1)*observedPile]
		for k := range n {
			pile[k] = 1
		}
		for k := range digits {
			pile[largest+k] = float32(n >> k & 1)
		}
	}
}

// InformationKey appends the position.
func (s *State) InformationKey(_ int, buf []byte) []byte {
	buf = append(buf, byte(s.seat))
	for _, n := range s.piles {
		buf = append(buf, byte(n))
	}
	return buf
}

// Returns gives +1 to the seat that took the last counter.
func (s *State) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if s.Player() == engine.Terminal {
		dst[1-s.seat], dst[s.seat] = 1, -1
	}
}

// Scores appends nothing.
func (s *State) Scores(buf []int64) []int64 { return buf }

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns a copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}

// ActionName reports how many counters are taken from which pile, counted from 1.
func (s *State) ActionName(action int) string {
	return fmt.Sprintf("take %d from pile %d", action%largest+1, action/largest+1)
}

// OutcomeName is never called.
func (s *State) OutcomeName(int) string { return "" }

// String shows the piles.
func (s *State) String() string {
	var b strings.Builder
	for i, n := range s.piles[:len(s.game.rules.Piles)] {
		fmt.Fprintf(&b, "pile %d: %s\n", i+1, strings.Repeat("●", int(n)))
	}
	return b.String() + fmt.Sprintf("seat %d to move", s.seat)
}
