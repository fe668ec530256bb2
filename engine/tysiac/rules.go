package tysiac

import (
	"cmp"

	"croupier/engine"
	"croupier/engine/tysiac/cards"
	"croupier/internal/strict"
)

// Rules are the parameters of both games, see the package comment.
type Rules struct {
	Game     GameRules     `json:"game" yaml:"game"`
	Bidding  BiddingRules  `json:"bidding" yaml:"bidding"`
	Contract ContractRules `json:"contract" yaml:"contract"`
	Bombing  BombingRules  `json:"bombing" yaml:"bombing"`
	Tricks   TrickRules    `json:"trick_rules" yaml:"trick_rules"`
}

// GameRules say how hands add up to a game.
type GameRules struct {
	TargetScore int  `json:"target_score" yaml:"target_score"`
	LockScore   int  `json:"lock_score" yaml:"lock_score"`
	EnableLock  bool `json:"enable_lock" yaml:"enable_lock"`
	MaxHands    int  `json:"max_hands" yaml:"max_hands"`
}

// BiddingRules are the rules of the auction.
type BiddingRules struct {
	StartBid       int    `json:"start_bid" yaml:"start_bid"`
	Increment      int    `json:"increment" yaml:"increment"`
	MaxBid         int    `json:"max_bid" yaml:"max_bid"`
	ProofThreshold int    `json:"proof_threshold" yaml:"proof_threshold"`
	JumpBids       bool   `json:"jump_bids" yaml:"jump_bids"`
	AllPass        string `json:"all_pass" yaml:"all_pass"`
}

// What happens when both pass.
const (
	forehandPlays = "forehand_plays"
	redeal        = "redeal"
)

// ContractRules bound what the playing player may announce.
type ContractRules struct {
	Max int `json:"max" yaml:"max"`
}

// BombingRules are the rules of the bomb.
type BombingRules struct {
	Enabled        bool `json:"enabled" yaml:"enabled"`
	BombsPerPlayer int  `json:"bombs_per_player" yaml:"bombs_per_player"`
}

// TrickRules are the choices of cards.Rules.
type TrickRules struct {
	MustOvertake  bool `json:"must_overtake" yaml:"must_overtake"`
	MustOvertrump bool `json:"must_overtrump" yaml:"must_overtrump"`
	FollowerMelds bool `json:"follower_melds" yaml:"follower_melds"`
}

// HandRules are the rules of tysiac-hand: the game's, and the deal that is played.
type HandRules struct {
	Rules `yaml:",inline"`
	Hand  DealRules `json:"hand" yaml:"hand"`
}

// DealRules say at which point of a game tysiac-hand plays its one deal.
type DealRules struct {
	Scores    Pair `json:"scores" yaml:"scores,flow"`
	Dealer    int  `json:"dealer" yaml:"dealer"`
	BombsLeft Pair `json:"bombs_left" yaml:"bombs_left,flow"`
}

// Pair is a number for each seat.
type Pair [seats]int

// Limits that merely bound the numbers; no real game comes near them.
const (
	maxScore = 1_000_000
	maxHands = 1_000_000
	maxBombs = 100
)

// DefaultRules returns the rules of the specification.
func DefaultRules() Rules {
	return Rules{
		Game: GameRules{TargetScore: 1000, LockScore: 800, EnableLock: true, MaxHands: 200},
		Bidding: BiddingRules{
			StartBid: 100, Increment: 10, MaxBid: 280, ProofThreshold: 120, JumpBids: true, AllPass: forehandPlays,
		},
		Contract: ContractRules{Max: 400},
		Bombing:  BombingRules{Enabled: true, BombsPerPlayer: 2},
		Tricks:   TrickRules{MustOvertake: true, MustOvertrump: true},
	}
}

// DefaultHandRules returns DefaultRules with the first deal of a game.
func DefaultHandRules() HandRules {
	return HandRules{Rules: DefaultRules(), Hand: DealRules{BombsLeft: Pair{2, 2}}}
}

// Validate names the first parameter that is out of range.
func (r Rules) Validate() error {
	b := r.Bidding
	return cmp.Or(
		engine.InRange("game.target_score", r.Game.TargetScore, 1, maxScore),
		engine.InRange("game.lock_score", r.Game.LockScore, 0, maxScore),
		engine.InRange("game.max_hands", r.Game.MaxHands, 1, maxHands),
		engine.InRange("bidding.start_bid", b.StartBid, lowestBid, highestBid),
		engine.InRange("bidding.increment", b.Increment, bidStep, maxScore),
		engine.InRange("bidding.max_bid", b.MaxBid, b.StartBid, highestBid),
		engine.InRange("bidding.proof_threshold", b.ProofThreshold, 0, maxScore),
		engine.InRange("contract.max", r.Contract.Max, b.MaxBid, highestContract),
		engine.InRange("bombing.bombs_per_player", r.Bombing.BombsPerPlayer, 0, maxBombs),
		inSteps("bidding.start_bid", b.StartBid),
		inSteps("bidding.increment", b.Increment),
		engine.OneOf("bidding.all_pass", b.AllPass, forehandPlays, redeal),
	)
}

// inSteps returns an error if the points cannot be bid.
func inSteps(rule string, points int) error {
	if points%bidStep == 0 {
		return nil
	}
	return strict.Errorf(rule, "%d is not a multiple of %d", points, bidStep)
}

// Validate names the first parameter that is out of range.
func (r HandRules) Validate() error {
	return cmp.Or(
		r.Rules.Validate(),
		engine.InRange("hand.scores[0]", r.Hand.Scores[0], -maxScore, maxScore),
		engine.InRange("hand.scores[1]", r.Hand.Scores[1], -maxScore, maxScore),
		engine.InRange("hand.dealer", r.Hand.Dealer, 0, 1),
		engine.InRange("hand.bombs_left[0]", r.Hand.BombsLeft[0], 0, maxBombs),
		engine.InRange("hand.bombs_left[1]", r.Hand.BombsLeft[1], 0, maxBombs),
	)
}

// tricks returns the rules of a trick.
func (r *Rules) tricks() cards.Rules {
	return cards.Rules{
		MustOvertake:  r.Tricks.MustOvertake,
		MustOvertrump: r.Tricks.MustOvertrump,
		FollowerMelds: r.Tricks.FollowerMelds,
	}
}
