// Package bank implements BANK! with dice for 2 to 8 seats: a race over a number of rounds in
// which everybody may take a shared, growing bank before a seven loses it.
//
// A round: the bank starts at 0 and all seats are active. Two dice are rolled again
// and again. Rolls 1 to 3 of a round: a seven adds 70, anything else its sum. Later
// rolls: a seven ends the round and the bank is lost, doubles double the bank,
// anything else adds its sum. After each roll the active seats are asked: pass, or
// bank, which scores the bank and ends the round for that seat; the bank stays. When
// nobody is active the round ends. After the last round the highest total wins.
//
// Rules:
//
//	players  2..8 (3)            seats
//	rounds   1..1000 (10)        length of the game; 10, 15 and 20 are usual
//	roller   round_robin, random who is shown as rolling; changes nothing else
//	repoll   true, false (true)  see below
//
// With repoll the active seats are asked in seat order from seat 0, over and over, until all of
// them have passed since the newest bank (or since the roll). Without it each roll asks every
// active seat once, from seat (round + roll - 2) mod players on, round and roll counted from 1.
//
// Actions: 0 pass, 1 bank. Outcomes of a roll: the index 0..20 of the sorted pair,
// (1,1), (1,2), … (6,6). The bank saturates at [MaxBank]. The k seats with the highest
// total share +1, the others share -1; if all tie, all have 0. Scores are the totals.
package bank

import (
	"croupier/engine"
)

// The actions.
const (
	Pass = 0
	Bank = 1
)

// MaxBank is where the bank stops growing.
const MaxBank = 1_000_000_000_000

const (
	maxSeats   = 8
	maxRounds  = 1000
	safeRolls  = 3  // a seven on one of these adds safeSeven
	safeSeven  = 70 //
	outcomes   = 21
	noDice     = outcomes // State.dice before the first roll of a round
	roundRobin = "round_robin"
	randomly   = "random"
)

// Rules are the parameters, see the package comment.
type Rules struct {
	Players int    `json:"players" yaml:"players"`
	Rounds  int    `json:"rounds" yaml:"rounds"`
	Roller  string `json:"roller" yaml:"roller"`
	Repoll  bool   `json:"repoll" yaml:"repoll"`
}

// DefaultRules returns the rules of a game for three.
func DefaultRules() Rules {
	return Rules{Players: 3, Rounds: 10, Roller: roundRobin, Repoll: true}
}

var ruleBook = &engine.RuleBook{
	Rules: []engine.Rule{
		{Key: "players", Help: "How many play", Low: 2, High: maxSeats,
			Usual: []int{2, 3, 4, 5, 6, 7, 8}},
		{Key: "rounds", Help: "How many rounds a game has; 10, 15 and 20 are usual", Low: 1, High: maxRounds,
			Usual: []int{10, 15, 20}},
		{Key: "roller", Help: "Who is shown as rolling; it changes nothing else", Values: []string{roundRobin, randomly}},
		{Key: "repoll", Help: "Players who have passed are asked again after somebody banks"},
	},
	Presets: []engine.Preset{
		{Name: "Two players", Help: "For which the best play is known", Document: "players: 2"},
		{Name: "Standard, 15 rounds", Help: "The middle length", Document: "rounds: 15"},
		{Name: "Long, 20 rounds", Help: "The longest usual length", Document: "rounds: 20"},
		{Name: "One question", Help: "Each roll asks everybody once; the first to be asked changes",
			Document: "repoll: false"},
		{Name: "Party of eight", Help: "Everybody at the table", Document: "players: 8"},
	},
}

// maxHistory bounds a game in practice. While seats stay active, each roll after the third of a
// round is followed by another with probability at most 5/6, so a game takes more than 15 rolls
// per round plus 300 with probability below 1e-20. After a roll every seat is asked at most
// once, and once more after each bank of the round.
func (r Rules) maxHistory() int {
	rolls := 300 + 15*r.Rounds
	return rolls*(1+r.Players) + r.Rounds*r.Players*(r.Players+1)/2
}

// Game is BANK! under fixed rules.
type Game struct {
	rules Rules
	spec  engine.Spec
	all   uint8 // mask of all seats
	// rounds holds the first segment of the observation by finished rounds; totalUnit is the
	// number of points that the linear own total shows as 1.
	rounds    [][roundSize]float32
	totalUnit int64
}

// New reads a rules document and returns the game.
func New(document []byte) (engine.Game, error) {
	rules := DefaultRules()
	if err := engine.ReadRules(document, &rules, ruleBook); err != nil {
		return nil, err
	}
	n := rules.Players
	segments, size := segments(n)
	g := &Game{
		rules: rules,
		spec: engine.Spec{
			Name:               "bank",
			Title:              "BANK!",
			Rules:              ruleBook,
			Summary:            "BANK! with dice: bank the growing pot before a seven takes it; the highest total wins",
			Seats:              n,
			Actions:            2,
			Outcomes:           outcomes,
			MaxHistory:         rules.maxHistory(),
			ObservationSize:    size,
			Segments:           segments,
			ActionGroups:       []engine.ActionGroup{{Name: "answer", First: Pass, Count: 2}},
			Payoff:             engine.WinLoss,
			MaxReturn:          1,
			Unit:               "wins",
			PerfectInformation: true,
			Figures:            figures,
		},
		all:       uint8(1<<n - 1),
		totalUnit: int64(pointsPerRound * rules.Rounds),
	}
	for done := range rules.Rounds + 1 {
		g.rounds = append(g.rounds, roundSegment(done, rules.Rounds))
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

// die is what the tables below hold about one outcome.
type die struct {
	low, high uint8
	sum       int64
}

func (d die) doubles() bool { return d.low == d.high }
func (d die) seven() bool   { return d.sum == 7 }

// pairs lists the sorted pairs by outcome, sample the outcomes of the 36 ordered
// pairs of dice, and odds the outcomes with their probabilities.
var pairs, sample, odds = func() (p [outcomes]die, s [36]uint8, o [outcomes]engine.Outcome) {
	next, ordered := 0, 0
	for low := uint8(1); low <= 6; low++ {
		for high := low; high <= 6; high++ {
			p[next] = die{low: low, high: high, sum: int64(low + high)}
			ways := 2
			if low == high {
				ways = 1
			}
			o[next] = engine.Outcome{Index: next, Probability: float64(ways) / 36}
			for range ways {
				s[ordered] = uint8(next)
				ordered++
			}
			next++
		}
	}
	return p, s, o
}()
