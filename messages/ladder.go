package messages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
)

// Ladder is the document that compares agents (State key LadderKey).
type Ladder struct {
	Game  string `json:"game"`
	Seats int    `json:"seats,omitempty"` // parity is 1/Seats of the win
	Scale Scale  `json:"scale,omitzero"`  // of the ratings
	// Agents by falling rating; equal ones by name.
	Agents []LadderAgent `json:"agents"`
	// Payoff is a matrix: an entry for each two agents that have met, A alone among
	// Bs, in the order of Agents. B among As is another entry; with two seats it
	// is the same games seen from the other side.
	Payoff []Payoff `json:"payoff"`
	// Figures describes what LadderAgent.Figures holds, in the game's order.
	Figures []engine.Figure `json:"figures,omitempty"`
	// Promotions are the changes of the best, the newest last.
	Promotions []LadderPromotion `json:"promotions,omitempty"`
	// Gate reports which version is at the gate; nil: none.
	Gate *LadderGate `json:"gate,omitempty"`
	// HeldBack is the newest version after the best that has passed the gate's test and yet is not best; nil: none.
	HeldBack *HeldBack `json:"held_back,omitempty"`
	// Resets has the last reset of each exploiter that has begun again.
	Resets []Reset `json:"resets,omitempty"`
	// NoExploitability reports why there is no curve of exploitability; "": there is one, or it is not asked for.
	NoExploitability string `json:"no_exploitability,omitempty"`
	// Tables are other tables than that of the ratings, of a run that trains on a family of rules.
	Tables []LadderTable `json:"tables,omitempty"`
	// Format reports who met whom in a tournament; empty for a run. Rounds are those of one in several,
	// Test is the verdict of one that is a test.
	Format string          `json:"format,omitempty"`
	Rounds []Round         `json:"rounds,omitempty"`
	Test   *SequentialTest `json:"test,omitempty"`
	// Correction has results corrected for chance; nil: there are none.
	Correction *Correction `json:"correction,omitempty"`
}

// Correction has what agents got of one another with as much chance taken out as the values of an agent explain.
type Correction struct {
	Baseline string          `json:"baseline"` // the agent
	Pairs    []CorrectedPair `json:"pairs"`    // by their names
}

// CorrectedPair has the mean return of A among copies of B, in the game's unit, as it was and corrected. Both estimate
// the same.
type CorrectedPair struct {
	A         string   `json:"a"`
	B         string   `json:"b"`
	Games     uint64   `json:"games"`
	Plain     Interval `json:"plain"`
	Corrected Interval `json:"corrected"`
	// VarianceLeft is the variance of corrected sets as a share of that of plain ones.
	VarianceLeft float64 `json:"variance_left"`
}

// Round is who met whom at the same time in a tournament.
type Round []Meeting

// Meeting is the games of two agents in a round.
type Meeting struct {
	A string `json:"a"`
	B string `json:"b,omitempty"` // empty: A had no opponent
	// PointsA is 1 if A came out ahead, 0 if B did, and ½ if they were level; the rest is B's.
	PointsA float64 `json:"points_a"`
	Games   uint64  `json:"games"`
	// MeanReturnA and MeanReturnB are what each got per game, in the game's unit, alone among copies
	// of the other.
	MeanReturnA float64 `json:"mean_return_a"`
	MeanReturnB float64 `json:"mean_return_b"`
}

// SequentialTest is a sequential probability ratio test of whether A is better than B (Wald 1945).
type SequentialTest struct {
	A string `json:"a"`
	B string `json:"b"`
	// Gain is what "better" means, in standard deviations of a set, and Error the probability of
	// either wrong verdict.
	Gain  float64 `json:"gain"`
	Error float64 `json:"error"`
	// Sets that were looked at, of at most MostSets.
	Sets     uint64 `json:"sets"`
	MostSets uint64 `json:"most_sets"`
	// Evidence is the logarithm of how much more likely the results are if A is better by Gain than
	// if it is not better. The test ends at ± Threshold.
	Evidence  float64 `json:"evidence"`
	Threshold float64 `json:"threshold"`
	Verdict   string  `json:"verdict"` // "passed", "failed", or "" while it is undecided
}

