package rating

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/internal/stat"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

func TestExactRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Numbers of any size, the squares of a doubled bank among them.
		draw := func(name string) float64 {
			return math.Ldexp(float64(rapid.IntRange(-1000, 1000).Draw(t, name)), rapid.IntRange(-8, 90).Draw(t, "exponent"))
		}
		m := stat.Ratio{Value: draw("value"), Weight: draw("weight"), ValueSquares: draw("squares"),
			WeightSquares: draw("weight squares"), Products: draw("products")}
		require.Equal(t, m, newExactRatio(m).ratio())
	})
}

// Figures are those of all games of an agent as the focal one, against anybody.
func TestFiguresOfAnAgent(t *testing.T) {
	b := NewResults(ratingtest.Spec(2), "run", ratingtest.Rules, Sequential{})
	result := func(x, y string, a, c stat.Ratio) *messages.Result {
		m := b.Match(NewKey(x, y), Span{0, 4}, 0)
		even := &messages.Lineup{Sets: 4, Games: 8, ShareSum: 2, ShareSquares: 1, GameShareSquares: 4}
		return &messages.Result{Schema: 1, Run: "run", Match: m, OneA: even,
			FiguresA: messages.PackFigures(b.Spec.Figures, []stat.Ratio{a, a}),
			FiguresB: messages.PackFigures(b.Spec.Figures, []stat.Ratio{c, c})}
	}
	moments := func(value float64) (m stat.Ratio) {
		for i := range 4 {
			m.Add(value+float64(i), 10)
		}
		return m
	}
	require.NoError(t, b.Apply(result("a", "b", moments(1), moments(2))))
	require.NoError(t, b.Apply(result("b", "c", moments(4), moments(5))))
	require.ErrorIs(t, b.Apply(result("b", "c", moments(4), moments(5))), ErrDuplicate)
	require.InDelta(t, 0.25, b.figuresOf("a")["points"].Value, 1e-6)
	require.InDelta(t, 0.45, b.figuresOf("b")["points"].Value, 1e-6, "both of its matches")
	require.InDelta(t, 0.65, b.figuresOf("c")["aces"].Value, 1e-6)
	require.Nil(t, b.figuresOf("d"))

	bad := result("a", "c", moments(1), moments(2))
	bad.FiguresB.Weights[1] = -1
	require.ErrorContains(t, b.Apply(bad), "one c: impossible figure aces")
	require.InDelta(t, 0.25, b.figuresOf("a")["points"].Value, 1e-6, "a refused result counts for nobody")

	other := result("a", "d", moments(1), moments(2))
	other.FiguresA.Names[0], other.FiguresB = "tens", nil
	require.NoError(t, b.Apply(other))
	require.InDelta(t, 0.25, b.figuresOf("a")["points"].Value, 1e-6, "of another version of the game")
}
