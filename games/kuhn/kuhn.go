// Package kuhn implements Kuhn poker (H. W. Kuhn, "A simplified two-person poker", 1950) for
// two seats: three cards 0 < 1 < 2 (jack, queen, king), each seat antes 1 and is dealt one
// card, and there is one bet of 1.
//
// Actions: 0 pass (check, or fold to a bet), 1 bet (or call). Seat 0 begins. The
// game ends when both have checked, when a bet is called or when a bet is folded
// to; the higher card wins what the other has paid. Chance outcomes: the card for
// seat 0, then the card for seat 1. Returns are in antes. There are no rule
// parameters.
package kuhn

import (
	"croupier/engine"
)

// The actions.
const (
	Pass = 0
	Bet  = 1
)

const (
	seats      = 2
	cards      = 3
	deals      = 2 // the first two steps of a history are the cards
	maxMoves   = 3
	maxHistory = deals + maxMoves
	maxPaid    = 2

	observationSize = seats + cards + seats + 2*maxMoves
)

var segments, _ = engine.Segments([]engine.Segment{
	{Name: "seat", Size: seats},
	{Name: "card", Size: cards},
	{Name: "pot", Size: seats},
	{Name: "betting", Size: 2 * maxMoves},
})

var spec = engine.Spec{
	Name:            "kuhn",
	Title:           "Kuhn poker",
	Summary:         "Kuhn poker: three cards, one bet; the smallest poker with bluffs",
	Seats:           seats,
	Actions:         2,
	Outcomes:        cards,
	MaxHistory:      maxHistory,
	ObservationSize: observationSize,
	Segments:        segments,
	ActionGroups:    []engine.ActionGroup{{Name: "betting", First: Pass, Count: 2}},
	Payoff:          engine.Money,
	MaxReturn:       maxPaid,
	Temperature:     1,
	Unit:            "antes",
	Figures:         figures,
}

// Rules has no parameters: Kuhn poker has no variants here.
type Rules struct{}

// Game is Kuhn poker.
type Game struct{}

// New reads a rules document, which must have no keys.
func New(rules []byte) (engine.Game, error) {
	if err := engine.ReadRules(rules, &Rules{}, nil); err != nil {
		return nil, err
	}
	return Game{}, nil
}

// Spec returns the game's fixed numbers.
func (Game) Spec() *engine.Spec { return &spec }

// Rules returns the empty rules.
func (Game) Rules() any { return Rules{} }

// NewState returns the initial state.
func (Game) NewState() engine.State {
	s := &State{}
	s.Reset()
	return s
}
