package tysiac

import (
	"cmp"
	"math"
	"math/bits"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// The figures. Those by position and those by contract follow one another.
const (
	finalScore = iota
	winsForehand
	winsDealer
	pointsForehand
	pointsDealer
	contractSuccess
	contractLowest
	contractMiddle
	contractHighest
	meanContract
	bombsUsed
	bombWorth
	bombEscapes
	bombsWasted
	meldsDeclared
	meldTrick
	returnPoints
)

var figures = []engine.Figure{
	finalScore: {Name: "score", Unit: "points", Per: "game", Help: "score at the end, or its change in one deal"},
	winsForehand: {Name: "wins_forehand", Unit: engine.Share, Per: "game as forehand",
		Help: "games won by the seat that speaks first in the first hand; a draw is half a win"},
	winsDealer: {Name: "wins_dealer", Unit: engine.Share, Per: "game as dealer",
		Help: "games won by the seat that deals the first hand; a draw is half a win"},
	pointsForehand: {Name: "points_forehand", Unit: "points", Per: "hand as forehand",
		Help: "change of the own score in hands that the other deals"},
	pointsDealer: {Name: "points_dealer", Unit: "points", Per: "hand as dealer",
		Help: "change of the own score in hands that the seat deals"},
	contractSuccess: {Name: "contract_success", Unit: engine.Share, Per: "contract", Help: "contracts made"},
	contractLowest: {Name: "contract_success_100", Unit: engine.Share, Per: "contract of 100 to 120",
		Help: "contracts of 100 to 120 made"},
	contractMiddle: {Name: "contract_success_130", Unit: engine.Share, Per: "contract of 130 to 160",
		Help: "contracts of 130 to 160 made"},
	contractHighest: {Name: "contract_success_170", Unit: engine.Share, Per: "contract of 170 or more",
		Help: "contracts of 170 or more made"},
	meanContract: {Name: "contract", Unit: "points", Per: "contract", Help: "height of the contracts announced"},
	bombsUsed:    {Name: "bombs", Unit: "bombs", Per: "game", Help: "bombs used"},
	bombWorth: {Name: "bomb_worth", Unit: "points", Per: "bomb",
		Help: "expected lead from playing a bombed hand less the expected lead from a redeal: below 0 the bomb was right"},
	bombEscapes: {Name: "bomb_escapes", Unit: engine.Share, Per: "bomb",
		Help: "bombs on hands whose contract is expected to be lost more often than made"},
	bombsWasted: {Name: "bombs_wasted", Unit: engine.Share, Per: "bomb",
		Help: "bombs on hands whose expected lead is above that of a redeal"},
	meldsDeclared: {Name: "melds_declared", Unit: engine.Share, Per: "meld held",
		Help: "declared melds among those held when play begins"},
	meldTrick: {Name: "meld_trick", Unit: "tricks", Per: "meld declared",
		Help: "number of the trick, from 1, with which a meld is declared"},
	returnPoints: {Name: "return_points", Unit: "points", Per: "return", Help: "points of the two cards returned"},
}

// MeasureStep counts hands, bombs, returns, contracts and melds. Melds and contracts are counted
// during the play, which every hand that begins it also finishes.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	seat := int(s.player)
	switch s.phase {
	case auction:
		if step == Challenge || step == Pass {
			s.measureHand(step, sums)
		}
	case bombing:
		if step == Bomb {
			s.measureBomb(sums)
			s.measureHand(step, sums)
		}
	case returning:
		if s.returned != 0 {
			sums.Add(seat, returnPoints, float64((s.returned | cards.Of(step-Return)).Points()), 1)
		}
	case announcing:
		sums.Add(seat, meanContract, float64(lowestBid+bidStep*(step-Announce)), 1)
		for holder, hand := range s.hands {
			sums.Add(holder, meldsDeclared, 0, float64(bits.OnesCount8(hand.Melds())))
		}
	case playing:
		if _, declares := cardOf(step); declares {
			sums.Add(seat, meldsDeclared, 1, 0)
			sums.Add(seat, meldTrick, float64(handCards-s.hands[seat].Len()+1), 1)
		}
		if s.led != cards.NoCard && s.hands[seat].Len() == 1 {
			s.measureHand(step, sums)
		}
	}
}

