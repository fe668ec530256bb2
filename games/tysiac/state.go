package tysiac

import (
	"bytes"
	"math/bits"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// phase is what the next step is about.
type phase uint8

const (
	dealing phase = iota
	auction
	takingMusik
	bombing
	returning
	announcing
	playing
	over
	phases
)

// nobody stands for no seat, and for no musik taken.
const nobody = -1

// logSize is enough for a hand's steps and the two cards of the musik that is shown.
const logSize = maxHandSteps + musikSize

// State is a position. Seats are indices, suits and bids are bits of the masks.
type State struct {
	game   *Game
	past   [seats]digest // what each seat has seen of earlier hands
	scores [seats]int32  // game scores
	bombs  [seats]uint8  // bombs left
	hand   int32         // finished hands
	phase  phase
	player int8 // seat to move, engine.Chance or engine.Terminal
	dealer int8
	last   result // how the hand before this one ended; after the end, the last one

	// The rest is about the present hand.

	playing    int8             // the declarer, or nobody
	taken      int8             // the musik that was taken, or nobody
	bid        int8             // action of the standing bid; 0: none
	passed     uint8            // seats that have passed
	shown      [seats]uint8     // suits of the melds shown as a proof
	made       [seats]uint32    // bids made, by action
	challenged uint32           // bids challenged, by action
	contract   int16            // 0: not announced
	points     [seats]int16     // of tricks won and melds declared
	hands      [seats]cards.Set // in hand
	musiks     [2]cards.Set     // as dealt
	returned   cards.Set        // by the declarer
	played     [seats]cards.Set // to tricks
	denied     [seats]cards.Set // cards that its replies have shown a seat not to hold
	declared   [seats]uint8     // suits of the melds declared
	led        int8             // card to be replied to, or cards.NoCard
	trump      int8             // suit, or cards.NoTrump
	returnAt   uint8            // index in log of the first returned card
	length     uint8            // of log
	log        [logSize]uint8   // what happened, see record; the undealt cards at first
}

// freshDeck is the log before the deal: each card + 1.
var freshDeck = func() (log [cards.Count]uint8) {
	for card := range log {
		log[card] = uint8(card + 1)
	}
	return log
}()

// Reset returns the state to the beginning of the game.
func (s *State) Reset() {
	g := s.game
	*s = State{game: g}
	s.bombs = [seats]uint8{uint8(g.rules.Bombing.BombsPerPlayer), uint8(g.rules.Bombing.BombsPerPlayer)}
	if g.hand != nil {
		s.dealer = int8(g.hand.Dealer)
		for seat := range seats {
			s.scores[seat] = int32(g.hand.Scores[seat])
			s.bombs[seat] = uint8(g.hand.BombsLeft[seat])
		}
	}
	s.shuffle()
}

// shuffle begins a hand: it sets up the fields that are not zero then.
func (s *State) shuffle() {
	s.phase, s.player = dealing, engine.Chance
	s.playing, s.taken = nobody, nobody
	s.led, s.trump = cards.NoCard, cards.NoTrump
	copy(s.log[:], freshDeck[:])
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// LegalActions appends the legal actions.
func (s *State) LegalActions(buf []int) []int {
	first, set := s.legal()
	for ; set != 0; set &= set - 1 {
		buf = append(buf, first+bits.TrailingZeros32(set))
	}
	return buf
}

// Outcomes appends the undealt cards, all equally likely.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.phase != dealing {
		return buf
	}
	left := cards.All &^ (s.hands[0] | s.hands[1] | s.musiks[0] | s.musiks[1])
	probability := 1 / float64(left.Len())
	for ; left != 0; left &= left - 1 {
		buf = append(buf, engine.Outcome{Index: left.First(), Probability: probability})
	}
	return buf
}

// SampleChance draws one of the undealt cards by its place in the log.
func (s *State) SampleChance(rng *engine.RNG) int {
	n := int(s.length)
	return int(s.log[n+rng.IntN(cards.Count-n)]) - 1
}

