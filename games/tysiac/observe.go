package tysiac

import (
	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// Sizes of the observation's segments. In all of them own comes before other's.
//
//	rules         what is in force, constant in a game: see rulesSegment
//	phase         deal, auction, musik, bomb, return, contract, play, over (one-hot); own turn
//	game          see writeGame
//	auction       bids made by each seat; bids challenged (19 each, 100 first); passed, by
//	              seat; suits shown as proof, by seat
//	contract      see writeContract
//	trump         none, ♠ ♣ ♦ ♥ (one-hot); suits declared, by seat; own melds in hand
//	hand … possible  sets of cards, 24 each: in hand; returned by the seat itself; the musik
//	              that is shown; the card to reply to; played to earlier or this trick, own and
//	              other's; certainly in the other's hand; possibly in the other's hand
const (
	rulesSize    = 16
	phaseSize    = int(phases) + 1
	gameSize     = 13
	auctionSize  = 3*bids + 2 + 2*cards.Suits
	contractSize = 12
	trumpSize    = 1 + 4*cards.Suits
	planes       = 8

	observationSize = rulesSize + phaseSize + gameSize + auctionSize + contractSize + trumpSize + planes*cards.Count
)

var segments, _ = engine.Segments([]engine.Segment{
	{Name: "rules", Size: rulesSize},
	{Name: "phase", Size: phaseSize},
	{Name: "game", Size: gameSize},
	{Name: "auction", Size: auctionSize},
	{Name: "contract", Size: contractSize},
	{Name: "trump", Size: trumpSize},
	{Name: "hand", Size: cards.Count},
	{Name: "returned", Size: cards.Count},
	{Name: "musik", Size: cards.Count},
	{Name: "led", Size: cards.Count},
	{Name: "played_own", Size: cards.Count},
	{Name: "played_other", Size: cards.Count},
	{Name: "known", Size: cards.Count},
	{Name: "possible", Size: cards.Count},
})

// bytePlanes holds eight bits as eight values.
var bytePlanes = func() (v [256][8]float32) {
	for set := range v {
		for i := range 8 {
			v[set][i] = float32(set >> i & 1)
		}
	}
	return v
}()

// setBits writes the low len(dst) bits of a set.
func setBits(dst []float32, set uint32) {
	for ; len(dst) >= 8; dst, set = dst[8:], set>>8 {
		*(*[8]float32)(dst) = bytePlanes[set&255]
	}
	copy(dst, bytePlanes[set&255][:])
}

// setCards writes one plane of cards.
func setCards(dst []float32, set cards.Set) {
	plane := (*[cards.Count]float32)(dst)
	*(*[8]float32)(plane[0:]) = bytePlanes[set&255]
	*(*[8]float32)(plane[8:]) = bytePlanes[set>>8&255]
	*(*[8]float32)(plane[16:]) = bytePlanes[set>>16&255]
}

// unit is the unit in which a value is measured, clipped to -2..2 units.
type unit struct {
	limit int
	scale float32
}

func unitOf(points int) unit { return unit{2 * points, 1 / float32(points)} }

// of returns the value in units.
func (u *unit) of(value int) float32 {
	return float32(max(-u.limit, min(u.limit, value))) * u.scale
}

// The units that do not depend on the rules.
var (
	handPoints, bombUnit, deckPoints = unitOf(200), unitOf(2), unitOf(120)
	cardUnit, soon                   = unitOf(handCards), unitOf(20)
)

// rulesSegment: enabled switches as 1, points in thousands and hundreds.
func rulesSegment(r *Rules) [rulesSize]float32 {
	return [rulesSize]float32{
		flag(r.Tricks.MustOvertake), flag(r.Tricks.MustOvertrump), flag(r.Tricks.FollowerMelds),
		flag(r.Game.EnableLock), flag(r.Bombing.Enabled), flag(r.Bidding.JumpBids), flag(r.Bidding.AllPass == redeal),
		clipped(r.Game.TargetScore, 1000), clipped(r.Game.LockScore, 1000), clipped(r.Game.MaxHands, 200),
		clipped(r.Bombing.BombsPerPlayer, 2), clipped(r.Bidding.StartBid, 200), clipped(r.Bidding.Increment, 100),
		clipped(r.Bidding.MaxBid, 280), clipped(r.Bidding.ProofThreshold, 200), clipped(r.Contract.Max, 400),
	}
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// clipped returns the value in units of that many points, for values computed only once.
func clipped(value, points int) float32 {
	u := unitOf(points)
	return u.of(value)
}

// Observe writes the observation, see above.
func (s *State) Observe(seat int, dst []float32) {
	dst = (*[observationSize]float32)(dst)[:]
	v := s.view(seat)
	*(*[rulesSize]float32)(dst) = s.game.constants
	dst = dst[rulesSize:]
	setBits(dst[:phaseSize], 1<<v.phase|bit(v.turn)<<phases)
	dst = dst[phaseSize:]
	v.writeGame((*[gameSize]float32)(dst), &s.game.units)
	dst = dst[gameSize:]
	v.writeAuction(dst[:auctionSize])
	dst = dst[auctionSize:]
	v.writeContract((*[contractSize]float32)(dst))
	dst = dst[contractSize:]
	melds := uint32(v.declared[0]) | uint32(v.declared[1])<<4 | uint32(v.cards.Melds())<<8
	setBits(dst[:trumpSize], trumpBits[v.trump]|melds<<(cards.Suits+1))
	sets := [planes]cards.Set{
		v.cards, v.returned, v.musik, cards.Of(v.led) & cards.All, v.played[0], v.played[1], v.known, v.possible,
	}
	dst = dst[trumpSize:]
	for _, set := range sets {
		setCards(dst, set)
		dst = dst[cards.Count:]
	}
}

// trumpBits holds the first bits of the segment trump by suit; the lowest bit stands for none.
var trumpBits = [cards.Suits + 1]uint32{2, 4, 8, 16, 1}

// gameUnits are the units that the rules set.
type gameUnits struct{ target, hands unit }

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// writeGame: for each seat score and points to the target, in targets; score is past
// the lock; bombs left; then lead in targets; own deal; hands left in 20 and in all;
// last hand.
func (v *view) writeGame(dst *[gameSize]float32, units *gameUnits) {
	rules := &v.rules.Game
	for i, score := range v.scores {
		dst[4*i] = units.target.of(score)
		dst[4*i+1] = units.target.of(rules.TargetScore - score)
		dst[4*i+2] = flag(rules.EnableLock && score >= rules.LockScore)
		dst[4*i+3] = bombUnit.of(v.bombs[i])
	}
	dst[8] = units.target.of(v.scores[0] - v.scores[1])
	dst[9] = flag(v.deals)
	left := rules.MaxHands - v.hand
	dst[10] = soon.of(left)
	dst[11] = units.hands.of(left)
	dst[12] = flag(left == 1)
}

func (v *view) writeAuction(dst []float32) {
	setBits(dst[:bids], v.made[0]>>FirstBid)
	setBits(dst[bids:2*bids], v.made[1]>>FirstBid)
	setBits(dst[2*bids:3*bids], v.challenged>>FirstBid)
	proofs := uint32(v.shown[0])<<2 | uint32(v.shown[1])<<6
	setBits(dst[3*bids:auctionSize], bit(v.passed[0])|bit(v.passed[1])<<1|proofs)
}

// writeContract: standing bid and contract in 200 points; playing: own, other;
// points of the hand by seat in 200; what the declarer lacks for his contract in
// 200; he has made it; card points not won yet in 120; cards in the other's hand in 10;
// who leads the trick: own, other.
func (v *view) writeContract(dst *[contractSize]float32) {
	*dst = [contractSize]float32{
		0: handPoints.of(v.bid),
		1: handPoints.of(v.contract),
		4: handPoints.of(v.points[0]),
		5: handPoints.of(v.points[1]),
		8: deckPoints.of(v.unwon()),
		9: cardUnit.of(v.count),
	}
	if v.playing != nobody {
		dst[2+v.playing] = 1
	}
	if v.contract != 0 {
		lacks := v.contract - v.points[v.playing]
		dst[6] = handPoints.of(lacks)
		dst[7] = flag(lacks <= 0)
	}
	if v.phase == playing {
		dst[10+v.leads] = 1
	}
}

// unwon returns the points of the cards in no trick yet, as far as the seat can know: all
// except those of won tricks and its own return.
func (v *view) unwon() int {
	gone := v.played[0] | v.played[1] | v.returned
	return 120 - (gone &^ cards.Of(v.led)).Points()
}
