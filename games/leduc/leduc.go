// Package leduc implements Leduc hold'em for two seats as in Southey et al., "Bayes' Bluff:
// Opponent Modelling in Poker" (UAI 2005): six cards (jack, queen, king in two suits), an ante
// of 1, a private card each, a betting round with raises of 2, a public card, and a betting
// round with raises of 4. There are at most two raises a round, and seat 0 begins both rounds.
// A pair with the public card wins, otherwise the higher rank; equal ranks split the pot.
//
// Actions: 0 fold (only when facing a raise), 1 call (or check), 2 raise (until the round has
// had two raises). Chance outcomes are cards, rank × 2 + suit: one for seat 0, one for seat 1,
// later the public card. Returns are in chips. There are no rule parameters.
package leduc

import (
	"croupier/engine"
)

// The actions.
const (
	Fold  = 0
	Call  = 1
	Raise = 2
)

const (
	seats        = 2
	suits        = 2
	ranks        = 3
	cards        = ranks * suits
	deals        = 2 // the first two steps of a history are the private cards
	rounds       = 2
	maxRaises    = 2             // a round
	maxMoves     = maxRaises + 2 // a round: check, raise, raise, call
	maxHistory   = deals + rounds*maxMoves + 1
	ante         = 1
	smallRaise   = 2 // in the first round; twice as much in the second
	maxPaid      = ante + maxRaises*smallRaise + maxRaises*2*smallRaise
	movePlanes   = 2 // a move in the observation: call, raise
	bettingWidth = rounds * maxMoves * movePlanes

	observationSize = seats + ranks + ranks + seats + bettingWidth
)

var segments, _ = engine.Segments([]engine.Segment{
	{Name: "seat", Size: seats},
	{Name: "private", Size: ranks},
	{Name: "public", Size: ranks},
	{Name: "pot", Size: seats},
	{Name: "betting", Size: bettingWidth},
})

var spec = engine.Spec{
	Name:            "leduc",
	Title:           "Leduc poker",
	Summary:         "Leduc hold'em: six cards, two betting rounds, one public card",
	Seats:           seats,
	Actions:         3,
	Outcomes:        cards,
	MaxHistory:      maxHistory,
	ObservationSize: observationSize,
	Segments:        segments,
	ActionGroups:    []engine.ActionGroup{{Name: "betting", First: Fold, Count: 3}},
	Payoff:          engine.Money,
	MaxReturn:       maxPaid,
	Temperature:     1,
	Unit:            "chips",
	Figures:         figures,
}

// Rules has no parameters: Leduc hold'em has no variants here.
type Rules struct{}

// Game is Leduc hold'em.
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
