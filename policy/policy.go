// Package policy is the contract of whatever chooses an action: bots, networks, tables of solutions, search.
//
// A [Policy] chooses. What else an agent can do it has as a further interface, which callers find by a type assertion:
// probabilities ([Stochastic]), values of actions ([Valuer], [Differencer], [Settler]), an expected return
// ([Expecter]), reasons ([Explainer]).
//
// Terms:
//
//   - legal holds the legal actions of the seat to move in ascending order. Results for them are in dst, of the same
//     length and order.
//   - A decision is a state at which a seat is to move. A policy sees all decisions of its seat in one game, in order.
//   - A policy may use only what the seat to move knows, though it is given the whole state.
package policy

import "croupier/engine"

// Policy plays one seat of one game at a time. A Policy belongs to one goroutine.
type Policy interface {
	// Reset begins a new game: recurrent state is cleared.
	Reset()
	// Choose returns one of the legal actions of the seat to move, of which there is at least one. It is called once
	// for every decision of the seat, in order, because it may carry recurrent state. rng is the only source of chance:
	// the same numbers give the same action.
	Choose(s engine.State, legal []int, rng *engine.RNG) int
}

// Stochastic is a Policy that can give its probabilities.
type Stochastic interface {
	Policy
	// Distribution writes the probability of legal[i], 0..1, to dst[i]; they sum to 1 up to rounding.
	// Like Choose it counts as the decision at this node: call only one of the two, and only once.
	Distribution(s engine.State, legal []int, dst []float64)
}

// RandomName is the name of Random as an agent of every game.
const RandomName = "random"

// Random plays every legal action with the same probability.
type Random struct{}

// Reset does nothing.
func (Random) Reset() {}

// Choose draws a legal action.
func (Random) Choose(_ engine.State, legal []int, rng *engine.RNG) int {
	return legal[rng.IntN(len(legal))]
}

// Distribution is uniform.
func (Random) Distribution(_ engine.State, legal []int, dst []float64) {
	for i := range legal {
		dst[i] = 1 / float64(len(legal))
	}
}

// Bot returns a game's bot as a Policy, a Stochastic one if the bot gives its probabilities as a
// Stochastic does.
func Bot(b engine.Bot) Policy {
	if m, ok := b.(mixingBot); ok {
		return mixing{m}
	}
	return bot{b}
}

type bot struct{ engine.Bot }

func (bot) Reset() {}

// mixingBot is a bot that can give its probabilities.
type mixingBot interface {
	engine.Bot
	Distribution(s engine.State, legal []int, dst []float64)
}

type mixing struct{ mixingBot }

func (mixing) Reset() {}

// Sample draws an index of probabilities, which sum to 1 up to rounding. An index with probability 0 is never drawn.
func Sample(probabilities []float64, rng *engine.RNG) int {
	x := rng.Float64()
	last := 0
	for i, p := range probabilities {
		if p <= 0 {
			continue
		}
		if x < p {
			return i
		}
		x -= p
		last = i
	}
	return last
}
