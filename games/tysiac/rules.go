package tysiac

import (
	"cmp"
	"slices"

	"croupier/engine"
	"croupier/games/tysiac/cards"
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

// ContractRules bound what the declarer may announce.
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

var ruleBook = &engine.RuleBook{
	Rules: []engine.Rule{
		{Key: "game.target_score", Help: "Points that win the game", Low: 1, High: maxScore,
			Usual: []int{300, 500, 700, 1000}},
		{Key: "game.lock_score", Help: "From this score on only contracts count", Low: 0, High: maxScore,
			Usual: []int{400, 800}},
		{Key: "game.enable_lock", Help: "A player with that many points scores nothing from the other's contract"},
		{Key: "game.max_hands", Help: "After this number of hands the higher score wins", Low: 1, High: maxHands},
		{Key: "bidding.start_bid", Help: "The opening bid, a multiple of 10", Low: lowestBid, High: highestBid},
		{Key: "bidding.increment", Help: "By multiples of which bids rise, a multiple of 10", Low: bidStep, High: maxScore},
		{Key: "bidding.max_bid", Help: "The highest bid", Low: lowestBid, High: highestBid},
		{Key: "bidding.proof_threshold", Help: "Bids above this can be challenged: the bidder must show a meld", Low: 0,
			High: maxScore},
		{Key: "bidding.jump_bids", Help: "A bid may rise by more than one step"},
		{Key: "bidding.all_pass", Help: "If both pass, forehand plays at the opening bid, or there is a new deal",
			Values: []string{forehandPlays, redeal}},
		{Key: "contract.max", Help: "The highest contract, at least the highest bid", Low: lowestBid, High: highestContract},
		{Key: "bombing.enabled", Help: "The player who has taken the musik may throw the hand away, without points"},
		{Key: "bombing.bombs_per_player", Help: "How often each may do that in a game", Low: 0, High: maxBombs},
		{Key: "trick_rules.must_overtake", Help: "A player who follows suit must play a higher card, if possible"},
		{Key: "trick_rules.must_overtrump", Help: "A player who cannot follow must play a trump, if possible"},
		{Key: "trick_rules.follower_melds", Help: "The follower may declare a meld as well"},
	},
	Presets: []engine.Preset{
		{Name: "No bombs", Help: "Every hand is played", Document: "bombing: {enabled: false}"},
		{Name: "Step by step", Help: "Each bid rises by one step", Document: "bidding: {jump_bids: false}"},
		{Name: "New deal if both pass", Help: "Nobody has to play", Document: "bidding: {all_pass: redeal}"},
		{Name: "Both may meld", Help: "The follower of a trick may declare, too",
			Document: "trick_rules: {follower_melds: true}"},
		{Name: "Free tricks", Help: "No duty to overtake or to trump",
			Document: "trick_rules: {must_overtake: false, must_overtrump: false}"},
		{Name: "Short game", Help: "To 500, locked from 400 on", Document: "game: {target_score: 500, lock_score: 400}"},
	},
}

var handRuleBook = &engine.RuleBook{
	Rules: append(slices.Clone(ruleBook.Rules),
		engine.Rule{Key: "hand.scores", Help: "Points that the players have before the hand", Low: -maxScore, High: maxScore},
		engine.Rule{Key: "hand.dealer", Help: "Who deals; the other speaks first", Low: 0, High: 1},
		engine.Rule{Key: "hand.bombs_left", Help: "Bombs that the players have left", Low: 0, High: maxBombs},
	),
	Presets: append(slices.Clone(ruleBook.Presets),
		engine.Preset{Name: "In reach of the end", Help: "Both are locked at 850", Document: "hand: {scores: [850, 850]}"},
	),
}

// Validate names the first rule that contradicts another.
func (r Rules) Validate() error {
	return cmp.Or(
		engine.InRange("bidding.max_bid", r.Bidding.MaxBid, r.Bidding.StartBid, highestBid),
		engine.InRange("contract.max", r.Contract.Max, r.Bidding.MaxBid, highestContract),
		inSteps("bidding.start_bid", r.Bidding.StartBid),
		inSteps("bidding.increment", r.Bidding.Increment),
	)
}

// inSteps returns an error if the points cannot be bid.
func inSteps(rule string, points int) error {
	if points%bidStep == 0 {
		return nil
	}
	return engine.FieldErrorf(rule, "%d is not a multiple of %d", points, bidStep)
}

// tricks returns the rules of a trick.
func (r *Rules) tricks() cards.Rules {
	return cards.Rules{
		MustOvertake:  r.Tricks.MustOvertake,
		MustOvertrump: r.Tricks.MustOvertrump,
		FollowerMelds: r.Tricks.FollowerMelds,
	}
}
