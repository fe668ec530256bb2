package solve

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/solver"
)

// shortGame is the engine's game with fewer cards, and one outcome of chance for all cards of a
// value.
type shortGame struct {
	*banluck.Game
	deck deck
}

type shortState struct {
	*banluck.State
	game *shortGame
}

func (g *shortGame) NewState() engine.State {
	return &shortState{g.Game.NewState().(*banluck.State), g}
}

func (s *shortState) Outcomes(buf []engine.Outcome) []engine.Outcome {
	left := s.game.deck
	for seat := range s.game.Spec().Seats {
		for value := range values {
			left[value] -= s.Hand(seat).Count(value)
		}
	}
	all := float64(left.size())
	for _, o := range s.State.Outcomes(nil) {
		if value := banluck.CardValue(o.Index); left[value] > 0 {
			buf = append(buf, engine.Outcome{Index: o.Index, Probability: float64(left[value]) / all})
			left[value] = 0
		}
	}
	return buf
}

func (s *shortState) CopyFrom(src engine.State) { s.State.CopyFrom(src.(*shortState).State) }

func (s *shortState) Clone() engine.State {
	return &shortState{s.State.Clone().(*banluck.State), s.game}
}

// TestEqualsTheTreeOfTheEngine solves the game with short decks twice: by hands, and by the general
// solver on the whole tree of the engine, with reveal as an action of its own.
func TestEqualsTheTreeOfTheEngine(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		deck  deck
	}{
		"surrender":  {"", deck{3: 3, 5: 4, banluck.Ten: 3}},
		"five cards": {"", deck{0: 4, 2: 4, banluck.Ten: 3}},
		"aces":       {"ace: greedy", deck{2: 3, 4: 4, banluck.Ace: 3}},
		"sevens":     {"surrender: false\npayouts: {\"777\": 3}", deck{0: 3, 5: 4, banluck.Ten: 4}},
	} {
		g := newGame(t, c.rules)
		tree, err := solver.NewTree(&shortGame{g, c.deck}, solver.MaxNodes)
		require.NoError(t, err, name)
		const near = 1e-5
		cfr, err := solver.NewCFR(tree, solver.Plus)
		require.NoError(t, err, name)
		plain, reached, err := cfr.On().Approach(context.Background(), near, 100_000, nil)
		require.NoError(t, err, name)
		require.LessOrEqual(t, reached.Exploitability, near, name)
		short := newHeadsUp(g, c.deck)
		require.InDelta(t, 0, short.weight()-1, 1e-9, name)
		s := solve(t, short)
		require.InDelta(t, plain.Values()[0], s.EV, 2*near, name)
		t.Logf("%s: %d nodes, value %.6f", name, tree.Nodes(), s.EV)
	}
}

// weight is the probability of all first cards of both seats.
func (t *HeadsUp) weight() (sum float64) {
	for _, h := range t.pairs {
		for _, d := range t.pairs {
			sum += orders(h) * orders(d) * t.odds.of(h, d)
		}
	}
	return sum
}
