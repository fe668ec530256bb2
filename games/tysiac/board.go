package tysiac

import (
	"math/bits"
	"strconv"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// View is what an eye sees of a position, for boards. Seats are indices, cards are named as
// package cards does ("10♥"), suits by their signs. Lists are empty, not null, where there is
// nothing; a field that may be left out says so.
type View struct {
	// Eye is the seat that looks, engine.Public or engine.Everything.
	Eye int `json:"eye"`
	// Phase is "deal", "auction", "musik", "bomb", "return", "contract", "play" or "over".
	Phase string `json:"phase"`
	// Mover is the seat to move, engine.Chance or engine.Terminal.
	Mover int `json:"mover"`
	// Hand is the number of this hand, from 1; after the end that of the last one.
	Hand     int `json:"hand"`
	MaxHands int `json:"max_hands"`
	Dealer   int `json:"dealer"`
	// Target is the score that wins. Lock is the score from which on only own contracts count;
	// left out where the rules have none.
	Target int  `json:"target"`
	Lock   *int `json:"lock,omitempty"`

	Seats     [seats]SeatView `json:"seats"`
	Auction   AuctionView     `json:"auction"`
	Musiks    [2]MusikView    `json:"musiks"`
	Bomb      *BombView       `json:"bomb,omitempty"`  // while the declarer may bomb
	Playing   int             `json:"playing"`         // the declarer, or -1
	Contracts []Rung          `json:"contracts"`       // what can be announced, in that phase
	Contract  int             `json:"contract"`        // 0: not announced
	Trump     string          `json:"trump"`           // suit, or ""
	Trick     []PlayedCard    `json:"trick"`           // on the table: none or the led card
	Tricks    []TrickView     `json:"tricks"`          // of this hand, oldest first
	Ended     *HandView       `json:"ended,omitempty"` // the newest hand that has ended
}

// SeatView is what an eye sees of a seat.
type SeatView struct {
	Score  int `json:"score"`  // of the game
	Bombs  int `json:"bombs"`  // left
	Points int `json:"points"` // in this hand: tricks won and melds declared
	// Cards is the number of cards in hand, Held are those that the eye sees: all or none of them.
	Cards int        `json:"cards"`
	Held  []HeldCard `json:"hand"`
	// Provable is the highest bid that a challenge could not defeat, with the cards of a hand that
	// the eye sees; left out when there is no auction.
	Provable int      `json:"provable,omitempty"`
	Shown    []string `json:"shown"`    // suits of melds shown as a proof
	Declared []string `json:"declared"` // suits of melds declared
	// Returns is the number of cards returned, Returned are those that the eye sees.
	Returns  int      `json:"returns"`
	Returned []string `json:"returned"`
}

// HeldCard is a card in a hand, with the actions that it means in this phase, legal or not.
type HeldCard struct {
	Card string `json:"card"`
	// Action plays or returns the card; left out in other phases.
	Action int `json:"action,omitempty"`
	// Declare plays it and declares the meld; left out where the hand does not hold the meld.
	Declare int `json:"declare,omitempty"`
}

// AuctionView is the auction of this hand.
type AuctionView struct {
	Calls  []Call `json:"calls"` // from forehand on
	Bid    int    `json:"bid"`   // the standing bid, 0: none
	Bidder int    `json:"bidder"`
	// Rungs are all bids that the rules know, lowest first.
	Rungs []Rung `json:"rungs"`
	// Threshold is the highest bid that needs no proof.
	Threshold int `json:"threshold"`
	Challenge int `json:"challenge"` // the action
	Pass      int `json:"pass"`      // the action
}

// Rung is a bid or a contract and the action that makes it.
type Rung struct {
	Points int `json:"points"`
	Action int `json:"action"`
}

// Call is what a seat has said in the auction.
type Call struct {
	Seat int    `json:"seat"`
	Kind string `json:"kind"` // "bid", "pass" or "challenge"
	// Points are those that are bid or challenged; 0 with a pass.
	Points int `json:"points"`
	// Proof is the suit of the meld that was shown to a challenge.
	Proof string `json:"proof,omitempty"`
}

// MusikView is one of the two musiks.
type MusikView struct {
	Cards  []string `json:"cards"` // those that the eye sees
	Taken  bool     `json:"taken"`
	Action int      `json:"action"` // takes it
}

// BombView holds the actions of the decision about a bomb.
type BombView struct {
	Bomb   int `json:"bomb"`
	PlayOn int `json:"play_on"`
}

// PlayedCard is a card on the table.
type PlayedCard struct {
	Seat int    `json:"seat"`
	Card string `json:"card"`
	// Declared is what a meld scored that was declared with it, or 0.
	Declared int `json:"declared"`
}

// TrickView is a finished trick.
type TrickView struct {
	Cards  [seats]PlayedCard `json:"cards"` // the led card first
	Winner int               `json:"winner"`
	Points int               `json:"points"` // of the cards
	Trump  string            `json:"trump"`  // that decided it
}

// HandView is how a hand has ended.
type HandView struct {
	Hand int `json:"hand"` // its number, from 1
	// End is "played", "bombed", "passed" (by both) or "unproved".
	End string `json:"end"`
	// Player played, bombed or could not prove his bid; -1 where both passed.
	Player int `json:"player"`
	// Contract is the contract, or the bid that was not proved; 0 otherwise.
	Contract int `json:"contract"`
	// Points are those of tricks and melds by seat, Change what was added to the scores.
	Points [seats]int `json:"points"`
	Change [seats]int `json:"change"`
}

// ending is how a hand ended.
type ending uint8

const (
	noHand ending = iota
	wasPlayed
	wasBombed
	wasPassed
	wasUnproved
	endings
)

func (e ending) String() string {
	return [endings]string{"", "played", "bombed", "passed", "unproved"}[e]
}

// result is the newest hand that has ended.
type result struct {
	end      ending
	player   int8
	contract int16
	points   [seats]int16
	change   [seats]int16
}

// View implements engine.Viewed; it returns a View.
func (g *Game) View(state engine.State, eye int) any {
	s := state.(*State)
	v := View{
		Eye: eye, Phase: phaseNames[s.phase], Mover: int(s.player), Hand: int(s.hand) + 1,
		MaxHands: g.rules.Game.MaxHands, Dealer: int(s.dealer), Target: g.rules.Game.TargetScore,
		Auction: s.auctionView(), Playing: int(s.playing), Contracts: []Rung{}, Contract: int(s.contract),
		Trick: []PlayedCard{},
	}
	if g.rules.Game.EnableLock {
		v.Lock = &g.rules.Game.LockScore
	}
	for seat := range seats {
		v.Seats[seat] = s.seatView(seat, eye == seat || eye == engine.Everything)
		v.Musiks[seat] = s.musikView(seat, eye)
	}
	if s.trump != cards.NoTrump {
		v.Trump = cards.SuitName(int(s.trump))
	}
	v.Tricks, v.Trick = s.trickViews()
	switch s.phase {
	case bombing:
		v.Bomb = &BombView{Bomb, PlayOn}
	case announcing:
		for _, action := range s.LegalActions(nil) {
			v.Contracts = append(v.Contracts, Rung{lowestBid + bidStep*(action-Announce), action})
		}
	case over:
		v.Hand = int(s.hand)
	}
	if r := &s.last; r.end != noHand {
		v.Ended = &HandView{
			Hand: int(s.hand), End: r.end.String(), Player: int(r.player), Contract: int(r.contract),
			Points: [seats]int{int(r.points[0]), int(r.points[1])}, Change: [seats]int{int(r.change[0]), int(r.change[1])},
		}
	}
	return v
}

// phaseNames are the phases in one word.
var phaseNames = [phases]string{"deal", "auction", "musik", "bomb", "return", "contract", "play", "over"}

// seatView returns what is seen of a seat, with its cards if they are open.
func (s *State) seatView(seat int, open bool) SeatView {
	v := SeatView{
		Score: int(s.scores[seat]), Bombs: int(s.bombs[seat]), Points: int(s.points[seat]),
		Cards: s.hands[seat].Len(), Held: []HeldCard{}, Returned: []string{},
		Shown: suitNames(s.shown[seat]), Declared: suitNames(s.declared[seat]),
	}
	if int(s.playing) == seat {
		v.Returns = s.returned.Len()
	}
	if !open {
		return v
	}
	hand := s.hands[seat]
	for _, card := range list(hand) {
		v.Held = append(v.Held, s.heldCard(seat, card))
	}
	if v.Returns > 0 {
		v.Returned = names(s.returned)
	}
	if s.phase == auction {
		v.Provable = s.provable(seat)
	}
	return v
}

func (s *State) heldCard(seat, card int) HeldCard {
	held := HeldCard{Card: cards.Name(card)}
	switch s.phase {
	case returning:
		if int(s.playing) == seat {
			held.Action = Return + card
		}
	case playing:
		held.Action = Play + card
		if suit := cards.Suit(card); s.hands[seat].Melds()>>suit&1 != 0 && cards.Meld(suit).Has(card) {
			held.Declare = declaration(card)
		}
	}
	return held
}

// declaration returns the action that plays a king or queen and declares its meld.
func declaration(card int) int { return Declare + 2*cards.Suit(card) + cards.King - card%cards.Ranks }

// provable returns the highest bid that the seat could prove, or that needs no proof.
func (s *State) provable(seat int) int {
	b := &s.game.rules.Bidding
	meld := 0
	for suit := range cards.Suits {
		if s.hands[seat].Melds()>>suit&1 != 0 {
			meld = cards.MeldValue(suit)
		}
	}
	return min(b.MaxBid, max(lowestBid+meld, b.ProofThreshold/bidStep*bidStep))
}

// suitNames returns the signs of the suits in a mask.
func suitNames(suits uint8) []string {
	signs := []string{}
	for ; suits != 0; suits &= suits - 1 {
		signs = append(signs, cards.SuitName(bits.TrailingZeros8(suits)))
	}
	return signs
}

// musikView returns what an eye sees of a musik: both see the one that is taken.
func (s *State) musikView(musik, eye int) MusikView {
	v := MusikView{Cards: []string{}, Taken: int(s.taken) == musik, Action: TakeMusik + musik}
	if v.Taken || eye == engine.Everything {
		v.Cards = append(v.Cards, names(s.musiks[musik])...)
	}
	return v
}

// auctionView returns the auction so far.
func (s *State) auctionView() AuctionView {
	b := &s.game.rules.Bidding
	v := AuctionView{
		Calls: []Call{}, Bid: s.standing(), Bidder: nobody, Threshold: b.ProofThreshold, Challenge: Challenge, Pass: Pass,
	}
	for bid := b.StartBid; bid <= b.MaxBid; bid += b.Increment {
		v.Rungs = append(v.Rungs, Rung{bid, bidAction(bid)})
	}
	seat, bid := 1-int(s.dealer), 0
	for _, step := range s.steps() {
		switch {
		case step >= TakeMusik && step < proven:
			return v
		case step >= proven:
			v.Calls = append(v.Calls, Call{seat, "challenge", bid, cards.SuitName(step - proven)})
			continue // the same seat continues
		case step == Challenge:
			v.Calls = append(v.Calls, Call{seat, "challenge", bid, ""})
		case step == Pass:
			v.Calls = append(v.Calls, Call{seat, "pass", 0, ""})
		default:
			bid = lowestBid + bidStep*(step-FirstBid)
			v.Calls, v.Bidder = append(v.Calls, Call{seat, "bid", bid, ""}), seat
		}
		seat = 1 - seat
	}
	return v
}

// trickViews returns the finished tricks of the hand and what lies on the table.
func (s *State) trickViews() (finished []TrickView, table []PlayedCard) {
	finished, table = []TrickView{}, []PlayedCard{}
	seat, trump := int(s.playing), cards.NoTrump
	for _, step := range s.steps() {
		if step < Play || step >= proven {
			continue
		}
		card, declares := cardOf(step)
		played := PlayedCard{Seat: seat, Card: cards.Name(card)}
		if declares {
			trump = cards.Suit(card)
			played.Declared = cards.MeldValue(trump)
		}
		table = append(table, played)
		seat = 1 - seat
		if len(table) < seats {
			continue
		}
		led := cardNumbers[table[0].Card]
		trick := TrickView{Cards: [seats]PlayedCard(table), Winner: seat, Points: cards.Points(led) + cards.Points(card)}
		if cards.Takes(led, card, trump) {
			trick.Winner = 1 - seat
		}
		if trump != cards.NoTrump {
			trick.Trump = cards.SuitName(trump)
		}
		finished, table, seat = append(finished, trick), []PlayedCard{}, trick.Winner
	}
	return finished, table
}

// Part implements engine.Parted.
func (v View) Part() string { return "hand " + strconv.Itoa(v.Hand) }

// Stage implements engine.Staged.
func (v View) Stage() string { return v.Phase }