// Apply makes the step.
func (s *State) Apply(step int) error {
	if s.phase == dealing {
		return s.deal(step)
	}
	first, set := s.legal()
	index := step - first
	if uint(index) >= 32 || set>>index&1 == 0 {
		return s.refuse(step)
	}
	switch s.phase {
	case auction:
		s.speak(step)
	case takingMusik:
		s.take(index)
	case bombing:
		s.record(step)
		if s.phase = returning; step == Bomb {
			s.bombs[s.player]--
			s.endHand(result{end: wasBombed, player: s.player})
		}
	case returning:
		s.giveBack(index)
	case announcing:
		s.record(step)
		s.contract = int16(lowestBid + bidStep*index)
		s.phase = playing
	case playing:
		s.play(index)
	}
	return nil
}

// record appends a step to the log, as step + 1: 0 stands for what a seat cannot see. The log
// differs from the history in two ways: a successful proof is proven + the suit of the meld
// instead of Challenge, and the cards of the taken musik follow TakeMusik, ascending.
func (s *State) record(step int) {
	s.log[s.length] = uint8(step + 1)
	s.length++
}

// proven + suit is what is recorded and seen of an answered challenge.
const proven = Actions

// deal gives the card to the next place. The log from length on holds the undealt cards; a swap
// puts the dealt card first among them.
func (s *State) deal(card int) error {
	at := -1
	if uint(card) < cards.Count {
		at = bytes.IndexByte(s.log[s.length:cards.Count], uint8(card+1))
	}
	if at < 0 {
		return s.refuse(card)
	}
	n := s.length
	at += int(n)
	s.log[n], s.log[at] = s.log[at], s.log[n]
	s.length = n + 1
	switch {
	case n < handCards:
		s.hands[0] |= cards.Of(card)
	case n < 2*handCards:
		s.hands[1] |= cards.Of(card)
	case n < 2*handCards+musikSize:
		s.musiks[0] |= cards.Of(card)
	default:
		s.musiks[1] |= cards.Of(card)
		if n == cards.Count-1 {
			s.phase, s.player = auction, 1-s.dealer
		}
	}
	return nil
}

// endHand ends the game, or begins the next hand. The deal moves on, but not after a bomb.
func (s *State) endHand(r result) {
	dealer := 1 - s.dealer
	if r.end == wasBombed {
		dealer = s.dealer
	}
	for seat, change := range r.change {
		s.scores[seat] += int32(change)
	}
	s.last = r
	s.hand++
	rules := &s.game.rules.Game
	if s.game.hand != nil || max(s.scores[0], s.scores[1]) >= int32(rules.TargetScore) || int(s.hand) == rules.MaxHands {
		s.phase, s.player = over, engine.Terminal
		return
	}
	next := State{game: s.game, scores: s.scores, bombs: s.bombs, hand: s.hand, dealer: dealer, last: r}
	for seat := range seats {
		next.past[seat] = s.past[seat].extend(s, seat)
	}
	next.shuffle()
	*s = next
}

// Returns writes +1 for the winner and -1 for the other, zeros for a draw; in tysiac-hand the
// own change of score less the other's, in points.
func (s *State) Returns(dst []float64) {
	dst[0], dst[1] = 0, 0
	if s.phase != over {
		return
	}
	first, second := int(s.scores[0]), int(s.scores[1])
	if h := s.game.hand; h != nil {
		first, second = first-h.Scores[0], second-h.Scores[1]
		dst[0], dst[1] = float64(first-second), float64(second-first)
		return
	}
	switch {
	case first == second && first < s.game.rules.Game.TargetScore: // after the last hand
	case first > second, first == second && s.playing == 0:
		dst[0], dst[1] = 1, -1
	default:
		dst[0], dst[1] = -1, 1
	}
}

// Scores appends the game scores; in tysiac-hand their changes.
func (s *State) Scores(buf []int64) []int64 {
	for seat, score := range s.scores {
		if h := s.game.hand; h != nil {
			score -= int32(h.Scores[seat])
		}
		buf = append(buf, int64(score))
	}
	return buf
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}
