// Package tysiac implements Tysiąc ("thousand") for two: an auction, one of two musiks, a bomb,
// two cards returned, a contract, and ten tricks in which melds make trumps. The game tysiac is
// played to 1000 points, tysiac-hand is one deal of it.
//
// A hand: ten cards each and two musiks of two. Forehand, the seat that did not deal, bids
// first; a seat that passes is out. A bid above the proof threshold may be challenged: the
// bidder shows a meld (king and queen of a suit) worth at least the bid less 100, or loses his
// bid. The declarer takes one musik, which both see. He may bomb: the hand is dealt
// again. Otherwise he returns two cards face down, announces a contract and leads. A player who
// leads the king or queen of a meld may declare it, which scores it and immediately makes its
// suit trump. The declarer scores plus or minus his contract, the other his points
// (tricks and melds) rounded up to ten, or nothing once he has reached the lock. games/tysiac/README.md
// has all the details.
//
// Rules (a document has these sections):
//
//	game         target_score (1000), lock_score (800), enable_lock (true), max_hands (200)
//	bidding      start_bid (100), increment (10), max_bid (280), proof_threshold (120),
//	             jump_bids (true), all_pass: forehand_plays or redeal (forehand_plays)
//	contract     max (400)
//	bombing      enabled (true), bombs_per_player (2)
//	trick_rules  must_overtake (true), must_overtrump (true), follower_melds (false)
//	hand         only tysiac-hand: scores ([0, 0]), dealer (0), bombs_left ([2, 2])
//
// Actions: see the constants. Outcomes: the card dealt (package cards), ten to seat 0, ten to
// seat 1, two to the first musik, two to the second. The return of tysiac is +1, -1 or 0; in
// tysiac-hand it is the own change of score less the other's, in points, which histories
// write in units of 400.
package tysiac

import (
	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// The actions. A card or a number is added to the first action of its kind.
const (
	Pass      = 0
	FirstBid  = 1 // 100, 110, … 280
	Challenge = 20
	TakeMusik = 21 // musik 0 or 1
	Bomb      = 23
	PlayOn    = 24
	Return    = 25  // + card
	Announce  = 49  // contract 100, 110, … 400
	Play      = 80  // + card
	Declare   = 104 // + suit × 2, + 1 for the queen: play king or queen and declare the meld
	Actions   = 112
)

const (
	bidStep         = 10
	lowestBid       = 100
	highestBid      = 280
	highestContract = 400

	seats     = 2
	handCards = 10 // of a seat
	musikSize = 2
	tricks    = handCards
	maxPlays  = handCards + 2*cards.Suits // ten cards and eight declarations

	// The longest hand: the deal; every bid, a challenge to each, and a pass; musik,
	// bomb, two returned cards, contract; the cards.
	bids         = (highestBid-lowestBid)/bidStep + 1
	maxHandSteps = cards.Count + 2*bids + 1 + 5 + 2*tricks

	handUnit  = 400 // points that histories of tysiac-hand write as a return of 1
	maxChange = 800 // both scores change by at most 400
)

// Game is tysiac or tysiac-hand under fixed rules.
type Game struct {
	rules  Rules
	hand   *DealRules // nil: the whole game
	spec   engine.Spec
	bots   *engine.Bots
	tricks cards.Rules
	// raises holds the legal actions of the auction as bits, without the challenge, by the action
	// of the standing bid (0: none).
	raises [FirstBid + bids]uint32
	// constants is the first segment of the observation.
	constants [rulesSize]float32
	units     gameUnits
}

// New reads a rules document and returns the whole game.
func New(document []byte) (engine.Game, error) {
	rules := DefaultRules()
	if err := engine.ReadRules(document, &rules, ruleBook); err != nil {
		return nil, err
	}
	return newGame(rules, nil), nil
}

// NewHand reads a rules document and returns the game of one deal.
func NewHand(document []byte) (engine.Game, error) {
	rules := DefaultHandRules()
	if err := engine.ReadRules(document, &rules, handRuleBook); err != nil {
		return nil, err
	}
	return newGame(rules.Rules, &rules.Hand), nil
}

func newGame(rules Rules, hand *DealRules) *Game {
	g := &Game{
		rules:  rules,
		hand:   hand,
		tricks: rules.tricks(),
		spec: engine.Spec{
			Name:       "tysiac",
			Title:      "Tysiąc",
			Rules:      ruleBook,
			Summary:    "Tysiąc for two: auction, musik, melds that make trumps; first to 1000 wins",
			Seats:      seats,
			Actions:    Actions,
			Outcomes:   cards.Count,
			MaxHistory: rules.Game.MaxHands * maxHandSteps,
			ActionGroups: []engine.ActionGroup{
				{Name: "bid", First: Pass, Count: TakeMusik},
				{Name: "musik", First: TakeMusik, Count: 2},
				{Name: "bomb", First: Bomb, Count: 2},
				{Name: "return", First: Return, Count: cards.Count},
				{Name: "contract", First: Announce, Count: Play - Announce},
				{Name: "play", First: Play, Count: Actions - Play},
			},
			Payoff:          engine.WinLoss,
			MaxReturn:       1,
			Unit:            "wins",
			Determinisable:  true,
			Figures:         figures,
			Segments:        segments,
			ObservationSize: observationSize,
		},
	}
	if hand != nil {
		g.spec.Name, g.spec.Title, g.spec.Rules = "tysiac-hand", "Tysiąc, one deal", handRuleBook
		g.spec.Summary = "one deal of Tysiąc, played for the change of the scores"
		g.spec.MaxHistory = maxHandSteps
		g.spec.Payoff, g.spec.MaxReturn, g.spec.Unit = engine.Money, maxChange, "points"
		g.spec.HistoryUnit = handUnit
		g.spec.UnitMeaning = "Points are the own change of score less the other's"
	}
	g.bots = botsOf(g.spec.Name)
	g.fillRaises()
	g.constants = rulesSegment(&g.rules)
	g.units = gameUnits{unitOf(rules.Game.TargetScore), unitOf(rules.Game.MaxHands)}
	return g
}

// fillRaises computes what may be bid over each standing bid.
func (g *Game) fillRaises() {
	b := &g.rules.Bidding
	g.raises[0] = 1<<Pass | 1<<bidAction(b.StartBid)
	for standing := range bids {
		bid := lowestBid + bidStep*standing
		g.raises[FirstBid+standing] = 1 << Pass
		for next := bid + b.Increment; next <= b.MaxBid; next += b.Increment {
			g.raises[FirstBid+standing] |= 1 << bidAction(next)
			if !b.JumpBids {
				break
			}
		}
	}
}

// bidAction returns the action that bids the given points.
func bidAction(bid int) int { return FirstBid + (bid-lowestBid)/bidStep }

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the Rules, or the HandRules of tysiac-hand.
func (g *Game) Rules() any {
	if g.hand != nil {
		return HandRules{Rules: g.rules, Hand: *g.hand}
	}
	return g.rules
}

// NewState returns the initial state.
func (g *Game) NewState() engine.State {
	s := &State{game: g}
	s.Reset()
	return s
}
