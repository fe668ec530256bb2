// Package doubledummy solves the play of a Tysiąc hand with open cards: how many card and meld
// points the leading side will still get, less those of the other side, when each plays the
// difference to its best advantage.
//
// The search is alpha-beta over tricks with a transposition table (the future depends on the
// cards left, the trump and whose lead it is, not on the past), heuristic move ordering, and
// quasi-equivalent cards: two cards of one hand with none of the other hand between them take
// the same tricks, so the values of playing them differ by at most twice their difference in
// points (Kupferschmid and Helmert, "A Skat Player Based on Monte-Carlo Simulation", Computers
// and Games 2006).
//
// A [Solver] belongs to one goroutine. Its table serves any number of positions under any
// rules; earlier searches affect only the number of nodes.
package doubledummy

import (
	"fmt"

	"croupier/games/tysiac/cards"
)

// Position is a hand in play. The leader leads the trick, or has led to it.
type Position struct {
	Leader   cards.Set // in hand, without the led card
	Follower cards.Set // as many cards, one more when a card is led
	Led      int       // cards.NoCard when the leader is to move
	Trump    int       // cards.NoTrump at first
	Rules    cards.Rules
}

// Move is a card to play.
type Move struct {
	Card    int
	Declare bool // declares the meld of king and queen that Card is part of
}

// Valued is a move with its value: the points that the leader of the trick will still get less
// those of the follower, whichever seat makes the move. A meld declared with the move counts among
// them.
type Valued struct {
	Move
	Value int
}

// Validate reports what is wrong with the position.
func (p *Position) Validate() error {
	led := 0
	if p.Led != cards.NoCard {
		led = 1
	}
	switch {
	case p.Leader&p.Follower != 0:
		return fmt.Errorf("both hands have %v", p.Leader&p.Follower)
	case (p.Leader|p.Follower)&^cards.All != 0:
		return fmt.Errorf("the hands have cards that are not in the deck")
	case p.Led < 0 || p.Led > cards.NoCard || p.Trump < 0 || p.Trump > cards.NoTrump:
		return fmt.Errorf("led card %d or trump %d is out of range", p.Led, p.Trump)
	case led == 1 && (p.Leader | p.Follower).Has(p.Led):
		return fmt.Errorf("the led card %s is still in a hand", cards.Name(p.Led))
	case p.Follower.Len()-p.Leader.Len() != led:
		return fmt.Errorf("the leader has %d cards, the follower %d", p.Leader.Len(), p.Follower.Len())
	case p.Leader.Len()+led > maxTricks:
		return fmt.Errorf("%d tricks to play, at most %d", p.Leader.Len()+led, maxTricks)
	}
	return nil
}

const (
	maxTricks = 10
	// infinity is beyond every difference: 120 card points and 280 of melds.
	infinity = 1000
	// tableBits is the size of the table: 2^17 entries of 16 bytes.
	tableBits = 17
)

// entry is what is known about a position in which the leader is to move.
type entry struct {
	key          uint64
	lower, upper int16 // of the value
	best         uint8 // move to try first, or noMove
}

// Solver solves positions.
type Solver struct {
	table []entry
	rules cards.Rules
	mode  uint64 // the rules as bits of a key
	// Nodes counts the positions searched since it was last set to zero.
	Nodes uint64
}

// New returns a Solver.
func New() *Solver { return &Solver{table: make([]entry, 1<<tableBits)} }

// Reset forgets all positions, so that the number of nodes is reproducible.
func (s *Solver) Reset() {
	clear(s.table)
	s.Nodes = 0
}

// use sets the rules for the following searches.
func (s *Solver) use(r cards.Rules) {
	s.rules = r
	s.mode = 1 << 63 // no key is 0
	for i, set := range []bool{r.MustOvertake, r.MustOvertrump, r.FollowerMelds} {
		if set {
			s.mode |= 1 << (60 + i)
		}
	}
}

// Value returns, for a valid position, the points that the leader will still get less those of
// the follower.
func (s *Solver) Value(p *Position) int {
	s.use(p.Rules)
	return converge(0, func(alpha, beta int) int {
		if p.Led != cards.NoCard {
			return s.reply(p.Leader, p.Follower, p.Led, p.Trump, alpha, beta)
		}
		return s.lead(p.Leader, p.Follower, p.Trump, alpha, beta)
	})
}

// Moves appends the legal moves of a valid position with their values, cards ascending,
// then declarations by suit, king before queen.
func (s *Solver) Moves(p *Position, buf []Valued) []Valued {
	s.use(p.Rules)
	first := len(buf)
	buf = s.legal(p, buf)
	guess := 0
	for i := range buf[first:] {
		m := &buf[first+i]
		m.Value = converge(guess, func(alpha, beta int) int {
			if p.Led != cards.NoCard {
				return s.afterReply(p.Leader, p.Follower, p.Led, m.Move, p.Trump, alpha, beta)
			}
			return s.afterLead(p.Leader, p.Follower, m.Move, p.Trump, alpha, beta)
		})
		guess = m.Value
	}
	return buf
}

// converge finds a value by searches that only ask whether it is above a guess, as MTD(f)
// does (Plaat et al., "Best-first fixed-depth minimax algorithms", 1996), but
// with growing steps until the value is between two bounds, and then by bisection.
func converge(guess int, search func(alpha, beta int) int) int {
	lower, upper := -infinity, infinity
	for step := 2; lower < upper; step *= 2 {
		beta := max(guess, lower+1)
		if v := search(beta-1, beta); v < beta {
			upper, guess = v, v-step
		} else {
			lower, guess = v, v+step
		}
		if lower > -infinity && upper < infinity {
			guess = (lower + upper + 1) / 2
		}
	}
	return lower
}

func (s *Solver) legal(p *Position, buf []Valued) []Valued {
	hand, set := p.Leader, p.Leader
	if p.Led != cards.NoCard {
		hand, set = p.Follower, p.Rules.Replies(p.Follower, p.Led, p.Trump)
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		buf = append(buf, Valued{Move: Move{Card: rest.First()}})
	}
	if p.Led != cards.NoCard && !p.Rules.FollowerMelds {
		return buf
	}
	for suit := range cards.Suits {
		for card := suit*cards.Ranks + cards.King; card >= suit*cards.Ranks+cards.Queen; card-- {
			if hand.Melds()>>suit&1 != 0 && set.Has(card) {
				buf = append(buf, Valued{Move: Move{Card: card, Declare: true}})
			}
		}
	}
	return buf
}
