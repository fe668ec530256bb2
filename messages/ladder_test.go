package messages

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRatingsForPeople(t *testing.T) {
	elo, money := Scale{Kind: EloScale}, Scale{Kind: MoneyScale, Decimals: 3}
	for _, c := range []struct {
		scale Scale
		x     float64
		want  string
	}{
		{elo, 163.7, "164"}, {elo, -35.2, "-35"}, {elo, -0.4, "0"}, {elo, 0, "0"}, {elo, -100, "-100"},
		{money, 0.0314, "0.031"}, {money, -0.0004, "0.000"}, {money, -0.0006, "-0.001"}, {money, 12, "12.000"},
		{money, 1e-9, "0.000"},
	} {
		require.Equal(t, c.want, c.scale.Write(c.x))
	}
	require.Equal(t, "+95 ± 21", elo.WriteDifference(Interval{94.7, 74, 115.4}))
	require.Equal(t, "-95 ± 21", elo.WriteDifference(Interval{-94.7, -115.4, -74}))
	require.Equal(t, "0 ± 3", elo.WriteDifference(Interval{0.2, -2.8, 3.2}))
	require.Equal(t, "+0.010 ± 0.003", money.WriteDifference(Interval{0.01, 0.007, 0.013}))
	require.Equal(t, "2", Places{2, 2}.String())
	require.Equal(t, "1–3", Places{1, 3}.String())
	require.Empty(t, Places{}.String())
}

// A document of an earlier version is read as what it was.
func TestLadderWithoutAScale(t *testing.T) {
	l, err := ParseLadder([]byte(`{"game": "kuhn", "agents": [{"name": "main@1"}, {"name": "random"}]}`))
	require.NoError(t, err)
	require.Equal(t, Scale{Kind: EloScale, Unit: "Elo", Zero: "random"}, l.Scale)
	l, err = ParseLadder([]byte(`{"game": "kuhn", "agents": [{"name": "main@1"}]}`))
	require.NoError(t, err)
	require.Equal(t, Scale{Kind: EloScale, Unit: "Elo", Zero: MeanZero}, l.Scale)
	_, err = ParseLadder([]byte(`{"agents": [{"name": "random"}, {}]}`))
	require.ErrorContains(t, err, "agent 1 has no name")
}
