package tysiac

import (
	"strings"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// known is the present hand as one seat knows it: what all possible deals have in common.
type known struct {
	start   State // before the deal
	seat    int
	own     []int // cards dealt to the seat, in order
	playing int   // the declarer, or nobody
	taken   int   // the musik that was taken, or nobody
	shown   cards.Set
	played  cards.Set // by the other seat
	steps   []int     // as State.steps returns them; hiddenReturn for what the other seat returned
	fields  []string  // that gave the steps, for errors
}

const hiddenReturn = -1

func (d *known) add(step int, field string) {
	d.steps, d.fields = append(d.steps, step), append(d.fields, field)
}

// addAuction reads the auction and finds who plays.
func (d *known) addAuction(p *position) error {
	speaker, passed, last := 1-int(d.start.dealer), 0, nobody
	d.playing = nobody
	for i, name := range p.Auction {
		field := engine.Element("auction", i)
		if d.playing != nobody {
			return engine.FieldErrorf(field, "the auction was already over")
		}
		step, suit := 0, strings.TrimPrefix(name, "challenge ")
		for step < Challenge && d.start.ActionName(step) != name {
			step++
		}
		if step == Challenge {
			at := strings.Index("♠♣♦♥", suit)
			if suit == name || at < 0 || len(suit) != len("♠") {
				return engine.FieldErrorf(field, `%q is not like "pass", "bid 100", or "challenge ♣" with the suit that was shown`,
					name)
			}
			step = proven + at/len("♠")
		}
		d.add(step, field)
		switch {
		case step >= proven:
			continue // the same seat continues
		case step == Pass:
			passed++
			if last == nobody && passed == seats {
				last = 1 - int(d.start.dealer) // forehand plays
			}
			if last != nobody {
				d.playing = last
			}
		default:
			if last = speaker; passed > 0 {
				d.playing = speaker
			}
		}
		speaker = 1 - speaker
	}
	return nil
}

// addContract reads what the declarer did before the play.
func (d *known) addContract(p *position, returned cards.Set) error {
	later := p.PlayedOn || returned != 0 || p.Contract != 0 || len(p.Plays) > 0
	if p.Taken == 0 {
		if d.shown != 0 || later {
			return engine.FieldErrorf("taken", "is missing: the rest of the position comes after a musik was taken")
		}
		return nil
	}
	switch {
	case p.Taken < 1 || p.Taken > 2:
		return engine.FieldErrorf("taken", "%d is not 1 or 2", p.Taken)
	case d.playing == nobody:
		return engine.FieldErrorf("taken", "the auction is not over")
	case d.shown.Len() != musikSize:
		return engine.FieldErrorf("musik", "%d cards, but a musik has %d", d.shown.Len(), musikSize)
	case returned != 0 && d.playing != d.seat:
		return engine.FieldErrorf("returned", "the other seat returns cards, which this one does not see")
	}
	d.taken = int(p.Taken) - 1
	d.add(TakeMusik+d.taken, "taken")
	later = returned != 0 || p.Contract != 0
	if bombs := d.start.game.rules.Bombing.Enabled && d.start.bombs[d.playing] > 0; bombs && (p.PlayedOn || later) {
		d.add(PlayOn, "no_bomb")
	} else if p.PlayedOn {
		return engine.FieldErrorf("no_bomb", "the seat that plays has no bomb to decline")
	}
	if p.Contract != 0 && d.playing != d.seat {
		d.add(hiddenReturn, "contract")
		d.add(hiddenReturn, "contract")
	}
	for _, card := range list(returned) {
		d.add(Return+card, "returned")
	}
	switch {
	case p.Contract == 0 && len(p.Plays) > 0:
		return engine.FieldErrorf("contract", "is missing: cards were played")
	case p.Contract == 0:
		return nil
	case p.Contract < lowestBid || p.Contract%bidStep != 0 || p.Contract > d.start.game.rules.Contract.Max:
		return engine.FieldErrorf("contract", "%d is not a multiple of %d in %d..%d",
			p.Contract, bidStep, lowestBid, d.start.game.rules.Contract.Max)
	}
	d.add(Announce+(p.Contract-lowestBid)/bidStep, "contract")
	return nil
}

// addPlays reads the tricks and returns what each seat played.
func (d *known) addPlays(p *position, used *cards.Set) (plays [seats]cards.Set, err error) {
	player, led, trump := d.playing, cards.NoCard, cards.NoTrump
	for i, name := range p.Plays {
		plain, declares := strings.CutSuffix(name, declaredMark)
		field := engine.Element("plays", i)
		card := cards.NoCard
		if set := parseSet("plays", []string{plain}, used, &err); err == nil {
			card = set.First()
		} else {
			return plays, engine.FieldErrorf(field, "%s", strings.TrimPrefix(err.Error(), "plays[0]: "))
		}
		step := Play + card
		if rank := card % cards.Ranks; declares {
			if rank != cards.Queen && rank != cards.King {
				return plays, engine.FieldErrorf(field, "only K and Q can be declared")
			}
			trump = cards.Suit(card)
			step = Declare + 2*trump + cards.King - rank
		}
		d.add(step, field)
		plays[player] |= cards.Of(card)
		if led == cards.NoCard {
			led, player = card, 1-player
			continue
		}
		if !cards.Takes(led, card, trump) {
			player = 1 - player
		}
		led = cards.NoCard
	}
	return plays, nil
}

// maxDeals keeps the search for a deal of a written position to tenths of a second.
const maxDeals = 30_000

// first sets s to the state of any deal that fits.
func (d *known) first(s *State, rng *engine.RNG) error {
	all := d.unknown()
	needed := d.played
	if d.otherPlays() {
		needed &^= d.shown
	}
	furthest := 0
	for range maxDeals {
		if needed.Len() > handCards || needed&^all != 0 {
			break
		}
		dealt := needed | sample(all&^needed, handCards-needed.Len(), rng)
		var returned cards.Set
		if d.otherPlays() && d.returns() {
			returned = sample((dealt|d.shown)&^d.played, musikSize, rng)
		}
		made := d.replay(s, dealt, returned, rng)
		if made == len(d.steps) {
			return nil
		}
		furthest = max(furthest, made)
	}
	if len(d.steps) == 0 {
		return engine.FieldErrorf("hand", "there are not enough other cards")
	}
	return engine.FieldErrorf(d.fields[furthest], "this could not happen with any cards that fit the rest")
}

// unknown returns the cards that were dealt to the other seat or to a musik that is not shown.
func (d *known) unknown() cards.Set {
	set := cards.All &^ d.shown
	for _, card := range d.own {
		set &^= cards.Of(card)
	}
	return set
}

func (d *known) otherPlays() bool { return d.playing == 1-d.seat && d.taken != nobody }

// returns reports whether the other seat has returned cards.
func (d *known) returns() bool {
	for _, step := range d.steps {
		if step == hiddenReturn {
			return true
		}
	}
	return false
}

// replay deals the cards, with those of the other seat given, and repeats the steps. It returns
// how many of them were possible.
func (d *known) replay(s *State, dealt, returned cards.Set, rng *engine.RNG) (made int) {
	*s = d.start
	var hands [seats][]int
	hands[d.seat], hands[1-d.seat] = d.own, list(dealt)
	for _, hand := range hands {
		for _, card := range hand {
			s.deal(card) // is in the deck
		}
	}
	rest := d.unknown() &^ dealt
	for musik := range 2 {
		set := d.shown
		if musik != d.taken {
			set = sample(rest, musikSize, rng)
			rest &^= set
		}
		for ; set != 0; set &= set - 1 {
			s.deal(set.First())
		}
	}
	for i, step := range d.steps {
		want := step
		switch {
		case step == hiddenReturn:
			step = Return + returned.First()
			returned &= returned - 1
		case step >= proven:
			step = Challenge
		}
		if s.Apply(step) != nil || s.hand != d.start.hand {
			return i
		}
		if want >= proven && int(s.log[s.length-1]) != want+1 {
			return i // another meld would have been shown
		}
	}
	return len(d.steps)
}

// Redeal implements engine.Redealer.
func (s *State) Redeal(seat int, rng *engine.RNG) {
	d, v := s.known(seat), s.view(seat)
	shown := cards.Set(0)
	if d.otherPlays() {
		shown = d.shown
	}
	var next State
	for {
		hand := v.otherHand(rng)
		dealt, returned := (hand|d.played)&^shown, cards.Set(0)
		if d.returns() {
			// Two of the four cards not seen anywhere are the musik, which holds none that was shown.
			hidden := (d.unknown() | shown) &^ (hand | d.played)
			returned = sample(hidden, musikSize, rng)
			if hidden&^returned&shown != 0 {
				continue
			}
			dealt |= returned &^ shown
		}
		if dealt.Len() == handCards && d.replay(&next, dealt, returned, rng) == len(d.steps) {
			*s = next
			return
		}
	}
}

// known returns the hand as the seat knows it.
func (s *State) known(seat int) *known {
	d := &known{
		start: s.beforeDeal(), seat: seat,
		playing: int(s.playing), taken: int(s.taken), played: s.played[1-seat], steps: s.steps(),
	}
	if s.taken != nobody {
		d.shown = s.musiks[s.taken]
	}
	for _, card := range s.log[seat*handCards : (seat+1)*handCards] {
		d.own = append(d.own, int(card)-1)
	}
	if d.otherPlays() {
		for i, step := range d.steps {
			if step >= Return && step < Announce {
				d.steps[i] = hiddenReturn
			}
		}
	}
	return d
}

// beforeDeal returns the state before the deal of the present hand.
func (s *State) beforeDeal() State {
	start := State{game: s.game, past: s.past, scores: s.scores, bombs: s.bombs, hand: s.hand, dealer: s.dealer,
		last: s.last}
	start.shuffle()
	return start
}

// Retrace implements engine.Retracer.
func (s *State) Retrace(visit func(before engine.State, action int)) {
	if s.length < cards.Count || s.phase == over {
		return
	}
	before := s.beforeDeal()
	for _, card := range s.log[:cards.Count] {
		before.deal(int(card) - 1) // is in the deck
	}
	for _, step := range s.steps() {
		if step >= proven {
			step = Challenge
		}
		visit(&before, step)
		before.Apply(step) // was legal
	}
}