// Within returns the ladder as JSON of that many bytes at most: where it has more, the payoffs of the weakest
// versions are left out, as far as that helps.
func (l *Ladder) Within(most int) ([]byte, error) {
	short := *l
	for n := len(l.Agents); ; n /= 2 {
		doc, err := json.Marshal(&short)
		if err != nil || len(doc) <= most || n == 0 {
			return doc, err
		}
		shown := map[string]bool{}
		for i, a := range l.Agents {
			shown[a.Name] = i < n/2 || a.Kind != "network"
		}
		short.Payoff = slices.DeleteFunc(slices.Clone(l.Payoff), func(p Payoff) bool { return !shown[p.A] || !shown[p.B] })
	}
}

// LadderGate is a test that has not ended.
type LadderGate struct {
	Agent   string `json:"agent"`
	Sets    uint64 `json:"sets"`     // seen so far
	MaxSets uint64 `json:"max_sets"` // at most
}

// HeldBack is a version that beats the best and is not best: an opponent that knows it wins more of it. Both values are
// in the game's unit, a game.
type HeldBack struct {
	Agent                string  `json:"agent"`
	Over                 string  `json:"over"` // the best
	Exploitability       float64 `json:"exploitability"`
	ExploitabilityOfBest float64 `json:"exploitability_of_best"`
}

// String reports why it is held back.
func (h *HeldBack) String() string {
	return fmt.Sprintf("%s beats %s but does not become best: an opponent that knows it wins %.3g a game, of %s only %.3g",
		h.Agent, h.Over, h.Exploitability, h.Over, h.ExploitabilityOfBest)
}

// LadderPromotion is a [Promotion] without its evidence.
type LadderPromotion struct {
	Number   uint64  `json:"number"`
	Agent    string  `json:"agent"`
	Over     string  `json:"over,omitempty"`
	Seconds  float64 `json:"seconds"`             // of training
	Samples  uint64  `json:"samples"`             // of training
	GateSets uint64  `json:"gate_sets,omitempty"` // in which the gate decided
	// As in Promotion.
	Exploitability       *float64 `json:"exploitability,omitempty"`
	ExploitabilityBefore *float64 `json:"exploitability_before,omitempty"`
	// Gain is what Agent has over Over, measured in other sets than those that decided; nil
	// without any.
	Gain *Gain `json:"gain,omitempty"`
}

// Gain is what one agent has over another, in the unit of the ladder's scale, with its 95 %
// interval, from their own games alone.
type Gain struct {
	Games uint64  `json:"games"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Unbounded reports that the agent won every game, so that Value and High only say how far
// that many games reach.
func (g *Gain) Unbounded() bool { return g.High <= g.Value }

// Scale reports what ratings mean.
type Scale struct {
	Kind string `json:"kind"` // EloScale or MoneyScale
	// Unit of ratings and of their differences: "Elo", or the game's unit, as "antes per
	// game": what an agent gets on average alone among those that are rated so much lower.
	Unit string `json:"unit"`
	// UnitMeaning is the sentence, without its full stop, that explains the unit; empty where it
	// explains itself.
	UnitMeaning string `json:"unit_meaning,omitempty"`
	// Zero is what has the rating 0: the name of an agent, or words for the mean of all.
	Zero string `json:"zero"`
	// Decimals that people are shown of ratings and mean returns.
	Decimals int `json:"decimals"`
}

// Kinds of scales.
const (
	EloScale   = "elo"   // games that are won or lost
	MoneyScale = "money" // games in which the size of the return matters
)

// Write writes a rating, or a difference of ratings, for people. Pages write it in the same way
// (rating in web/assets/format.js).
func (s Scale) Write(rating float64) string {
	text := strconv.FormatFloat(rating, 'f', s.Decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// WriteDifference writes a difference of ratings with half the width of its interval.
func (s Scale) WriteDifference(d Interval) string {
	sign := ""
	if text := s.Write(d.Value); d.Value > 0 && strings.Trim(text, "0.") != "" {
		sign = "+"
	}
	return sign + s.Write(d.Value) + " ± " + s.Write((d.High-d.Low)/2)
}

// MeanZero is the zero of a ladder that lacks the agent for it.
const MeanZero = "the mean of all agents"

// LadderAgent is one rung.
type LadderAgent struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // network, bot or solver
	// Role of the learning agent whose frozen version it is: "" of the main one and of those that do not learn.
	Role string `json:"role,omitempty"`
	// SHA256 of the weights that are rated, in hex; "" for agents without a file.
	SHA256 string `json:"sha256,omitempty"`
	// Rating in the scale's unit and its 95 % interval.
	Rating float64 `json:"rating"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Games  uint64  `json:"games"` // in which it took part, but for those of the gate
	Best   bool    `json:"best"`  // it has passed the gate
	// Exploitability is what the best can lose a game to an opponent that knows it, in the game's unit; nil of the
	// others, and where the gate does not ask.
	Exploitability *float64 `json:"exploitability,omitempty"`
	// Places are the best and the worst that the agent can have among the true ratings;
	// both hold together in at least 95 % of cases.
	Places Places `json:"places,omitzero"`
	// ToBest and ToPrevious are how much higher the rating is than that of the best and
	// that of the version before, with intervals of their own, which are narrower than
	// those of ratings: what these owe to the agent with the rating 0 is not in them.
	ToBest     *Interval `json:"to_best,omitempty"`
	ToPrevious *Interval `json:"to_previous,omitempty"`
	// Figures by name, over the games that it played alone among others of one kind.
	// Those of which too little is known are not there.
	Figures map[string]Interval `json:"figures,omitempty"`
}

