package solver

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"croupier/engine/banluck"
)

// BanluckDealer is the fixed dealer of the baseline of Banluck: he hits at 16 and soft
// 17, and stands on hard 17.
type BanluckDealer struct {
	Reveal    bool // at 16 and 17 he opens a player with three or more cards first
	Surrender bool // he gives up every hard 15
}

// BanluckBaseline is the exact optimum of a single player, who sees nothing but his own
// cards, against a fixed dealer. All cards come from one deck without replacement. It
// is immutable once solved.
//
// What another card is worth follows from the hands that it makes, so the hands, as
// multisets of card values, are solved from the largest to the smallest. To draw first
// and let the dealer's cards come from the rest afterwards is the same as to deal in order.
type BanluckBaseline struct {
	Dealer BanluckDealer
	EV     float64 // of the player, units a hand
	StdDev float64 // of the player's result, units
	game   *banluck.Game
	values [banluck.Hands]banluckValues
}

// banluckValues is what a hand of the player gets from standing and from hitting: the
// sum over the dealer's two cards with which nobody settles at the beginning, each with
// its probability.
type banluckValues struct {
	stand, hit moments
	reached    bool // the player can come to the hand
	choice     bool // and may then hit or stand
}

// best is what the player gets by the better choice.
func (v *banluckValues) best() moments {
	if v.choice && v.hit.first > v.stand.first {
		return v.hit
	}
	return v.stand
}

// moments are the expectations of a result and of its square.
type moments struct{ first, second float64 }

func (m *moments) add(probability float64, of moments) {
	m.first += probability * of.first
	m.second += probability * of.second
}

func sure(units int) moments { return moments{float64(units), float64(units * units)} }

// banluckDeck holds the cards of each value in a deck.
var banluckDeck = func() (deck [banluck.Values]int) {
	for card := range banluckCards {
		deck[banluck.CardValue(card)]++
	}
	return deck
}()

const (
	banluckCards = 52
	banluckDealt = 2
	// The dealer chooses at two totals: he must hit below, and stands above them.
	banluckChoice     = 16
	banluckLastChoice = 17
	banluckLimit      = 21
)

// SolveBanluck solves the heads-up game for the player against the fixed dealer, in
// less than a second.
func SolveBanluck(g *banluck.Game, dealer BanluckDealer) (*BanluckBaseline, error) {
	rules := g.Rules().(banluck.Rules)
	switch {
	case rules.Players != 1:
		return nil, errors.New("solver: banluck: the baseline is of the game with one player")
	case dealer.Reveal && !rules.Reveal:
		return nil, errors.New("solver: banluck: the dealer cannot reveal under these rules")
	case dealer.Surrender && !rules.Surrender:
		return nil, errors.New("solver: banluck: the dealer cannot surrender under these rules")
	}
	b := &BanluckBaseline{Dealer: dealer, game: g}
	b.findHands()
	result := moments{}
	table := &banluckTable{game: g, dealer: dealer}
	for h := banluck.Hand(banluck.Hands - 1); h.Size() >= banluckDealt; h-- {
		if v := &b.values[h]; v.reached {
			v.stand = table.stand(h)
			v.hit = b.hit(h)
		}
		if h.Size() == banluckDealt {
			result.add(chanceOf(h), table.begin(h, b.values[h].best()))
		}
	}
	b.EV = result.first
	b.StdDev = math.Sqrt(result.second - result.first*result.first)
	return b, nil
}

// findHands marks the hands that the player can come to, the smallest first.
func (b *BanluckBaseline) findHands() {
	for i := range b.values {
		h, v := banluck.Hand(i), &b.values[i]
		w := b.game.Worth(h)
		if h.Size() == banluckDealt && chanceOf(h) > 0 && w.Class < banluck.BanLuck {
			v.reached = true
		}
		v.choice = v.reached && h.Size() < banluck.MaxCards && w.Total < banluckLimit
		if !v.choice {
			continue
		}
		for value, n := range banluckDeck {
			if h.Count(value) < n {
				b.values[h.With(value)].reached = true
			}
		}
	}
}

// hit is what a hand at which the player has the choice gets by one more card.
func (b *BanluckBaseline) hit(h banluck.Hand) (result moments) {
	if !b.values[h].choice {
		return moments{}
	}
	for value, n := range banluckDeck {
		if left := n - h.Count(value); left > 0 {
			result.add(float64(left)/float64(banluckCards-h.Size()), b.values[h.With(value)].best())
		}
	}
	return result
}

// Hits tells whether the player hits a hand at which he may; he stands where both are
// worth the same.
func (b *BanluckBaseline) Hits(h banluck.Hand) bool {
	return b.values[h].choice && b.values[h].hit.first > b.values[h].stand.first
}

