package tysiac

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"croupier/engine/tysiac/cards"
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

// BiddingRules are those of the auction.
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

// BombingRules are those of the bomb.
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

// HandRules are the rules of tysiac-hand: those of the game, and the deal that is
// played.
type HandRules struct {
	Rules `yaml:",inline"`
	Hand  DealRules `json:"hand" yaml:"hand"`
}

// DealRules say at which point of a game the one deal of tysiac-hand is played.
type DealRules struct {
	Scores    Pair `json:"scores" yaml:"scores,flow"`
	Dealer    int  `json:"dealer" yaml:"dealer"`
	BombsLeft Pair `json:"bombs_left" yaml:"bombs_left,flow"`
}

// Pair is a number for each seat.
type Pair [seats]int

// UnmarshalYAML says where a pair has not two values, which an array leaves out.
func (p *Pair) UnmarshalYAML(node *yaml.Node) error {
	var list []int
	if err := node.Decode(&list); err != nil {
		return err
	}
	if len(list) != seats {
		return fmt.Errorf("line %d: %d values where there are %d seats", node.Line, len(list), seats)
	}
	copy(p[:], list)
	return nil
}

// Limits that only keep numbers in bounds; no game comes near them.
const (
	maxScore = 1_000_000
	maxHands = 1_000_000
	maxBombs = 100
)

// DefaultRules are those of the specification.
func DefaultRules() Rules {
	return Rules{
		Game:     GameRules{TargetScore: 1000, LockScore: 800, EnableLock: true, MaxHands: 200},
		Bidding:  BiddingRules{StartBid: 100, Increment: 10, MaxBid: 280, ProofThreshold: 120, JumpBids: true, AllPass: forehandPlays},
		Contract: ContractRules{Max: 400},
		Bombing:  BombingRules{Enabled: true, BombsPerPlayer: 2},
		Tricks:   TrickRules{MustOvertake: true, MustOvertrump: true},
	}
}

// DefaultHandRules are DefaultRules and the first deal of a game.
func DefaultHandRules() HandRules {
	return HandRules{Rules: DefaultRules(), Hand: DealRules{BombsLeft: Pair{2, 2}}}
}

// parameter is a whole number of the rules with its range.
type parameter struct {
	name             string
	value, low, high int
}

func checkRanges(parameters ...parameter) error {
	for _, p := range parameters {
		if p.value < p.low || p.value > p.high {
			return fmt.Errorf("rules: %s is %d, not in %d..%d", p.name, p.value, p.low, p.high)
		}
	}
	return nil
}

// Validate names the first parameter that is out of range.
func (r Rules) Validate() error {
	b := r.Bidding
	err := checkRanges(
		parameter{"game.target_score", r.Game.TargetScore, 1, maxScore},
		parameter{"game.lock_score", r.Game.LockScore, 0, maxScore},
		parameter{"game.max_hands", r.Game.MaxHands, 1, maxHands},
		parameter{"bidding.start_bid", b.StartBid, lowestBid, highestBid},
		parameter{"bidding.increment", b.Increment, bidStep, maxScore},
		parameter{"bidding.max_bid", b.MaxBid, b.StartBid, highestBid},
		parameter{"bidding.proof_threshold", b.ProofThreshold, 0, maxScore},
		parameter{"contract.max", r.Contract.Max, b.MaxBid, highestContract},
		parameter{"bombing.bombs_per_player", r.Bombing.BombsPerPlayer, 0, maxBombs},
	)
	switch {
	case err != nil:
		return err
	case b.StartBid%bidStep != 0:
		return fmt.Errorf("rules: bidding.start_bid is %d, not a multiple of %d", b.StartBid, bidStep)
	case b.Increment%bidStep != 0:
		return fmt.Errorf("rules: bidding.increment is %d, not a multiple of %d", b.Increment, bidStep)
	case b.AllPass != forehandPlays && b.AllPass != redeal:
		return fmt.Errorf("rules: bidding.all_pass is %q, neither %q nor %q", b.AllPass, forehandPlays, redeal)
	}
	return nil
}

// Validate names the first parameter that is out of range.
func (r HandRules) Validate() error {
	if err := r.Rules.Validate(); err != nil {
		return err
	}
	return checkRanges(
		parameter{"hand.scores[0]", r.Hand.Scores[0], -maxScore, maxScore},
		parameter{"hand.scores[1]", r.Hand.Scores[1], -maxScore, maxScore},
		parameter{"hand.dealer", r.Hand.Dealer, 0, 1},
		parameter{"hand.bombs_left[0]", r.Hand.BombsLeft[0], 0, maxBombs},
		parameter{"hand.bombs_left[1]", r.Hand.BombsLeft[1], 0, maxBombs},
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
