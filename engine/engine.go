// Package engine is the contract that every game meets.
//
// A [Game] is a set of rules. It makes [State] values, and a state is moved forward by applying
// integers: the action of the seat to move, or the outcome of a chance node. The list of those
// integers is the game's history; history and rules together are the whole game (see package
// history).
//
// Terms:
//
//   - A seat is a player's place at the table, 0..Seats-1.
//   - An action is an integer in 0..Actions-1 with the same meaning throughout a game.
//   - An outcome is what chance does, an integer in 0..Outcomes-1.
//   - A node is a state at which somebody has to move: a decision node (a seat)
//     or a chance node.
//   - The observation is what one seat may know, as a fixed number of float32
//     in named segments. It is what a network sees.
//   - The information key is what one seat may know, as bytes. It is what a
//     tabular method sees.
//
// The caller must never share a State between goroutines, and must pass buffers that are large
// enough (their sizes are in [Spec]). Returns, and all values that are compared with them, are in
// the game's unit ([Spec.Unit]) unless a comment says that they are in units of [Spec.MaxReturn],
// where they lie in -1..1. In steady state the methods of a State do not allocate,
// except Clone, String, ActionName and OutcomeName, unless they are [Deferred]. Package enginetest
// checks everything promised here.
//
// Most games need only [Game] and [State] (engine.go). What else a game can offer it has as a
// further interface, which callers find by a type assertion: positions that people write down
// ([Positioned] in position.go, in one line [Lined] in line.go), boards ([Viewed] in viewed.go),
// bets ([Betting]), figures ([Measured]), reward shaping ([Shaper]), analysis with open cards
// ([OpenCards]). Rules that can be changed are in rules.go, bots in bots.go, random numbers in
// rng.go.
package engine

import (
	"errors"
	"fmt"
)

// What State.Player returns when no seat is to move.
const (
	Chance   = -1 // chance is to move
	Terminal = -2 // the game is over
)

// What State.Seen returns for a step whose content a seat does not see.
const (
	Hidden    = -1 // it sees that the step is made, and by whom
	Unnoticed = -2 // it does not notice the step, which must be another seat's action
)

// ErrIllegal is wrapped by the error that Apply returns for an action or outcome
// that is not possible in the state.
var ErrIllegal = errors.New("illegal")

// IllegalError reports which step was refused and why; it wraps [ErrIllegal].
type IllegalError struct {
	Player int    // seat, Chance or Terminal
	Action int    // the refused action or outcome
	Reason string // the rest of a sentence, for people
}

// Error names the step, the seat (from 1) and the reason.
func (e *IllegalError) Error() string {
	switch e.Player {
	case Chance:
		return fmt.Sprintf("illegal chance outcome %d: %s", e.Action, e.Reason)
	case Terminal:
		return fmt.Sprintf("illegal step %d: %s", e.Action, e.Reason)
	}
	return fmt.Sprintf("illegal action %d of seat %d: %s", e.Action, e.Player+1, e.Reason)
}

// Unwrap returns [ErrIllegal].
func (e *IllegalError) Unwrap() error { return ErrIllegal }

// Segment is a named part of the observation: Size float32 values from Offset.
type Segment struct {
	Name   string // unique in the game; network descriptions use it
	Offset int    // index of its first value in the observation; set by [Segments]
	Size   int    // number of values
}

// Segments lays the segments of an observation end to end: it sets their offsets and returns
// the same list and the size of the observation. Observe then writes them in the order of the
// list.
func Segments(list []Segment) (segments []Segment, size int) {
	for i := range list {
		list[i].Offset = size
		size += list[i].Size
	}
	return list, size
}

// ActionGroup names the actions First..First+Count-1. A network has one policy
// head for each group. The groups of a game cover all actions, in order.
type ActionGroup struct {
	Name  string // unique in the game; network descriptions use it
	First int    // the lowest action
	Count int    // number of actions
}

// Payoff reports how to read a return when games are counted.
type Payoff int

const (
	// WinLoss: the seats with the highest return win, or share the win.
	WinLoss Payoff = iota
	// Money: the size of the return matters; a player maximises its mean.
	Money
)

// Spec holds the fixed numbers of a game under given rules.
type Spec struct {
	Name    string // the game's name on the command line and in histories
	Title   string // the game's name for people
	Summary string // one line for people
	Seats   int    // 1..8
	// Roles says by seat what it is, where seats differ: "dealer"; nil where they are alike.
	Roles    []string
	Actions  int // size of the action space
	Outcomes int // size of the chance outcome space; 0 for a game without chance
	// MaxHistory is an upper bound on the length of a history. Where the rules give
	// none (a dice race can be endless in principle) it is the length at which
	// messages and replays are cut off, and is documented by the game.
	MaxHistory int
	// ObservationSize is the sum of the segments' sizes.
	ObservationSize int
	Segments        []Segment     // of the observation, in order and without gaps
	ActionGroups    []ActionGroup // of the action space, in order and without gaps
	Payoff          Payoff        // how returns are counted
	// MaxReturn is the largest |return| of a seat, in the game's unit. The value heads of networks
	// are scaled by it.
	MaxReturn float64
	// Unit names the unit of returns: "wins", "antes", "chips", "units".
	Unit string
	// UnitMeaning is the sentence (without its full stop) that explains the unit to people; empty
	// where it explains itself. It is of win probabilities where the unit is wins.
	UnitMeaning string
	// Coin is what people count the unit in, where that is money: they are shown amounts of it. The zero value stands
	// for the unit itself.
	Coin Coin
	// HistoryUnit is how much, in Unit, histories write as a return of 1; 0 stands for 1.
	HistoryUnit float64
	// PerfectInformation: every seat sees every step. Then the information key
	// describes the position, and two histories that lead to the same position
	// have the same key. In other games the key is equal exactly when all that the
	// seat has seen is equal (perfect recall).
	PerfectInformation bool
	// Covert: a seat does not notice some steps (Unnoticed), so that even who is to move can tell
	// it what it must not know.
	Covert bool
	// Determinisable marks a game of hidden information in which it matters little what the
	// others' actions reveal about their hands, so that a good action can be found on uniformly
	// drawn deals (Redealer). In poker and its like that inference is what matters, and a player
	// who never mixes is exploited.
	Determinisable bool
	// Temperature at which trained networks play best (policy.Temperature), measured in the game's
	// page: 1 samples their probabilities, as a game of bluff demands, 0 takes the likeliest action.
	Temperature float64
	// Rules describe what can be changed about the game; nil: nothing.
	Rules *RuleBook
	// Figures are numbers particular to the game that people follow. If there are any, its states
	// are Measured.
	Figures []Figure
}