// measureBomb counts a bomb.
func (s *State) measureBomb(sums engine.Sums) {
	seat := int(s.player)
	lead, made := s.playingOn()
	worth := lead - s.redealing()
	sums.Add(seat, bombsUsed, 1, 0)
	sums.Add(seat, bombWorth, worth, 1)
	sums.AddShare(seat, bombEscapes, made < 0.5)
	sums.AddShare(seat, bombsWasted, worth > 0)
}

// measureHand counts the hand and its contract, if the step ends it.
func (s *State) measureHand(step int, sums engine.Sums) {
	after := *s
	if err := after.Apply(step); err != nil || after.hand == s.hand {
		return
	}
	for seat := range seats {
		figure := pointsForehand
		if seat == int(s.dealer) {
			figure = pointsDealer
		}
		sums.Add(seat, figure, float64(after.scores[seat]-s.scores[seat]), 1)
	}
	if s.phase != playing {
		return
	}
	made := after.scores[s.playing] > s.scores[s.playing]
	sums.AddShare(int(s.playing), contractSuccess, made)
	sums.AddShare(int(s.playing), contractFigure(int(s.contract)), made)
}

// contractFigure is the figure of the contracts as high as this one. The cards alone can make up
// to 120, and with the cheapest meld up to 160.
func contractFigure(contract int) int {
	switch {
	case contract <= 120:
		return contractLowest
	case contract <= 160:
		return contractMiddle
	}
	return contractHighest
}

// MeasureEnd counts the game.
func (s *State) MeasureEnd(sums engine.Sums) {
	var (
		returns [seats]float64
		buffer  [seats]int64
	)
	s.Returns(returns[:])
	scores := s.Scores(buffer[:0])
	dealer := 0 // of the first hand
	if h := s.game.hand; h != nil {
		dealer = h.Dealer
	}
	for seat := range seats {
		figure := winsForehand
		if seat == dealer {
			figure = winsDealer
		}
		sums.Add(seat, figure, float64(1+cmp.Compare(returns[seat], 0))/2, 1)
		sums.Add(seat, finalScore, float64(scores[seat]), 1)
		sums.Add(seat, bombsUsed, 0, 1)
	}
}

// What a hand is worth, as a lead (own change of score less the other's), when its player
// decides about the bomb: a fit to 30,000 hands without bombs that the heuristic bot played
// against itself, by the strength of the ten best cards and the bid. The contract is the bot's;
// the chance of making it follows a logistic distribution. Among hands of equal strength and
// bid the lead has a standard deviation of 111, and the fit is off by up to 15 on average
// (TestExpectedLeads).
const (
	evenMargin    = -4 // of the strength over the contract at which half of the contracts are made
	marginScale   = 12
	otherPoints   = 54  // of the other at the lowest bid
	otherPerBid   = 1.8 // more for each point of the bid above it
	forehandsLead = -5  // of a hand before the deal
)

// playingOn estimates the lead of a declarer who has taken a musik and does not bomb, and
// his chance of making the contract.
func (s *State) playingOn() (lead, made float64) {
	_, _, worth := bestReturn(s.hands[s.playing])
	bid := s.standing()
	contract := float64(max(bid, min((worth-contractMargin)/bidStep*bidStep, s.game.rules.Contract.Max)))
	made = 1 / (1 + math.Exp(-(float64(worth)-contract-evenMargin)/marginScale))
	return contract*(2*made-1) - otherPoints - otherPerBid*float64(bid-lowestBid), made
}

// redealing estimates the same for a new deal by the same dealer.
func (s *State) redealing() float64 {
	if s.playing == s.dealer {
		return -forehandsLead
	}
	return forehandsLead
}
