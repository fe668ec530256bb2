// Package bankcards implements the card game BANK! for 2 to 4 seats: the first seat to play
// every card of its hand wins.
//
// The cards are 1..deck. Every seat is dealt a hand; then the seats take turns in order. A turn
// is one action: play a card from the hand onto the pile, or draw a card. A card may be played
// if it is higher than the top of the pile, or if the pile is empty. Drawing from an empty deck
// first turns the whole pile into the new deck and leaves the pile empty. A seat may pass only
// when both are empty, so that nothing can be drawn. The first empty hand wins. After 500 turns
// the fewest cards win, then the lower sum of the cards, then the earlier seat.
//
// Rules:
//
//	players  2..4 (2)         seats
//	deck     20..104 (52)     cards
//	hand     3..10 (5)        cards dealt to each seat; players × hand ≤ deck
//	strict   true, false (true)  false: any card may be played on any pile
//
// Actions: 0 pass, 1 draw, 1 + v plays card v. Outcomes are cards, all cards of the deck
// equally likely: first the hand of seat 0 card by card, then the hand of seat 1 and so on,
// later one for each draw. Hands are private; the pile, and how many cards each seat and the
// deck have, are public. The winner's return is 1, every other seat's -1/(players-1). There are
// no scores.
package bankcards

import (
	"croupier/engine"
)

// The actions; playing card v is play + v.
const (
	Pass = 0
	Draw = 1
	play = 1
)

const (
	maxSeats = 4
	minDeck  = 20
	maxDeck  = 104
	minHand  = 3
	maxHand  = 10
	maxTurns = 500
	// maxHistory covers the deals, then one action per turn and a card for each draw.
	maxHistory = maxSeats*maxHand + 2*maxTurns
)

// Rules are the parameters, see the package comment.
type Rules struct {
	Players int  `json:"players" yaml:"players"`
	Deck    int  `json:"deck" yaml:"deck"`
	Hand    int  `json:"hand" yaml:"hand"`
	Strict  bool `json:"strict" yaml:"strict"`
}

// DefaultRules returns the rules of a game for two with 52 cards.
func DefaultRules() Rules { return Rules{Players: 2, Deck: 52, Hand: 5, Strict: true} }

var ruleBook = &engine.RuleBook{
	Rules: []engine.Rule{
		{Key: "players", Help: "How many play", Low: 2, High: maxSeats, Usual: []int{2, 3, 4}},
		{Key: "deck", Help: "Cards, numbered from 1", Low: minDeck, High: maxDeck},
		{Key: "hand", Help: "Cards dealt to each", Low: minHand, High: maxHand},
		{Key: "strict", Help: "A card must be higher than the top of the pile; otherwise any card may be played"},
	},
	Presets: []engine.Preset{
		{Name: "Four players", Help: "Everybody for themselves", Document: "players: 4"},
		{Name: "Any card on any pile", Help: "The first version of the notes; the player who begins simply plays all cards",
			Document: "strict: false"},
	},
}

// Validate reports whether there are enough cards.
func (r Rules) Validate() error {
	if r.deals() > r.Deck {
		return engine.FieldErrorf("deck", "%d players with a hand of %d need %d cards, deck is %d",
			r.Players, r.Hand, r.deals(), r.Deck)
	}
	return nil
}

// deals is the number of cards dealt before the first turn.
func (r Rules) deals() int { return r.Players * r.Hand }

// Game is the card game under fixed rules.
type Game struct {
	rules Rules
	spec  engine.Spec
	all   cards
}

// New reads a rules document and returns the game.
func New(document []byte) (engine.Game, error) {
	rules := DefaultRules()
	if err := engine.ReadRules(document, &rules, ruleBook); err != nil {
		return nil, err
	}
	segments, size := segments(rules)
	g := &Game{
		rules: rules,
		all:   upTo(rules.Deck),
		spec: engine.Spec{
			Name:            "bank-cards",
			Title:           "BANK! cards",
			Rules:           ruleBook,
			Summary:         "BANK! cards: play higher and higher cards; the first empty hand wins",
			Seats:           rules.Players,
			Actions:         play + rules.Deck + 1,
			Outcomes:        rules.Deck + 1,
			MaxHistory:      rules.deals() + 2*maxTurns,
			ObservationSize: size,
			Segments:        segments,
			ActionGroups: []engine.ActionGroup{
				{Name: "turn", First: Pass, Count: 2},
				{Name: "play", First: play + 1, Count: rules.Deck},
			},
			Payoff:         engine.WinLoss,
			MaxReturn:      1,
			Unit:           "wins",
			Determinisable: true,
			Figures:        figures,
		},
	}
	return g, nil
}

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the Rules.
func (g *Game) Rules() any { return g.rules }

// NewState returns the initial state.
func (g *Game) NewState() engine.State {
	s := &State{game: g}
	s.Reset()
	return s
}
