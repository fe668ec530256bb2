// Package liarsdice implements Liar's Dice for two seats with one die each, as OpenSpiel's liars_dice has it (Lanctot
// et al. 2019, arXiv:1908.09453). It is not on the list of games: tests use it as a game of somebody else, which has no
// settings, solver, bots or pages of its own and must do with what every game has.
//
// Both seats roll a die that only they see. Seat 0 begins. A seat bids how many dice of both show a face, or calls the
// other a liar. A bid must be higher than the last: more dice, or as many of a higher face. The highest face is wild:
// it counts as every face. When a seat is called a liar, it wins if its bid holds.
//
//	parameter  default  values
//	faces      4        2..6
//
// Chance outcomes: the die of seat 0, then that of seat 1, from 0. Actions: the bid of q dice of face f, both from 1,
// is (q-1)·faces + f-1, and the last action calls the other a liar. Returns are 1 and -1.
package liarsdice

import (
	"fmt"
	"math/bits"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

const (
	seats    = 2
	maxFaces = 6
)

// Rules are the parameters.
type Rules struct {
	Faces int `json:"faces" yaml:"faces"`
}

var ruleBook = &engine.RuleBook{Rules: []engine.Rule{{Key: "faces", Help: "Faces of a die", Low: 2, High: maxFaces}}}

// Game is Liar's Dice under fixed rules.
type Game struct {
	rules Rules
	spec  engine.Spec
}

// New reads a rules document.
func New(rules []byte) (engine.Game, error) {
	g := &Game{rules: Rules{Faces: 4}}
	if err := engine.ReadRules(rules, &g.rules, ruleBook); err != nil {
		return nil, err
	}
	bids := seats * g.rules.Faces
	segments, size := engine.Segments([]engine.Segment{
		{Name: "seat", Size: seats}, {Name: "die", Size: g.rules.Faces}, {Name: "bids", Size: bids + 1},
	})
	g.spec = engine.Spec{
		Name: "liars-dice", Title: "Liar's Dice", Summary: "Liar's Dice: one die each, bids and a doubt",
		Seats: seats, Actions: bids + 1, Outcomes: g.rules.Faces, MaxHistory: seats + bids + 1,
		ObservationSize: size, Segments: segments,
		ActionGroups: []engine.ActionGroup{{Name: "bids", First: 0, Count: bids}, {Name: "doubt", First: bids, Count: 1}},
		Payoff:       engine.WinLoss, MaxReturn: 1, Unit: "wins",
		UnitMeaning: "A game that is won counts 1, one that is lost -1",
		Temperature: 1, Rules: ruleBook,
	}
	return g, nil
}

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the rules.
func (g *Game) Rules() any { return g.rules }

// Bots returns none.
func (g *Game) Bots() *engine.Bots { return &engine.Bots{Game: g.spec.Name} }

// NewState returns the initial state.
func (g *Game) NewState() engine.State { return &State{faces: int8(g.rules.Faces)} }

// State is a position: the dice that are rolled, the bids so far, which rise, and whether a seat was called a liar.
type State struct {
	faces, rolled int8
	dice          [seats]int8
	bids          uint16 // a bit for each; seats take turns, so the number of lower ones says whose it is
	called        bool
}

// Reset returns the state to the beginning of the game.
func (s *State) Reset() { *s = State{faces: s.faces} }

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int {
	switch {
	case s.rolled < seats:
		return engine.Chance
	case s.called:
		return engine.Terminal
	}
	return bits.OnesCount16(s.bids) % seats
}

func (s *State) call() int { return seats * int(s.faces) }

// next is the lowest bid that is higher than the last.
func (s *State) next() int { return bits.Len16(s.bids) }

// LegalActions appends the bids that are higher than the last, and the call once there is a bid.
func (s *State) LegalActions(buf []int) []int {
	if s.Player() < 0 {
		return buf
	}
	for bid := s.next(); bid < s.call(); bid++ {
		buf = append(buf, bid)
	}
	if s.bids != 0 {
		buf = append(buf, s.call())
	}
	return buf
}

// Outcomes appends the faces, all equally likely.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	for face := 0; s.Player() == engine.Chance && face < int(s.faces); face++ {
		buf = append(buf, engine.Outcome{Index: face, Probability: 1 / float64(s.faces)})
	}
	return buf
}

// SampleChance draws a face.
func (s *State) SampleChance(rng *engine.RNG) int { return rng.IntN(int(s.faces)) }

// Apply rolls a die, bids or calls.
func (s *State) Apply(step int) error {
	player, reason := s.Player(), ""
	switch {
	case player == engine.Terminal:
		reason = "the game is over"
	case player == engine.Chance:
		if step < 0 || step >= int(s.faces) {
			reason = "the die has no such face"
		}
	case step == s.call() && s.bids == 0:
		reason = "there is no bid to doubt"
	case step < s.next() || step > s.call():
		reason = "a bid must be higher than the last"
	}
	switch {
	case reason != "":
		return &engine.IllegalError{Player: player, Action: step, Reason: reason}
	case player == engine.Chance:
		s.dice[s.rolled] = int8(step)
		s.rolled++
	case step == s.call():
		s.called = true
	default:
		s.bids |= 1 << step
	}
	return nil
}

