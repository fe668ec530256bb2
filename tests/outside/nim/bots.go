package nim

import (
	"croupier/catalog"
	"croupier/engine"
	"croupier/policy"
)

var bots = engine.Bots{
	Game: "nim",
	Table: []engine.NamedBot{
		{Call: "one", Help: "takes one counter from the largest pile", New: engine.NoNumbers(engine.BotFunc(takeOne))},
		{Call: "all", Help: "takes the largest pile", New: engine.NoNumbers(engine.BotFunc(takeAll))},
	},
	References: []string{"one", "all"},
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return &bots }

func takeOne(s engine.State, _ []int, _ *engine.RNG) int { return s.(*State).largest() * largest }

func takeAll(state engine.State, _ []int, _ *engine.RNG) int {
	s := state.(*State)
	pile := s.largest()
	return pile*largest + int(s.piles[pile]) - 1
}

// largest returns the pile with the most counters, the first of several.
func (s *State) largest() (pile int) {
	for i, n := range s.piles {
		if n > s.piles[pile] {
			pile = i
		}
	}
	return pile
}

// exact is Bouton's answer: a player that leaves piles whose binary sum without carries is 0 wins.
var exact = catalog.Exact{
	Solutions: []catalog.Solution{
		catalog.Solved(catalog.Optimal, func(engine.Game) (catalog.Players, error) {
			return func() policy.Stochastic { return optimal{} }, nil
		}),
	},
	Command: command,
}

// optimal plays the exact answer: the first of the best actions, which in a lost position is any.
type optimal struct{}

func (optimal) Reset() {}

func (o optimal) Choose(s engine.State, legal []int, _ *engine.RNG) int {
	for _, action := range legal {
		if wins(s.(*State), action) {
			return action
		}
	}
	return legal[0]
}

// Distribution implements policy.Stochastic.
func (o optimal) Distribution(s engine.State, legal []int, dst []float64) {
	chosen := o.Choose(s, legal, nil)
	for i, action := range legal {
		dst[i] = 0
		if action == chosen {
			dst[i] = 1
		}
	}
}

// Scale implements policy.Valuer.
func (optimal) Scale() policy.Scale { return policy.Scale{Unit: "wins", Exact: true} }

// Values says of each action whether it wins.
func (optimal) Values(s engine.State, legal []int, dst []policy.Value) {
	for i, action := range legal {
		dst[i] = policy.Value{}
		if wins(s.(*State), action) {
			dst[i] = policy.Value{Mean: 1, Low: 1, High: 1}
		}
	}
}

// wins reports whether an action leaves piles with the sum 0.
func wins(s *State, action int) bool {
	sum := int8(0)
	for i, n := range s.piles {
		if i == action/largest {
			n -= int8(action%largest + 1)
		}
		sum ^= n
	}
	return sum == 0
}
