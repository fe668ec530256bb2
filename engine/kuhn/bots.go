package kuhn

import (
	"fmt"

	"croupier/engine"
)

// Bot returns one of the game's bots:
//
//   - equilibrium(ALPHA): the published equilibrium family, see [Equilibrium].
//   - always-bet, always-pass: what they say, whatever the card.
func (Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	switch {
	case call == "equilibrium" && len(args) == 1:
		if !(args[0] >= 0 && args[0] <= 1.0/3) {
			return nil, fmt.Errorf("kuhn bot %q: alpha must be in 0..1/3", name)
		}
		return Equilibrium(args[0]), nil
	case call == "always-bet" && args == nil:
		return always(Bet), nil
	case call == "always-pass" && args == nil:
		return always(Pass), nil
	}
	return nil, fmt.Errorf("unknown kuhn bot %q; the bots are equilibrium(ALPHA), always-bet, always-pass", name)
}

// ReferenceBots names the bots on every ladder.
func (Game) ReferenceBots() []string {
	return []string{"equilibrium(0.2)", "always-bet", "always-pass"}
}

func always(action int) engine.BotFunc {
	return func(engine.State, []int, *engine.RNG) int { return action }
}

// Equilibrium is a member of the family of Kuhn's equilibria (Kuhn 1950). Its
// value is alpha, the probability in 0..1/3 with which seat 0 bets with a jack.
type Equilibrium float64

// betProbability is indexed by what the seat knows of the betting (0: it opens,
// 1: it was checked to, 2: seat 0 faces a bet after its check, 3: seat 1 faces a
// bet) and by the card.
func (e Equilibrium) betProbability(s *State) float64 {
	alpha := float64(e)
	table := [4][cards]float64{
		{alpha, 0, 3 * alpha},
		{1.0 / 3, 0, 1},
		{0, alpha + 1.0/3, 1},
		{0, 1.0 / 3, 1},
	}
	moves := int(s.length) - deals
	if moves == 1 && s.FacingBet() {
		moves = 3
	}
	return table[moves][s.Card(s.Player())]
}

// Choose bets with the equilibrium's probability.
func (e Equilibrium) Choose(s engine.State, _ []int, rng *engine.RNG) int {
	if rng.Float64() < e.betProbability(s.(*State)) {
		return Bet
	}
	return Pass
}

// Distribution writes the probabilities of pass and bet to dst.
func (e Equilibrium) Distribution(s engine.State, _ []int, dst []float64) {
	dst[Bet] = e.betProbability(s.(*State))
	dst[Pass] = 1 - dst[Bet]
}
