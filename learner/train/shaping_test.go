package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// dice is a game of which only the shaping terms are used.
type dice struct {
	engine.Game
	events []engine.Shaped
}

func (d dice) Shapings() []engine.Shaping {
	return []engine.Shaping{{Name: "first"}, {Name: "second"}}
}

func (d dice) Shape(_ engine.State, _ int, buf []engine.Shaped) []engine.Shaped {
	return append(buf, d.events...)
}

// shaperOf returns the shaper of a game with weights, under a discount.
func shaperOf(game engine.Game, w Shaping, gamma float64) *shaper {
	c := DefaultConfig()
	c.Shaping, c.Gamma = w, gamma
	return newShaper(c, game)
}

// TestRewardsStandAtTheNewestSample: seat 0 has decided twice since its sample, seat 1 has
// not chosen anything yet.
func TestRewardsStandAtTheNewestSample(t *testing.T) {
	h := shaperOf(dice{events: []engine.Shaped{{Term: 0, Seat: 0}, {Term: 1, Seat: 1}, {Term: 1, Seat: 0}}},
		Shaping{"first": 1, "second": 0.25}, 0.5)
	seats := []seatRows{
		{Decisions: Decisions{Rewards: make([]float32, 2), Spans: []int32{1, 3}}, newest: 1}, {newest: none},
	}
	h.reward(nil, 0, seats)
	require.Equal(t, []float32{0, 1.25 * 0.5 * 0.5}, seats[0].Rewards)
	require.Nil(t, shaperOf(dice{}, Shaping{"first": 0}, 1), "nothing has a weight")
	require.Nil(t, shaperOf(dice{}, nil, 1))
}
