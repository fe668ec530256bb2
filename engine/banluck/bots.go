package banluck

import (
	"fmt"
	"slices"

	"croupier/engine"
)

// Bot returns one of the game's bots. All of them look at their own cards alone:
//
//   - baseline(REVEAL,SURRENDER), both 0 or 1: in the dealer's seat the fixed dealer of
//     the baseline, who hits at 16 and soft 17 and stands on hard 17; with REVEAL opens
//     whoever has three or more cards before that; with SURRENDER gives up every hard 15. In a player's
//     seat it plays the best chart by total, number of cards and softness against that
//     dealer, see [chart]. baseline is baseline(1,1).
//   - basic plays blackjack's basic strategy against a dealer who shows seven or more: it hits
//     hard 16 and soft 17 or less, surrenders hard 15, and knows nothing of bonuses and reveal.
//   - stand(N) stands on N or more, and neither reveals nor surrenders.
func (g *Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	switch {
	case call == "baseline" && args == nil:
		return baseline(true, true), nil
	case call == "baseline" && len(args) == 2 && !slices.ContainsFunc(args, func(v float64) bool { return v != 0 && v != 1 }):
		return baseline(args[0] == 1, args[1] == 1), nil
	case call == "basic" && args == nil:
		return player{surrender: true, hits: func(_ *State, _ Hand, w Worth) bool { return drawsLikeDealer(w) }}, nil
	case call == "stand" && len(args) == 1:
		return player{hits: func(_ *State, _ Hand, w Worth) bool { return float64(w.Total) < args[0] }}, nil
	}
	return nil, fmt.Errorf("unknown banluck bot %q; the bots are baseline, baseline(REVEAL,SURRENDER) with 0 or 1 for each, basic, stand(N)", name)
}

// ReferenceBots names the bots on every ladder.
func (g *Game) ReferenceBots() []string { return []string{"baseline", "basic", "stand(16)"} }

// player is a bot: whether it reveals and surrenders where it may, and what it hits.
type player struct {
	reveal, surrender bool
	hits              func(*State, Hand, Worth) bool
}

// Choose implements engine.Bot.
func (p player) Choose(state engine.State, _ []int, _ *engine.RNG) int {
	s := state.(*State)
	hand := s.hands[s.player]
	switch {
	case s.legal == surrendering && p.surrender:
		return Surrender
	case s.legal == surrendering:
		return Continue
	case p.reveal && s.legal == revealing:
		return Reveal
	case p.hits(s, hand, s.game.Worth(hand)):
		return Hit
	}
	return Stand
}

func baseline(reveal, surrender bool) player {
	return player{reveal: reveal, surrender: surrender, hits: func(s *State, hand Hand, w Worth) bool {
		if s.player == s.game.dealer {
			return drawsLikeDealer(w)
		}
		return w.Total <= chart(hand.Size(), w.Soft, reveal && surrender)
	}}
}

// drawsLikeDealer is the rule of the fixed dealer, and of blackjack against a seven or
// better: hit 16 or less and soft 17.
func drawsLikeDealer(w Worth) bool {
	return w.Total < mustStand-1 || w.Total == mustStand-1 && w.Soft
}

// chart returns the largest total that a player hits against the fixed dealer of the
// baseline, by number of cards and softness: the optimum but for a few exceptions by
// composition, as package solver proves. The nearer the five-card bonus, the larger
// it is. Hard 16 of two or three cards is hit only against a dealer who both reveals
// and surrenders.
func chart(cards int, soft, tight bool) int8 {
	switch {
	case soft:
		return [MaxCards]int8{2: 18, 3: 19, 4: 20}[cards]
	case cards == MaxCards-1:
		return 17
	case tight:
		return 16
	}
	return 15
}
