package tysiac

import (
	"fmt"
	"math"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// botsOf returns the bots of one of the two games. The references play a game in less than a
// millisecond; pimc takes longer and is not among them.
func botsOf(game string) *engine.Bots {
	return &engine.Bots{
		Game: game,
		Table: []engine.NamedBot{
			{
				Call: "greedy",
				Help: "bids the value of its cards and melds, takes every trick that it can, declares at once and " +
					"never bombs or challenges",
				New: engine.NoNumbers(choose(greedy)),
			},
			{
				Call: "heuristic",
				Help: "estimates what its hand will make, challenges, bombs, announces a safe contract and counts " +
					"cards",
				New: engine.NoNumbers(choose(heuristic)),
			},
			{
				Call: "pimc(N)",
				Help: "bids like heuristic and plays by N guesses of the hidden cards, each of which is solved " +
					"with open cards",
				New: newPIMCBot,
			},
		},
		References: []string{"greedy", "heuristic"},
	}
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return g.bots }

func newPIMCBot(n []float64) (engine.Bot, error) {
	if n[0] < 1 || n[0] > maxWorlds || n[0] != math.Trunc(n[0]) {
		return nil, fmt.Errorf("the number of worlds N must be whole, in 1..%d", maxWorlds)
	}
	return choose(newPIMC(int(n[0])).choose), nil
}

// choose makes a bot from a function that acts on the seat's view of the position.
func choose(act func(v *view, legal []int, rng *engine.RNG) int) engine.BotFunc {
	return func(state engine.State, legal []int, rng *engine.RNG) int {
		if len(legal) == 1 {
			return legal[0]
		}
		s := state.(*State)
		v := s.view(s.Player())
		return act(&v, legal, rng)
	}
}

// best returns the action of the highest worth, the first among equals.
func best(legal []int, worth func(action int) int) int {
	chosen, highest := legal[0], worth(legal[0])
	for _, action := range legal[1:] {
		if w := worth(action); w > highest {
			chosen, highest = action, w
		}
	}
	return chosen
}

// raise returns the lowest bid that may be made, if it is at most the limit, or pass.
func raise(legal []int, limit int) int {
	for _, action := range legal {
		if action != Pass && action != Challenge && lowestBid+bidStep*(action-FirstBid) <= limit {
			return action
		}
	}
	return Pass
}

// spoils reports whether the card is half of a meld in the hand.
func spoils(hand cards.Set, card int) bool {
	suit := cards.Suit(card)
	return cards.Meld(suit).Has(card) && hand.Melds()>>suit&1 != 0
}

// greedy bids up to greedyBase points and its melds, announces what it has bid, and returns the
// cheapest cards that are in no meld. It declares its most valuable meld as soon as it may,
// leads its strongest card, takes a trick if it can with the cheapest card, and otherwise plays
// its cheapest.
func greedy(v *view, legal []int, _ *engine.RNG) int {
	switch v.phase {
	case auction:
		return raise(legal, greedyBase+cards.MeldPoints(v.cards.Melds()))
	case bombing:
		return PlayOn
	case returning:
		return best(legal, func(action int) int { return -cost(v.cards, action-Return) })
	case playing:
		return best(legal, func(action int) int {
			card, declares := cardOf(action)
			switch {
			case declares:
				return meldFirst + cards.MeldValue(cards.Suit(card)) - cards.Points(card)
			case v.led == cards.NoCard:
				return cards.Points(card)
			case cards.Takes(v.led, card, v.trump):
				return takeFirst - cards.Points(card)
			}
			return -cards.Points(card)
		})
	}
	return legal[0]
}

const (
	greedyBase = 80 // points that greedy expects of any hand, without melds
	// meldFirst and takeFirst put declarations before cards that take the trick, and these before
	// the rest.
	meldFirst = 1000
	takeFirst = 100
)

// cost is what the owner of a hand gives up with a card: its points and its meld.
func cost(hand cards.Set, card int) int {
	points := cards.Points(card)
	if spoils(hand, card) {
		points += cards.MeldValue(cards.Suit(card))
	}
	return points
}