// Bluffs reports whether it is a game of hidden information in which what a seat does tells the others of what it
// hides, so that a strategy must mix its actions not to be exploited.
func (s *Spec) Bluffs() bool { return !s.PerfectInformation && !s.Determinisable }

// Outcome is one possible result of a chance node.
type Outcome struct {
	Index       int     // the number that Apply takes, 0..Spec.Outcomes-1
	Probability float64 // above 0
}

// Game makes states of one game under fixed rules. It is immutable, and goroutines may share
// it.
type Game interface {
	// Spec returns the game's fixed numbers. The caller must not change them.
	Spec() *Spec
	// Rules returns the validated rules, a struct by value with json and yaml tags, or a map of what a document holds.
	// Decoding its serialised form gives the same game.
	Rules() any
	// NewState returns the initial state.
	NewState() State
	// Bots returns the game's fixed strategies. "random" is not among them: it works for every
	// game (package policy). The caller must not change them.
	Bots() *Bots
}

// State is a position of one game.
type State interface {
	// Reset returns the state to the beginning of the game.
	Reset()
	// Player returns the seat to move, Chance or Terminal.
	Player() int
	// LegalActions appends the legal actions of the seat to move to buf, ascending.
	// It appends nothing at chance and terminal nodes, and at least one at a decision.
	LegalActions(buf []int) []int
	// Outcomes appends the possible outcomes of the chance node to buf, ascending,
	// with probabilities that sum to 1. It appends nothing at other nodes.
	Outcomes(buf []Outcome) []Outcome
	// SampleChance draws an outcome of the chance node with the probabilities of Outcomes, without
	// applying it. Which bits of rng it uses is part of the game: the seed of a game fixes its
	// chance. Call it only at a chance node.
	SampleChance(rng *RNG) int
	// Apply makes the step: an action at a decision node, an outcome at a chance
	// node. An impossible one gives an error that wraps ErrIllegal and leaves the
	// state unchanged.
	Apply(step int) error
	// Seen returns what a seat sees of the given (legal) step at this state: the step itself,
	// another game-specific number ≥ 0 if it sees something else (a part of the step, or what the
	// step uncovers), Hidden or Unnoticed. Unless the step is Unnoticed, the seat also sees that
	// it was made, and by whom.
	Seen(seat, step int) int
	// Observe writes what a seat may know to dst, Spec.ObservationSize values.
	// All values are finite. Every element is written.
	Observe(seat int, dst []float32)
	// InformationKey appends what a seat may know to buf; see Spec.PerfectInformation.
	InformationKey(seat int, buf []byte) []byte
	// Returns writes each seat's return to dst, Spec.Seats values in Spec.Unit that sum to 0: all
	// zeros before the end.
	Returns(dst []float64)
	// Scores appends the game's own points by seat to buf, nothing for a game without.
	Scores(buf []int64) []int64
	// CopyFrom makes the state equal to src, a state of the same game, without allocating.
	CopyFrom(src State)
	// Clone returns an independent copy.
	Clone() State
	// ActionName names an action of the seat to move for people.
	ActionName(action int) string
	// OutcomeName names an outcome of the chance node for people.
	OutcomeName(outcome int) string
	// String shows the position to people, who count seats from 1, hidden parts included.
	String() string
}

// Encoding shows the states of a game in another way than the game itself does, to networks that know more than this
// game. Goroutines may share it.
type Encoding interface {
	// Observe writes what a seat may know to dst, as many values as the network takes.
	Observe(s State, seat int, dst []float32)
	// Game returns the game whose observations these are.
	Game() Game
}

// Shares writes how a finished game counts for each seat to dst: numbers in 0..1
// that sum to 1. returns and dst have Spec.Seats elements; returns are in Spec.Unit.
// In a WinLoss game the seats with the highest return share the win equally. In a
// Money game seat i has (1 + return/MaxReturn) / seats, so that a larger mean return
// always means a larger mean share.
func (s *Spec) Shares(returns, dst []float64) {
	if s.Payoff == Money {
		for i, r := range returns {
			dst[i] = (1 + r/s.MaxReturn) / float64(len(returns))
		}
		return
	}
	best, winners := returns[0], 0
	for _, r := range returns {
		best = max(best, r)
	}
	for _, r := range returns {
		if r == best {
			winners++
		}
	}
	for i, r := range returns {
		dst[i] = 0
		if r == best {
			dst[i] = 1 / float64(winners)
		}
	}
}
