package solve

import (
	"errors"
	"slices"
	"sync"

	"croupier/engine"
	"croupier/games/banluck"
)

// HeadsUp is the game of one player against the dealer, in a sequence form of hands.
//
// Neither side sees the other's cards, suits never matter, and all orders of the same cards are
// equally likely. So a seat's information is the multiset of its cards (for the dealer also the
// number of the player's cards), and paths to the same hand are merged. A plan of a seat is a
// flow through its hands: the sum, over the orders of the cards, of the probability that the
// seat's own choices lead to the hand. The expected result is bilinear in the two flows,
//
//	Σ over hands h, d that meet: ends(h) · stops(|h|, d) · odds(h, d) · result(h, d),
//
// plus what the deal and the player's busts settle, where the dealer's only influence is
// whether he surrenders.
//
// Against one player reveal and stand settle the same hands at the same totals, so here they
// are one action: stop.
//
// A HeadsUp is immutable, and goroutines may share it.
type HeadsUp struct {
	game *banluck.Game
	deck deck
	odds *odds

	players, dealers []banluck.Hand // that take part in the play, ascending
	player, dealer   [hands]role
	row, column      [hands]int32 // of the matrix

	rows    [sizes][]banluck.Hand // the player's hands that can meet a dealer's, by cards
	columns []banluck.Hand        // the dealer's hands that he can stop with

	pairs         []banluck.Hand // two cards as dealt
	surrenderable []banluck.Hand // pairs of the dealer, also below
	// bonuses is, by surrenderable hand, what the player's Ban Ban and Ban Luck win against it,
	// times the odds of all orders; before is the same for everything that the deal settles
	// against the dealer's other hands.
	bonuses []float64
	before  float64
	alone   func() *Crowd // the game with one player as a Crowd, built on first use
	matrix  func() matrix // built on first use
}

// matrix is what hands that meet are worth.
type matrix struct {
	// payoff is, by row and column, odds times result of the player.
	payoff [][]float64
	// meetings is, by hand of the player, the odds of meeting any of the pairs with which the
	// dealer plays on: [0] those that cannot be surrendered, [1+i] surrenderable hand i.
	meetings *[hands][]float64
}

// role is what happens at a hand of a seat.
type role uint8

const (
	never  role = iota // the hand takes no part in the play
	draws              // the dealer must take a card
	choice             // the seat may take a card
	ends               // the turn is over
	bust               // the player's hand is lost at once
)

// NewHeadsUp builds the game, which must be Banluck with a single player.
func NewHeadsUp(g engine.Game) (*HeadsUp, error) {
	b, ok := g.(*banluck.Game)
	if !ok {
		return nil, errors.New("solver: banluck: the game is " + g.Spec().Name)
	}
	if b.Rules().(banluck.Rules).Players != 1 {
		return nil, errors.New("solver: banluck: heads-up needs the game with one player: set players to 1")
	}
	return newHeadsUp(b, fullDeck), nil
}

func newHeadsUp(g *banluck.Game, d deck) *HeadsUp {
	t := &HeadsUp{game: g, deck: d, odds: newOdds(&d)}
	for h := banluck.Hand(0); h.Size() <= dealt; h++ {
		if h.Size() < dealt || !d.holds(h) {
			continue
		}
		t.pairs = append(t.pairs, h)
		if g.Surrenderable(h) {
			t.surrenderable = append(t.surrenderable, h)
		}
	}
	t.settleDeals()
	t.players = t.reach(&t.player, t.playerRole)
	t.dealers = t.reach(&t.dealer, t.dealerRole)
	t.number()
	t.matrix = sync.OnceValue(t.newMatrix)
	t.alone = sync.OnceValue(func() *Crowd {
		c := newCrowd(t, t.game)
		c.look(&[hands]float64{}, 0, 0)
		return c
	})
	return t
}

// bonus reports whether a hand settles after the deal.
func (t *HeadsUp) bonus(h banluck.Hand) bool { return t.game.Worth(h).Class >= banluck.BanLuck }

// settleDeals fills before and bonuses.
func (t *HeadsUp) settleDeals() {
	t.bonuses = make([]float64, len(t.surrenderable))
	for _, d := range t.pairs {
		sum := &t.before
		if i := slices.Index(t.surrenderable, d); i >= 0 {
			sum = &t.bonuses[i]
		}
		for _, h := range t.pairs {
			if t.bonus(h) || t.bonus(d) {
				*sum += orders(h) * orders(d) * t.odds.of(h, d) * float64(t.game.Settle(h, d))
			}
		}
	}
}

func (t *HeadsUp) playerRole(h banluck.Hand) role {
	switch w := t.game.Worth(h); {
	case w.Total > limit:
		return bust
	case w.Total == limit || h.Size() == maxCards:
		return ends
	}
	return choice
}

func (t *HeadsUp) dealerRole(d banluck.Hand) role {
	switch w := t.game.Worth(d); {
	case w.Total >= mustStand || d.Size() == maxCards:
		return ends
	case w.Total <= mustDraw:
		return draws
	}
	return choice
}

// reach marks the hands that a seat can reach and returns them in ascending order, so that a
// hand comes after its predecessors.
func (t *HeadsUp) reach(roles *[hands]role, roleOf func(banluck.Hand) role) (list []banluck.Hand) {
	for i := range roles {
		h := banluck.Hand(i)
		if h.Size() == dealt && t.deck.holds(h) && !t.bonus(h) {
			roles[h] = roleOf(h)
		}
		if roles[h] == never {
			continue
		}
		list = append(list, h)
		if roles[h] == draws || roles[h] == choice {
			for value := range values {
				if next := h.With(value); t.deck.holds(next) {
					roles[next] = roleOf(next)
				}
			}
		}
	}
	return list
}

// number fills in rows and columns.
func (t *HeadsUp) number() {
	for _, d := range t.dealers {
		if t.dealer[d] != draws {
			t.column[d] = int32(len(t.columns))
			t.columns = append(t.columns, d)
		}
	}
	rows := int32(0)
	for _, h := range t.players {
		if t.player[h] != bust {
			t.row[h] = rows
			t.rows[h.Size()-dealt] = append(t.rows[h.Size()-dealt], h)
			rows++
		}
	}
}

func (t *HeadsUp) newMatrix() matrix {
	m := matrix{meetings: &[hands][]float64{}}
	for _, h := range t.players {
		m.meetings[h] = t.meet(h)
		if t.player[h] == bust {
			continue
		}
		row := make([]float64, len(t.columns))
		for column, d := range t.columns {
			row[column] = t.odds.of(h, d) * float64(t.game.Settle(h, d))
		}
		m.payoff = append(m.payoff, row)
	}
	return m
}

// meet returns an element of meetings.
func (t *HeadsUp) meet(h banluck.Hand) []float64 {
	sums := make([]float64, 1+len(t.surrenderable))
	for _, d := range t.pairs {
		if !t.bonus(d) {
			sums[1+slices.Index(t.surrenderable, d)] += orders(d) * t.odds.of(h, d)
		}
	}
	return sums
}