// Seen hides the die of the other seat.
func (s *State) Seen(seat, step int) int {
	if s.rolled < seats && int(s.rolled) != seat {
		return engine.Hidden
	}
	return step
}

// Observe writes the seat and its die (one-hot), and which bids and calls were made.
func (s *State) Observe(seat int, dst []float32) {
	clear(dst)
	dst[seat] = 1
	if int(s.rolled) > seat {
		dst[seats+int(s.dice[seat])] = 1
	}
	made := dst[seats+int(s.faces):]
	for bid := range s.call() {
		if s.bids>>bid&1 == 1 {
			made[bid] = 1
		}
	}
	if s.called {
		made[s.call()] = 1
	}
}

// InformationKey appends how many dice were rolled, the seat's own die, the bids and the call.
func (s *State) InformationKey(seat int, buf []byte) []byte {
	die := byte(0)
	if int(s.rolled) > seat {
		die = byte(s.dice[seat]) + 1
	}
	called := byte(0)
	if s.called {
		called = 1
	}
	return append(buf, byte(s.rolled), die, byte(s.bids), byte(s.bids>>8), called)
}

// Returns writes 1 and -1. The last to bid wins if its bid holds.
func (s *State) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if !s.called {
		return
	}
	last := s.next() - 1
	quantity, face := last/int(s.faces)+1, int8(last%int(s.faces))
	for _, die := range s.dice {
		if die == face || die == s.faces-1 {
			quantity--
		}
	}
	bidder := (bits.OnesCount16(s.bids) + 1) % seats
	won := 1.0
	if quantity > 0 {
		won = -1
	}
	dst[bidder], dst[1-bidder] = won, -won
}

// Scores appends nothing: the game has no points of its own.
func (s *State) Scores(buf []int64) []int64 { return buf }

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}

// ActionName writes bids as "2x3", two dice of face 3, and the call as "liar".
func (s *State) ActionName(action int) string {
	if action == s.call() {
		return "liar"
	}
	return fmt.Sprintf("%dx%d", action/int(s.faces)+1, action%int(s.faces)+1)
}

// OutcomeName names the face, from 1.
func (s *State) OutcomeName(outcome int) string { return fmt.Sprint(outcome + 1) }

// String shows the dice and the bids.
func (s *State) String() string {
	var b strings.Builder
	for seat := range int(s.rolled) {
		fmt.Fprintf(&b, "seat %d: %d; ", seat+1, s.dice[seat]+1)
	}
	b.WriteString("bids:")
	for _, name := range s.names() {
		b.WriteString(" " + name)
	}
	return b.String()
}

// names lists the bids and the call.
func (s *State) names() []string {
	list := []string{}
	for bid := range s.call() {
		if s.bids>>bid&1 == 1 {
			list = append(list, s.ActionName(bid))
		}
	}
	if s.called {
		list = append(list, s.ActionName(s.call()))
	}
	return list
}

// position is what the seat to move knows.
type position struct {
	Die  int      `json:"die"`  // from 1
	Bids []string `json:"bids"` // as ActionName writes them
}

// ParsePosition implements engine.Positioned.
func (g *Game) ParsePosition(document []byte, rng *engine.RNG) (engine.State, []string, error) {
	var p position
	if err := strict.JSON(document).DecodeWhole(&p); err != nil {
		return nil, nil, err
	}
	if err := engine.InRange("die", p.Die, 1, g.rules.Faces); err != nil {
		return nil, nil, err
	}
	s := &State{faces: int8(g.rules.Faces), rolled: seats}
	for i, name := range p.Bids {
		action, err := engine.ActionNamed(s, name, strict.Element("bids", i))
		if err != nil {
			return nil, nil, err
		}
		if err := s.Apply(action); err != nil {
			return nil, nil, err
		}
	}
	if s.called {
		return nil, nil, strict.Errorf("bids", "they end the game")
	}
	s.dice[s.Player()] = int8(p.Die - 1)
	s.Redeal(s.Player(), rng)
	return s, nil, nil
}

// FormatPosition implements engine.Positioned.
func (g *Game) FormatPosition(state engine.State, seat int) []byte {
	s := state.(*State)
	return engine.MarshalPosition(position{int(s.dice[seat]) + 1, s.names()})
}

// ExamplePosition implements engine.Positioned.
func (g *Game) ExamplePosition() []byte {
	return engine.MarshalPosition(position{1, []string{"1x2"}})
}

// Redeal implements engine.Redealer.
func (s *State) Redeal(seat int, rng *engine.RNG) { s.dice[1-seat] = int8(rng.IntN(int(s.faces))) }

// Past implements engine.Past.
func (s *State) Past(buf []int) []int {
	for _, die := range s.dice[:s.rolled] {
		buf = append(buf, int(die))
	}
	for bid := range s.call() {
		if s.bids>>bid&1 == 1 {
			buf = append(buf, bid)
		}
	}
	if s.called {
		buf = append(buf, s.call())
	}
	return buf
}
