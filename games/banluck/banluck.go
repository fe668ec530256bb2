// Package banluck implements Banluck, the blackjack of Chinese New Year: one to four players,
// each for himself, against a dealer. Every hand is dealt from a freshly shuffled deck of 52
// cards. Seats 0..players-1 are the players, the next seat is the dealer. The bet is 1 unit.
//
// Everybody gets two cards, face down. A dealer with hard 15 (no ace) may surrender: all bets
// are returned. Otherwise a dealer's Ban Ban or Ban Luck settles all hands at once; without
// one, each player's own Ban Ban or Ban Luck settles that player's hand. Then the players act
// in seat order: hit or stand; a player with 21, more than 21 or five cards is done. The dealer
// must hit below 16 and stands on 18 or more and with five cards. At 16 and 17 he chooses:
// stand, hit, or reveal, which immediately settles all players with three or more cards against
// the hand he has now. A player whose final total is 15 or less forfeits the hand.
//
// Cards are 0..51: value card / 4 (0 is the two, 8 to 11 are ten, jack, queen and king, 12 is
// the ace), suit card mod 4. An ace counts 10 or 11 in two cards, and 1 or 10 in three or more.
// A hand is soft if an ace counts the higher of the two. The classes of hands, strongest first,
// with the units the winner gets:
//
//	Ban Ban        two aces as dealt                        3
//	Ban Luck       an ace and a ten, J, Q or K as dealt     2
//	777            three sevens                             7
//	five-card 21   five cards with the total 21             3
//	five-card      five cards with a smaller total          2
//	regular        all others up to 21                      1
//
// Rules:
//
//	players    1..4 (1)            seats next to the dealer
//	surrender  true, false (true)  the dealer may surrender a hard 15
//	reveal     true, false (true)  the dealer may reveal at 16 and 17
//	ace        best, greedy (best) how several aces count, see below
//	payouts    1..100 each         ban_ban (3), ban_luck (2), 777 (7), five_card_21 (3), five_card (2)
//
// With best the aces count whatever makes the greatest total up to 21, or the smallest total if
// all are above 21. With greedy the aces are counted one by one after the other cards, each at
// the higher value unless that makes more than 21.
//
// Actions: 0 stand, 1 hit, 2 surrender, 3 reveal, 4 continue (do not surrender). Chance deals
// single cards: both of seat 0, both of seat 1, …, both of the dealer, then one for every hit.
// Only real choices are decisions. A player's return is what he has won, in units, and the
// dealer's is what all players have lost. Scores are the units settled so far.
//
// Nobody sees a card of another hand until it is opened (Ban Ban, Ban Luck, reveal), but
// everybody sees how many cards each seat has. Nobody notices whether another player stood,
// reached 21 or went over it, or that the dealer had a hard 15 and did not surrender.
package banluck

import (
	"slices"

	"croupier/engine"
)

// The actions.
const (
	Stand     = 0
	Hit       = 1
	Surrender = 2
	Reveal    = 3
	Continue  = 4
)

const (
	actions    = 5
	cards      = 52
	suits      = 4
	maxPlayers = 4
	maxSeats   = maxPlayers + 1
	maxPayout  = 100
	dealt      = 2 // cards of each seat before anybody acts

	// seatSteps bounds what a seat adds to a history: its cards, and a choice for each but the
	// first two. (A dealer can also reveal, but then only plays on where a player has added five
	// steps fewer.)
	seatSteps = dealt + 2*(MaxCards-dealt)
	maxSteps  = seatSteps * maxSeats
)

// Rules are the parameters, see the package comment.
type Rules struct {
	Players   int     `json:"players" yaml:"players"`
	Surrender bool    `json:"surrender" yaml:"surrender"`
	Reveal    bool    `json:"reveal" yaml:"reveal"`
	Ace       string  `json:"ace" yaml:"ace"`
	Payouts   Payouts `json:"payouts" yaml:"payouts"`
}

// Payouts are the units that a winning hand of each class gets. A regular hand gets 1.
type Payouts struct {
	BanBan     int `json:"ban_ban" yaml:"ban_ban"`
	BanLuck    int `json:"ban_luck" yaml:"ban_luck"`
	Sevens     int `json:"777" yaml:"777"`
	FiveCard21 int `json:"five_card_21" yaml:"five_card_21"`
	FiveCard   int `json:"five_card" yaml:"five_card"`
}

// The ways to count aces.
const (
	AceBest   = "best"
	AceGreedy = "greedy"
)

