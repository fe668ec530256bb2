package banluck

import (
	"croupier/engine"
)

// State is a position. Seats and actions are bits of the masks.
type State struct {
	game    *Game
	dealt   uint64            // cards that have left the deck
	hands   [maxSeats]Hand    //
	results [maxPlayers]int16 // units won by the players that are settled
	player  int8              // seat to move, engine.Chance or engine.Terminal
	turn    int8              // seat that acts, or gets the next card
	legal   uint8             // actions at a decision
	playing uint8             // players that are not settled
	opened  uint8             // players whose hand is open
	length  uint8             // of events
	events  [maxSteps]event
}

// event is one step of the history: the seat that acted or got the card in the high
// byte, the action (with the bit isAction) or card in the low one.
type event uint16

const isAction = 0x80

func (e event) seat() int   { return int(e >> 8) }
func (e event) action() int { return int(e & 0x7f) } // or card

func (e event) isAction() bool { return e&isAction != 0 }

// The actions of each kind of decision.
const (
	drawing      = 1<<Stand | 1<<Hit
	revealing    = drawing | 1<<Reveal
	surrendering = 1<<Surrender | 1<<Continue
)

// Reset returns the state to the beginning of the game.
func (s *State) Reset() {
	*s = State{game: s.game, player: engine.Chance, playing: 1<<s.game.dealer - 1}
}

// Player returns the seat to move, Chance or Terminal.
func (s *State) Player() int { return int(s.player) }

// Dealer returns the dealer's seat.
func (s *State) Dealer() int { return int(s.game.dealer) }

// Hand returns the cards of a seat.
func (s *State) Hand(seat int) Hand { return s.hands[seat] }

// LegalActions appends the choices of a decision, see the package comment.
func (s *State) LegalActions(buf []int) []int {
	switch {
	case s.player < 0:
		return buf
	case s.legal == drawing:
		return append(buf, Stand, Hit)
	case s.legal == surrendering:
		return append(buf, Surrender, Continue)
	}
	return append(buf, Stand, Hit, Reveal)
}

// Outcomes appends the cards in the deck, all equally likely.
func (s *State) Outcomes(buf []engine.Outcome) []engine.Outcome {
	if s.player != engine.Chance {
		return buf
	}
	left := cards - s.cardsOut()
	for card := range cards {
		if s.dealt>>card&1 == 0 {
			buf = append(buf, engine.Outcome{Index: card, Probability: 1 / float64(left)})
		}
	}
	return buf
}

// cardsOut counts the cards that have left the deck.
func (s *State) cardsOut() (n int) {
	for _, hand := range s.hands {
		n += hand.Size()
	}
	return n
}

// SampleChance draws from all cards until one is in the deck.
func (s *State) SampleChance(rng *engine.RNG) int {
	for {
		if card := rng.IntN(cards); s.dealt>>card&1 == 0 {
			return card
		}
	}
}

// Apply deals a card or makes the choice of the seat to move.
func (s *State) Apply(step int) error {
	switch {
	case s.player == engine.Chance && uint(step) < cards && s.dealt>>step&1 == 0:
		s.deal(step)
	case s.player >= 0 && uint(step) < actions && s.legal>>step&1 == 1:
		s.act(step)
	default:
		return s.refuse(step)
	}
	return nil
}

// refuse says which rule forbids the step.
func (s *State) refuse(step int) error {
	reason := ""
	switch {
	case s.player == engine.Terminal:
		reason = "the hand is over"
	case s.player == engine.Chance && uint(step) < cards:
		reason = "the card has already been dealt"
	case s.player == engine.Chance:
		reason = "the cards are 0 to 51"
	case uint(step) >= actions:
		reason = "the actions are 0 (stand), 1 (hit), 2 (surrender), 3 (reveal) and 4 (continue)"
	case s.legal == surrendering:
		reason = "the dealer first says whether he surrenders his hard 15"
	case s.player != s.game.dealer:
		reason = "only the dealer may " + actionNames[step]
	default:
		reason = s.refuseDealer(step)
	}
	return &engine.IllegalError{Player: int(s.player), Action: step, Reason: reason}
}

// refuseDealer says which rule forbids a dealer with 16 or 17 to surrender, to reveal, or to continue
// without having been asked.
func (s *State) refuseDealer(step int) string {
	switch {
	case step == Surrender && !s.game.rules.Surrender:
		return "under these rules the dealer may not surrender"
	case step == Surrender:
		return "the dealer may surrender only a hard 15, before anybody plays"
	case step == Continue:
		return "there is no surrender to decline"
	case !s.game.rules.Reveal:
		return "under these rules the dealer may not reveal"
	}
	return "no player with three or more cards is left to be revealed"
}

func (s *State) record(what int) {
	s.events[s.length] = event(int(s.turn)<<8 | what)
	s.length++
}

