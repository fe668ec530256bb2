package messages

import (
	"slices"
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

func TestLadderWithinALimit(t *testing.T) {
	l := &Ladder{Game: "bank"}
	for i := range 40 {
		kind := "network"
		if i%10 == 9 {
			kind = "bot"
		}
		l.Agents = append(l.Agents, LadderAgent{Name: MemberName("main", uint64(i)), Kind: kind})
	}
	for _, a := range l.Agents {
		for _, b := range l.Agents {
			l.Payoff = append(l.Payoff, Payoff{A: a.Name, B: b.Name})
		}
	}
	all, err := l.Within(MaxMessage)
	require.NoError(t, err)
	less, err := l.Within(len(all) / 2)
	require.NoError(t, err)
	require.LessOrEqual(t, len(less), len(all)/2)
	short, err := ParseLadder(less)
	require.NoError(t, err)
	require.Len(t, short.Agents, 40)
	require.Less(t, len(short.Payoff), len(l.Payoff))
	require.Len(t, l.Payoff, 1600, "the ladder itself stays whole")
	met := func(a, b string) bool {
		return slices.ContainsFunc(short.Payoff, func(p Payoff) bool { return p.A == a && p.B == b })
	}
	require.True(t, met("main@0", "main@1"), "the strongest")
	require.True(t, met("main@39", "main@0"), "bots")
	require.False(t, met("main@38", "main@0"), "the weakest")
}
