package tysiac

import (
	"math/bits"

	"croupier/games/tysiac/cards"
)

// view is the position as one seat knows it. Observations and bots are built on it, so that
// neither can look at what is hidden. "Own" is that seat, "other" the other one.
type view struct {
	rules *Rules
	phase phase
	turn  bool // the seat is to move
	deals bool

	scores [seats]int // own, other's, as in all pairs below
	bombs  [seats]int
	points [seats]int // in this hand
	hand   int        // finished hands

	bid        int // standing, in points; 0: none
	made       [seats]uint32
	passed     [seats]bool
	shown      [seats]uint8
	declared   [seats]uint8
	challenged uint32
	playing    int // 0 own, 1 other, or nobody
	taken      int // musik, or nobody
	contract   int
	trump      int
	led        int
	leads      int // who has led the trick or is to lead: 0 own, 1 other

	cards    cards.Set // in the own hand
	returned cards.Set // by the seat itself
	musik    cards.Set // shown
	played   [seats]cards.Set
	count    int       // cards in the other's hand
	known    cards.Set // certainly in the other's hand
	possible cards.Set // may be in the other's hand, known ones included
}

// view returns what the seat knows.
func (s *State) view(seat int) view {
	seat &= 1
	other := 1 - seat
	v := view{
		rules:      &s.game.rules,
		phase:      s.phase,
		turn:       int(s.player) == seat,
		deals:      int(s.dealer) == seat,
		scores:     [seats]int{int(s.scores[seat]), int(s.scores[other])},
		bombs:      [seats]int{int(s.bombs[seat]), int(s.bombs[other])},
		points:     [seats]int{int(s.points[seat]), int(s.points[other])},
		hand:       int(s.hand),
		bid:        s.standing(),
		made:       [seats]uint32{s.made[seat], s.made[other]},
		passed:     [seats]bool{s.passed>>seat&1 != 0, s.passed>>other&1 != 0},
		shown:      [seats]uint8{s.shown[seat], s.shown[other]},
		declared:   [seats]uint8{s.declared[seat], s.declared[other]},
		challenged: s.challenged,
		playing:    nobody,
		taken:      int(s.taken),
		contract:   int(s.contract),
		trump:      int(s.trump),
		led:        int(s.led),
		cards:      s.hands[seat],
		played:     [seats]cards.Set{s.played[seat], s.played[other]},
		count:      s.hands[other].Len(),
	}
	if s.playing != nobody {
		v.playing = int(s.playing) ^ seat
	}
	if v.turn == (v.led != cards.NoCard) {
		v.leads = 1
	}
	if s.taken != nobody {
		v.musik = s.musiks[s.taken]
	}
	if v.playing == 0 {
		v.returned = s.returned
	}
	gone := v.played[0] | v.played[1]
	v.possible = cards.All &^ (v.cards | gone | v.returned | s.denied[other])
	v.known = v.otherHolds() &^ gone
	return v
}

// otherHolds returns the cards that the other seat has shown and not returned since, played ones included.
func (v *view) otherHolds() (held cards.Set) {
	suits := v.declared[1]
	if v.playing != 1 || v.phase <= bombing {
		// Nothing was returned yet.
		suits |= v.shown[1]
		if v.playing == 1 {
			held = v.musik
		}
	}
	for ; suits != 0; suits &= suits - 1 {
		held |= cards.Meld(bits.TrailingZeros8(suits))
	}
	return held
}