// chanceOf is the probability that as many cards of a full deck make one of the hands,
// all of one size.
func chanceOf(hands ...banluck.Hand) (chance float64) {
	for _, h := range hands {
		ways := 1
		for value, n := range banluckDeck {
			ways *= combin.Binomial(n, h.Count(value))
		}
		chance += float64(ways) / float64(combin.Binomial(banluckCards, h.Size()))
	}
	return chance
}

// BanluckCell is what the player does with all hands of a total, number of cards and
// softness.
type BanluckCell struct {
	Cards, Total int
	Soft         bool
	Hit          bool           // what is best for the likelier hands
	Exceptions   []banluck.Hand // the hands for which the other choice is better
}

// Chart returns the optimum by cells, sorted by number of cards, hard before soft, and
// total.
func (b *BanluckBaseline) Chart() (chart []BanluckCell) {
	type key struct {
		cards, total int
		soft         bool
	}
	cells := map[key]map[bool][]banluck.Hand{}
	for i := range b.values {
		if h := banluck.Hand(i); b.values[h].choice {
			w := b.game.Worth(h)
			k := key{h.Size(), int(w.Total), w.Soft}
			if cells[k] == nil {
				cells[k] = map[bool][]banluck.Hand{}
			}
			cells[k][b.Hits(h)] = append(cells[k][b.Hits(h)], h)
		}
	}
	for k, hands := range cells {
		hit := chanceOf(hands[true]...) > chanceOf(hands[false]...)
		chart = append(chart, BanluckCell{k.cards, k.total, k.soft, hit, hands[!hit]})
	}
	soft := map[bool]int{true: 1}
	slices.SortFunc(chart, func(a, b BanluckCell) int {
		return cmp.Or(cmp.Compare(a.Cards, b.Cards), cmp.Compare(soft[a.Soft], soft[b.Soft]), cmp.Compare(a.Total, b.Total))
	})
	return chart
}

// banluckTable plays the dealer's hands against one hand of the player.
type banluckTable struct {
	game   *banluck.Game
	dealer BanluckDealer
	// chances holds the probability of each of the dealer's hands that is not yet drawn to.
	chances [banluck.Hands]float64
}

// deal makes chances those of the dealer's first two cards.
func (t *banluckTable) deal(player banluck.Hand) {
	clear(t.chances[:])
	t.chances[0] = 1
	for d := banluck.Hand(0); d.Size() < banluckDealt; d++ {
		t.draw(player, d)
	}
}

// draw moves the chance of a hand of the dealer's to those that follow from it.
func (t *banluckTable) draw(player, d banluck.Hand) {
	chance := t.chances[d] / float64(banluckCards-player.Size()-d.Size())
	t.chances[d] = 0
	for value, n := range banluckDeck {
		if left := n - player.Count(value) - d.Count(value); left > 0 {
			t.chances[d.With(value)] += chance * float64(left)
		}
	}
}

// begin is what a hand of two cards gets in all, where later is what it gets from
// those of the dealer's with which nobody settles at the beginning.
func (t *banluckTable) begin(player banluck.Hand, later moments) (result moments) {
	bonus := t.bonus(player)
	if !bonus {
		result = later
	}
	t.deal(player)
	for d, chance := range t.chances {
		if d := banluck.Hand(d); chance > 0 && !t.surrenders(d) && (bonus || t.bonus(d)) {
			result.add(chance, sure(t.game.Settle(player, d)))
		}
	}
	return result
}

// stand is what the player's hand gets against the hands that the dealer draws to,
// from those with which the game goes on after the deal.
func (t *banluckTable) stand(player banluck.Hand) (result moments) {
	t.deal(player)
	for i := range t.chances {
		d := banluck.Hand(i)
		switch {
		case t.chances[d] == 0 || d.Size() == banluckDealt && (t.surrenders(d) || t.bonus(d)):
		case t.draws(d, player.Size()):
			t.draw(player, d)
		default:
			result.add(t.chances[d], sure(t.game.Settle(player, d)))
		}
	}
	return result
}

func (t *banluckTable) bonus(h banluck.Hand) bool {
	return t.game.Worth(h).Class >= banluck.BanLuck
}

func (t *banluckTable) surrenders(d banluck.Hand) bool {
	return t.dealer.Surrender && t.game.Surrenderable(d)
}

// draws tells whether the dealer takes a card. A player who is opened settles at that
// total, which is to him as if the dealer stood.
func (t *banluckTable) draws(d banluck.Hand, playerCards int) bool {
	w := t.game.Worth(d)
	switch {
	case d.Size() == banluck.MaxCards || w.Total > banluckLastChoice:
		return false
	case w.Total < banluckChoice:
		return true
	case t.dealer.Reveal && playerCards > banluckDealt:
		return false
	}
	return w.Total == banluckChoice || w.Soft
}
