package kuhn

import (
	"errors"

	"croupier/engine"
)

var bots = engine.Bots{
	Game: "kuhn",
	Table: []engine.NamedBot{
		{
			Call: "equilibrium(ALPHA)",
			Help: "plays an equilibrium of the published family, which opens with a jack with probability ALPHA",
			New:  newEquilibrium,
		},
		{Call: "always-bet", Help: "bets and calls with every card", New: engine.NoNumbers(always(Bet))},
		{Call: "always-pass", Help: "checks and folds with every card", New: engine.NoNumbers(always(Pass))},
	},
	References: []string{"equilibrium(0.2)", "always-bet", "always-pass"},
}

// Bots returns the game's bots.
func (Game) Bots() *engine.Bots { return &bots }

func newEquilibrium(alpha []float64) (engine.Bot, error) {
	if alpha[0] < 0 || alpha[0] > 1.0/3 {
		return nil, errors.New("ALPHA must be in 0..1/3")
	}
	return Equilibrium(alpha[0]), nil
}

func always(action int) engine.BotFunc {
	return func(engine.State, []int, *engine.RNG) int { return action }
}

// Equilibrium is a member of the family of Kuhn's equilibria (Kuhn 1950). Its
// value is alpha, the probability in 0..1/3 with which seat 0 bets with a jack.
type Equilibrium float64

// betProbability is indexed by what the seat knows about the betting (0: it opens, 1: it was
// checked to, 2: seat 0 faces a bet after its check, 3: seat 1 faces a bet) and by the card.
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