// DefaultRules returns the rules of the heads-up game.
func DefaultRules() Rules {
	return Rules{
		Players: 1, Surrender: true, Reveal: true, Ace: AceBest,
		Payouts: Payouts{BanBan: 3, BanLuck: 2, Sevens: 7, FiveCard21: 3, FiveCard: 2},
	}
}

var ruleBook = &engine.RuleBook{
	Rules: []engine.Rule{
		{Key: "players", Help: "Players next to the dealer", Low: 1, High: maxPlayers},
		{Key: "surrender", Help: "The dealer may give up a hard 15 as dealt: all bets are returned"},
		{Key: "reveal", Help: "The dealer may settle hands of three or more cards at 16 and 17, and play on"},
		{Key: "ace", Help: "How several aces count: best makes the greatest total up to 21; greedy counts one after the other as high as it can",
			Values: []string{AceBest, AceGreedy}},
		{Key: "payouts.ban_ban", Help: "Bets that two aces win", Low: 1, High: maxPayout},
		{Key: "payouts.ban_luck", Help: "Bets that an ace and a ten, J, Q or K win", Low: 1, High: maxPayout},
		{Key: "payouts.777", Help: "Bets that three sevens win", Low: 1, High: maxPayout},
		{Key: "payouts.five_card_21", Help: "Bets that five cards with 21 win", Low: 1, High: maxPayout},
		{Key: "payouts.five_card", Help: "Bets that five other cards up to 21 win", Low: 1, High: maxPayout},
	},
	Presets: []engine.Preset{
		{Name: "Full table", Help: "Four players against the dealer", Document: "players: 4"},
		{Name: "No surrender", Help: "The dealer plays every hand", Document: "surrender: false"},
		{Name: "No reveal", Help: "The dealer settles everybody at the end", Document: "reveal: false"},
		{Name: "Greedy aces", Help: "Aces are counted one by one", Document: "ace: greedy"},
	},
}

// Game is Banluck under fixed rules.
type Game struct {
	rules  Rules
	spec   engine.Spec
	hands  *table         // what each hand is worth
	pays   [classes]int16 // by class
	dealer int8           // seat of the dealer
	deals  uint8          // cards dealt before anybody acts
}

// New reads a rules document and returns the game.
func New(document []byte) (engine.Game, error) {
	rules := DefaultRules()
	if err := engine.ReadRules(document, &rules, ruleBook); err != nil {
		return nil, err
	}
	n, p := rules.Players, rules.Payouts
	segments, size := segments(n)
	g := &Game{
		rules: rules,
		spec: engine.Spec{
			Name:  "banluck",
			Title: "Banluck",
			Roles: append(slices.Repeat([]string{"player"}, n), "dealer"),
			Rules: ruleBook,
			Summary: "Banluck, the blackjack of Chinese New Year: players against a dealer, " +
				"who may surrender and reveal",
			Seats:           n + 1,
			Actions:         actions,
			Outcomes:        cards,
			MaxHistory:      seatSteps * (n + 1),
			ObservationSize: size,
			Segments:        segments,
			ActionGroups: []engine.ActionGroup{
				{Name: "draw", First: Stand, Count: 2},
				{Name: "dealer", First: Surrender, Count: 3},
			},
			Payoff:      engine.Money,
			MaxReturn:   float64(n * max(p.BanBan, p.BanLuck, p.Sevens, p.FiveCard21, p.FiveCard)),
			Covert:      true,
			Temperature: 1,
			Unit:        "units",
			UnitMeaning: "A unit is the bet of one player",
			Figures:     figures,
		},
		hands: tables[rules.Ace](),
		pays: [classes]int16{
			Regular: 1, FiveCard: int16(p.FiveCard), FiveCard21: int16(p.FiveCard21),
			Sevens: int16(p.Sevens), BanLuck: int16(p.BanLuck), BanBan: int16(p.BanBan),
		},
		dealer: int8(n),
		deals:  uint8(dealt * (n + 1)),
	}
	return g, nil
}

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &g.spec }

// Rules returns the Rules.
func (g *Game) Rules() any { return g.rules }

// Bets says that players bet, against the dealer.
func (g *Game) Bets(seat int) bool { return seat < int(g.dealer) }

// WithBets multiplies what players get by their bets; the dealer pays and takes it.
func (g *Game) WithBets(returns, bets []float64) {
	dealer := int(g.dealer)
	returns[dealer] = 0
	for seat := range dealer {
		returns[seat] *= bets[seat]
		returns[dealer] -= returns[seat]
	}
}

// NewState returns the initial state.
func (g *Game) NewState() engine.State {
	s := &State{game: g}
	s.Reset()
	return s
}
