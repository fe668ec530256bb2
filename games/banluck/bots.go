package banluck

import (
	"errors"

	"croupier/engine"
)

// bots look only at their own cards. In the dealer's seat baseline plays a fixed strategy; in a
// player's seat it plays the best chart by total, number of cards and softness against that
// dealer, see [chart].
var bots = engine.Bots{
	Game: "banluck",
	Table: []engine.NamedBot{
		{Call: "baseline", Help: "is baseline(1,1)", New: engine.NoNumbers(baseline(true, true))},
		{
			Call: "baseline(REVEAL,SURRENDER)",
			Help: "as dealer hits 16 and soft 17; REVEAL 1 opens hands of three or more cards before that, " +
				"SURRENDER 1 gives up hard 15; as player plays the best chart against that dealer",
			New: newBaseline,
		},
		{
			Call: "basic",
			Help: "plays blackjack's basic strategy against a dealer who shows seven or more: it hits hard 16 and " +
				"soft 17 or less, surrenders hard 15, and knows nothing of bonuses and reveal",
			New: engine.NoNumbers(player{surrender: true, hits: hitsLikeDealer}),
		},
		{
			Call: "stand(N)",
			Help: "stands on N or more, and neither reveals nor surrenders",
			New: engine.OneNumber("N", 0, 21, func(n float64) engine.Bot {
				return player{hits: func(_ *State, _ Hand, w Worth) bool { return float64(w.Total) < n }}
			}),
		},
	},
	References: []string{"baseline", "basic", "stand(16)"},
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return &bots }

func newBaseline(switches []float64) (engine.Bot, error) {
	for _, v := range switches {
		if v != 0 && v != 1 {
			return nil, errors.New("REVEAL and SURRENDER are 0 or 1")
		}
	}
	return baseline(switches[0] == 1, switches[1] == 1), nil
}

// player is a bot: whether it reveals and surrenders where it may, and which hands it hits.
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

func hitsLikeDealer(_ *State, _ Hand, w Worth) bool { return drawsLikeDealer(w) }

// drawsLikeDealer is the rule of the fixed dealer, and of blackjack's player against a seven or
// better: hit 16 or less and soft 17.
func drawsLikeDealer(w Worth) bool {
	return w.Total < mustStand-1 || w.Total == mustStand-1 && w.Soft
}

// chart returns the largest total that a player hits against the fixed dealer of the baseline,
// by number of cards and softness: the optimum except for a few hands where the composition
// matters, as package solver proves. The nearer the five-card bonus, the larger the total. Hard
// 16 of two or three cards is hit only against a dealer who both reveals and surrenders.
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
