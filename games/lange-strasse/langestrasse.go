// Package langestrasse implements Lange Strasse, a dice game for three seats: a race to 10,000
// points with six dice, in which special throws and the way the race ends pay money. The money
// is what counts.
//
// A turn is a series of sets; a set begins with six fresh dice and 0 points. The dice of the
// set that are not kept are rolled. A player who can keep none of them has a strich: the turn
// is over and its points are lost. Otherwise the player keeps some, and either rolls the rest
// or ends the turn and scores; to end it the set must have 300 points and a die left. When all
// six dice are kept the turn continues with a new set, which needs 300 points again.
//
// Of the rolled dice a player may keep any of a face that the set has a group of (they join
// it), three or more of a face (a new group), and any 1 and 5 (singles, 100 and 50 points).
// Three of a face score 100 points times the face, three 1s score 1000, and each further die
// doubles the group. Singles never join a later group. Two throws take all dice, provided that
// nothing but singles is kept:
//
//   - Lange Strasse: with the kept dice 1-2-3-4-5-6. The set scores 1250, the turn goes
//     on with a new set, and each other player pays 50 ct; or 100 ct for a Super Strasse,
//     made by the third roll of the set after one of the first two kept just a 1 and the
//     other just a 5.
//   - Talheim: with the kept dice three pairs of different faces. The set scores 500, or
//     1000 when the faces are consecutive, and the turn ends.
//
// A game ends with the round in which a player has 10,000 points after his turn, and after
// round 200 at the latest. Points decide the ranks, and the earlier seat wins ties. Money:
//
//	Totale (a strich in the first turn)  pays 50 ct to each other player
//	winner                               50 ct from the second, 70 ct from the third
//	game over in round 10 or earlier     winner has another 50 ct from each
//	no strich in the whole game          50 ct from each other player
//	fewer than 5,000 points              pays the winner 50 ct, if he has 10,000
//
// Actions: with the dice sorted and position i as bit i, 2 × mask keeps the dice of the mask
// and rolls the rest, 2 × mask + 1 keeps them and ends the turn; of equal dice those at the
// lowest positions are kept. 128 is the Lange Strasse, 129 the Talheim. The outcome of rolling
// n dice is the place of the sorted throw in the lexicographic order of all sorted throws of n
// dice. Returns are in units of 100 ct, scores are the points. There are no rule parameters.
package langestrasse

import (
	"sync"

	"croupier/engine"
)

// The actions other than ordinary keeps.
const (
	Straight = 128 // Lange Strasse or Super Strasse
	Talheim  = 129
	actions  = 130
)

const (
	seats     = 3
	target    = 10_000
	half      = 5_000 // a player with less pays the winner
	lastRound = 200
	// fastRounds is the last round whose end pays the winner more.
	fastRounds = 10

	stopPoints     = 300 // of a set that may end the turn
	straightPoints = 1250
	talheimPoints  = 500
	talheimInARow  = 1000
)

// Money in ct that each other player, or the one named, pays.
const (
	StraightMoney = 50
	superMoney    = 100
	totaleMoney   = 50
	secondMoney   = 50
	thirdMoney    = 70
	fastMoney     = 50
	cleanMoney    = 50 // to a player without a strich
	halfMoney     = 50

	unit = 100 // ct in a return of 1
)

const (
	// maxHistory bounds a game in practice. No strategy makes more than 10.6 steps a turn on
	// average, or 6,400 in the 600 turns of the longest game, and the length of a turn has an
	// exponential tail (TestNobodyPlaysTurnsOfMoreSteps).
	maxHistory = 10_000
	// maxReturn bounds the return in practice: in a million games of all kinds of bots the largest
	// was 10.7, and each further unit is five times as rare.
	maxReturn = 20
)

// Rules has no parameters: the game has no variants here.
type Rules struct{}

var spec = engine.Spec{
	Name:            "lange-strasse",
	Title:           "Lange Strasse",
	Summary:         "Lange Strasse: three players race to 10,000 points with six dice; money is what counts",
	Seats:           seats,
	Actions:         actions,
	Outcomes:        462,
	MaxHistory:      maxHistory,
	ObservationSize: observationSize,
	Segments:        segments,
	ActionGroups: []engine.ActionGroup{
		{Name: "keep", First: 0, Count: Straight},
		{Name: "special", First: Straight, Count: actions - Straight},
	},
	Payoff:             engine.Money,
	MaxReturn:          maxReturn,
	Unit:               "units",
	UnitMeaning:        "A unit is 100 ct",
	Coin:               engine.Coin{Name: "ct", PerUnit: unit},
	PerfectInformation: true,
	Figures:            figures,
}

// sharedTables makes the tables with the first game.
var sharedTables = sync.OnceValue(newTables)

// Game is Lange Strasse.
type Game struct{ tables *tables }

// New reads a rules document, which must have no keys.
func New(rules []byte) (engine.Game, error) {
	if err := engine.ReadRules(rules, &Rules{}, nil); err != nil {
		return nil, err
	}
	return &Game{sharedTables()}, nil
}

// Spec returns the game's fixed numbers.
func (g *Game) Spec() *engine.Spec { return &spec }

// Rules returns the empty rules.
func (g *Game) Rules() any { return Rules{} }

// NewState returns the initial state.
func (g *Game) NewState() engine.State {
	s := &State{tables: g.tables}
	s.Reset()
	return s
}