// Places count from 1; 0 is unknown.
type Places struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// String writes the places for people: "2", or "2–4".
func (p Places) String() string {
	switch {
	case p.First == 0:
		return ""
	case p.First == p.Last:
		return strconv.Itoa(p.First)
	}
	return fmt.Sprintf("%d–%d", p.First, p.Last)
}

// Interval is a value with its 95 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Payoff is what agent A got as the only one of its kind among Bs.
type Payoff struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Games uint64 `json:"games"`
	// Mean return in the game's unit and its 95 % interval (by sets).
	MeanReturnA float64 `json:"mean_return_a"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	*WinShare           // nil in games for money
	// Rated is the result that the ratings say: the mean return in games for money, else the
	// share of the win. Off says that the measured result is another beyond chance (5 % for
	// all entries of the matrix together): then no numbers can order these agents, and the
	// matrix is right.
	Rated float64 `json:"rated"`
	Off   bool    `json:"off"`
}

// WinShare is a mean share of the win (parity is 1/seats) with its 95 % interval.
type WinShare struct {
	ShareA    float64 `json:"share_a"`
	ShareLow  float64 `json:"share_low"`
	ShareHigh float64 `json:"share_high"`
}

// ParseLadder reads the document. One without a scale is of a time when all ratings were in
// Elo, random had 0, and nothing else was known of the order.
func ParseLadder(doc []byte) (*Ladder, error) {
	l := &Ladder{}
	if err := strict.Unmarshal(doc, l); err != nil {
		return nil, fmt.Errorf("ladder document: %w", err)
	}
	for i, a := range l.Agents {
		if a.Name == "" {
			return nil, fmt.Errorf("ladder document: agent %d has no name", i)
		}
		if l.Scale == (Scale{}) && a.Name == "random" {
			l.Scale = Scale{Kind: EloScale, Unit: "Elo", Zero: a.Name}
		}
	}
	if l.Scale == (Scale{}) {
		l.Scale = Scale{Kind: EloScale, Unit: "Elo", Zero: MeanZero}
	}
	return l, nil
}

// JSON returns the document, indented for people.
func (l *Ladder) JSON() ([]byte, error) {
	doc, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("ladder document: %w", err)
	}
	return append(doc, '\n'), nil
}

// Best returns the agent marked best, if there is one; l may be nil.
func (l *Ladder) Best() (LadderAgent, bool) {
	if l != nil {
		for _, a := range l.Agents {
			if a.Best {
				return a, true
			}
		}
	}
	return LadderAgent{}, false
}
