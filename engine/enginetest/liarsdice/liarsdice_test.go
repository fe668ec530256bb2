package liarsdice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, New, "faces: 2", "faces: 6") }

// The bidder wins if its bid holds; the highest face counts as every face.
func TestReturns(t *testing.T) {
	g, err := New(nil)
	require.NoError(t, err)
	const liar = 8
	for name, c := range map[string]struct {
		steps []int
		first float64
	}{
		"one 1, the other has it":      {[]int{1, 0, 0, liar}, 1},
		"one 1, nobody has it":         {[]int{1, 2, 0, liar}, -1},
		"one 1, the other's 4 is wild": {[]int{1, 3, 0, liar}, 1},
		"two 1, a 1 and a wild 4":      {[]int{0, 3, 4, liar}, 1},
		"two 1, one of them":           {[]int{0, 2, 4, liar}, -1},
		"two 4, only wild ones count":  {[]int{3, 0, 7, liar}, -1},
		"seat 1 is doubted and wins":   {[]int{2, 2, 0, 6, liar}, -1},
		"seat 1 is doubted and loses":  {[]int{2, 1, 0, 6, liar}, 1},
	} {
		s := g.NewState()
		for _, step := range c.steps {
			require.NoError(t, s.Apply(step), name)
		}
		require.Equal(t, engine.Terminal, s.Player(), name)
		var returns [2]float64
		s.Returns(returns[:])
		require.Equal(t, [2]float64{c.first, -c.first}, returns, name)
	}
}

func TestImpossiblePositions(t *testing.T) {
	enginetest.RequireRefused(t, New, "", map[string]string{
		`{"die": 5, "bids": []}`:              "die: 5 is not in 1..4",
		`{"die": 1, "bids": ["liar"]}`:        `bids[0]: "liar" is not possible there`,
		`{"die": 1, "bids": ["1x3", "1x2"]}`:  `bids[1]: "1x2" is not possible there`,
		`{"die": 1, "bids": ["1x3", "liar"]}`: "bids: they end the game",
	})
	_, err := New([]byte("faces: 7"))
	require.ErrorContains(t, err, "faces: 7 is not in 2..6")
}
