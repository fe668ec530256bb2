package tysiac

import (
	"math"
	"math/bits"

	"croupier/engine"
	"croupier/engine/tysiac/cards"
)

// The figures.
const (
	contractSuccess = iota
	meanContract
	bombsUsed
	bombWorth
	meldsDeclared
	returnPoints
)

var figures = []engine.Figure{
	contractSuccess: {Name: "contract_success", Unit: engine.Share, Per: "contract", Help: "contracts made"},
	meanContract:    {Name: "contract", Unit: "points", Per: "contract", Help: "height of the contracts announced"},
	bombsUsed:       {Name: "bombs", Unit: "bombs", Per: "game", Help: "bombs used"},
	bombWorth: {Name: "bomb_worth", Unit: "points", Per: "bomb",
		Help: "expected lead from playing a bombed hand less the expected lead from a redeal: below 0 the bomb was right"},
	meldsDeclared: {Name: "melds_declared", Unit: engine.Share, Per: "meld held",
		Help: "declared melds among those held when play begins"},
	returnPoints: {Name: "return_points", Unit: "points", Per: "return", Help: "points of the two cards returned"},
}

// MeasureStep counts bombs, returns, contracts and melds. Melds and contracts are counted
// during the play, which every hand that begins it also finishes.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	seat := int(s.player)
	switch s.phase {
	case bombing:
		if step == Bomb {
			sums.Add(seat, bombsUsed, 1, 0)
			sums.Add(seat, bombWorth, s.playingOn()-s.redealing(), 1)
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
		card, declares := cardOf(step)
		if declares {
			sums.Add(seat, meldsDeclared, 1, 0)
		}
		if s.led != cards.NoCard && s.hands[seat].Len() == 1 {
			sums.AddShare(int(s.playing), contractSuccess, s.makes(card))
		}
	}
}

// makes reports whether the playing player makes his contract when the card is the last of the
// hand. The card declares nothing, since the seat holds no other card.
func (s *State) makes(card int) bool {
	led, winner := int(s.led), 1-s.player
	if cards.Takes(led, card, int(s.trump)) {
		winner = s.player
	}
	points := s.points[s.playing]
	if winner == s.playing {
		points += int16(cards.Points(led) + cards.Points(card))
	}
	return points >= s.contract
}

// MeasureEnd counts the game.
func (s *State) MeasureEnd(sums engine.Sums) {
	for seat := range seats {
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

// playingOn estimates the lead of a playing player who has taken a musik and does not bomb.
func (s *State) playingOn() float64 {
	_, _, worth := bestReturn(s.hands[s.playing])
	bid := s.standing()
	contract := float64(max(bid, min((worth-contractMargin)/bidStep*bidStep, s.game.rules.Contract.Max)))
	made := 1 / (1 + math.Exp(-(float64(worth)-contract-evenMargin)/marginScale))
	return contract*(2*made-1) - otherPoints - otherPerBid*float64(bid-lowestBid)
}

// redealing estimates the same for a new deal by the same dealer.
func (s *State) redealing() float64 {
	if s.playing == s.dealer {
		return -forehandsLead
	}
	return forehandsLead
}