// deal gives a card to the seat whose turn it is.
func (s *State) deal(card int) {
	s.record(card)
	s.dealt |= 1 << card
	s.hands[s.turn] = with[s.hands[s.turn]][valueOf[card]]
	switch {
	case s.length < s.game.deals:
		s.turn = int8(s.length / dealt)
	case s.length == s.game.deals:
		s.afterDeal()
	case s.turn == s.game.dealer:
		s.dealerTurn()
	default:
		s.playersTurn()
	}
}

// act makes a legal choice.
func (s *State) act(action int) {
	s.record(isAction | action)
	switch action {
	case Stand:
		if s.turn == s.game.dealer {
			s.finish()
			return
		}
		s.turn++
		s.playersTurn()
	case Hit:
		s.player = engine.Chance
	case Surrender:
		s.player = engine.Terminal
	case Continue:
		s.settleBonuses()
	case Reveal:
		s.reveal()
	}
}

// afterDeal asks a dealer with hard 15 whether he surrenders.
func (s *State) afterDeal() {
	s.opened = s.bonuses()
	if s.game.Surrenderable(s.hands[s.game.dealer]) {
		s.decide(surrendering)
		return
	}
	s.settleBonuses()
}

// bonuses returns the players with Ban Ban or Ban Luck.
func (s *State) bonuses() (mask uint8) {
	for seat, hand := range s.hands[:s.game.dealer] {
		if s.game.hands.worth[hand].Class >= BanLuck {
			mask |= 1 << seat
		}
	}
	return mask
}

// long returns the unsettled players with three or more cards.
func (s *State) long() (mask uint8) {
	for seat, hand := range s.hands[:s.game.dealer] {
		if shapes[hand].size > dealt {
			mask |= 1 << seat
		}
	}
	return mask & s.playing
}

// settleBonuses settles Ban Ban and Ban Luck; the dealer's settles everybody.
func (s *State) settleBonuses() {
	if s.game.hands.worth[s.hands[s.game.dealer]].Class >= BanLuck {
		s.finish()
		return
	}
	s.settle(s.opened)
	s.turn = 0
	s.playersTurn()
}

// playersTurn finds the next player with a choice, starting at the seat whose turn it is, or
// passes the turn to the dealer.
func (s *State) playersTurn() {
	for ; s.turn < s.game.dealer; s.turn++ {
		hand := s.hands[s.turn]
		if s.playing>>s.turn&1 == 1 && s.game.hands.worth[hand].Total < limit && shapes[hand].size < MaxCards {
			s.decide(drawing)
			return
		}
	}
	if s.allBust() {
		s.finish()
		return
	}
	s.dealerTurn()
}

// allBust reports whether no unsettled player has 21 or less.
func (s *State) allBust() bool {
	for seat, hand := range s.hands[:s.game.dealer] {
		if s.playing>>seat&1 == 1 && s.game.hands.worth[hand].Total <= limit {
			return false
		}
	}
	return true
}

// dealerTurn lets the dealer draw, choose or stand as his hand requires.
func (s *State) dealerTurn() {
	hand := s.hands[s.game.dealer]
	total := s.game.hands.worth[hand].Total
	switch {
	case total >= mustStand || shapes[hand].size == MaxCards:
		s.finish()
	case total <= forfeit:
		s.player = engine.Chance
	case s.game.rules.Reveal && s.long() != 0:
		s.decide(revealing)
	default:
		s.decide(drawing)
	}
}

// decide asks the seat whose turn it is.
func (s *State) decide(legal uint8) {
	s.player = s.turn
	s.legal = legal
}

// reveal opens and settles the players with three or more cards. The dealer chooses
// again if anybody is left.
func (s *State) reveal() {
	long := s.long()
	s.opened |= long
	s.settle(long)
	if s.playing == 0 {
		s.player = engine.Terminal
		return
	}
	s.dealerTurn()
}

// finish settles everybody who is left and ends the hand.
func (s *State) finish() {
	s.settle(s.playing)
	s.player = engine.Terminal
}

// settle settles players against the dealer's present hand.
func (s *State) settle(players uint8) {
	for seat := range s.game.dealer {
		if players>>seat&1 == 1 {
			s.results[seat] = int16(s.game.Settle(s.hands[seat], s.hands[s.game.dealer]))
		}
	}
	s.playing &^= players
}

// Returns writes what each seat has won, in units.
func (s *State) Returns(dst []float64) {
	n := s.game.dealer
	dst = dst[:n+1]
	clear(dst)
	if s.player != engine.Terminal {
		return
	}
	lost := 0
	for seat, result := range s.results[:n] {
		dst[seat] = float64(result)
		lost -= int(result)
	}
	dst[n] = float64(lost)
}

// Scores appends the units settled so far.
func (s *State) Scores(buf []int64) []int64 {
	lost := int64(0)
	for _, result := range s.results[:s.game.dealer] {
		buf = append(buf, int64(result))
		lost -= int64(result)
	}
	return append(buf, lost)
}

// CopyFrom makes the state equal to src.
func (s *State) CopyFrom(src engine.State) { *s = *src.(*State) }

// Clone returns an independent copy.
func (s *State) Clone() engine.State {
	c := *s
	return &c
}
