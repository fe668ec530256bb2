package rating

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// matrix makes a ladder for two seats of these shares of the win above parity, known to ± width.
func matrix(names []string, gains [][]float64, width float64) *messages.Ladder {
	l := &messages.Ladder{Seats: 2}
	for i, a := range names {
		l.Agents = append(l.Agents, messages.LadderAgent{Name: a})
		for j, b := range names {
			if i != j {
				share := 0.5 + gains[i][j]
				l.Payoff = append(l.Payoff, messages.Payoff{
					A: a, B: b, Rated: 0.5, WinShare: &messages.WinShare{ShareA: share, ShareLow: share - width,
						ShareHigh: share + width},
				})
			}
		}
	}
	return l
}

func nashOf(t *testing.T, l *messages.Ladder) map[string]AnalysedAgent {
	t.Helper()
	a, err := Analyse(l)
	require.NoError(t, err)
	byName := map[string]AnalysedAgent{}
	for _, x := range a.Agents {
		byName[x.Name] = x
	}
	return byName
}

func TestRockPaperScissors(t *testing.T) {
	l := matrix([]string{"rock", "paper", "scissors"}, [][]float64{{0, -.5, .5}, {.5, 0, -.5}, {-.5, .5, 0}}, 0.01)
	a, err := Analyse(l)
	require.NoError(t, err)
	for _, x := range a.Agents {
		require.InDelta(t, 1.0/3, x.Nash, 1e-6)
		require.InDelta(t, 1.0/3, x.AlphaRank, 1e-6)
		require.InDelta(t, 0, x.Average, 1e-6)
	}
	require.Len(t, a.Cycles, 1)
	require.Equal(t, [3]string{"rock", "scissors", "paper"}, a.Cycles[0].Agents)
	require.InDelta(t, 0, a.Explained, 1e-3, "one number says nothing")
}

// TestCopiesShareTheirWeight: what Nash averaging is for (Balduzzi et al. 2018, section 4): which agent is
// there twice counts no more.
func TestCopiesShareTheirWeight(t *testing.T) {
	l := matrix([]string{"rock", "rock2", "paper", "scissors"},
		[][]float64{{0, 0, -.5, .5}, {0, 0, -.5, .5}, {.5, .5, 0, -.5}, {-.5, -.5, .5, 0}}, 0.01)
	a := nashOf(t, l)
	require.InDelta(t, 1.0/6, a["rock"].Nash, 1e-3)
	require.InDelta(t, 1.0/6, a["rock2"].Nash, 1e-3)
	require.InDelta(t, 1.0/3, a["paper"].Nash, 1e-3)
	require.InDelta(t, 1.0/3, a["scissors"].Nash, 1e-3)
}

// TestBiasedCycle: of a cycle whose gains differ, the equilibrium gives each agent the gain of the pair
// without it, over their sum.
func TestBiasedCycle(t *testing.T) {
	const ab, bc, ca = 0.1, 0.2, 0.4
	a := nashOf(t, matrix([]string{"a", "b", "c"}, [][]float64{{0, ab, -ca}, {-ab, 0, bc}, {ca, -bc, 0}}, 0.001))
	require.InDelta(t, bc/(ab+bc+ca), a["a"].Nash, 5e-3)
	require.InDelta(t, ca/(ab+bc+ca), a["b"].Nash, 5e-3)
	require.InDelta(t, ab/(ab+bc+ca), a["c"].Nash, 5e-3)
}

func TestDominatedAgentsHaveNoWeight(t *testing.T) {
	gains := [][]float64{{0, .2, .4}, {-.2, 0, .2}, {-.4, -.2, 0}}
	l := matrix([]string{"best", "good", "bad"}, gains, 0.01)
	for i := range l.Payoff {
		l.Payoff[i].Rated = l.Payoff[i].ShareA
	}
	a := nashOf(t, l)
	require.InDelta(t, 1, a["best"].Nash, 1e-3)
	require.InDelta(t, -0.2, a["good"].Average, 1e-3)
	require.Greater(t, a["best"].AlphaRank, 0.99)
	whole, err := Analyse(l)
	require.NoError(t, err)
	require.Empty(t, whole.Cycles)
	require.InDelta(t, 1, whole.Explained, 1e-9)
}

// TestChanceIsNoCycle: a cycle within the intervals is none.
func TestChanceIsNoCycle(t *testing.T) {
	l := matrix([]string{"a", "b", "c"}, [][]float64{{0, .02, -.02}, {-.02, 0, .02}, {.02, -.02, 0}}, 0.05)
	a, err := Analyse(l)
	require.NoError(t, err)
	require.Empty(t, a.Cycles)
	require.Equal(t, 1.0, a.Explained, "there is nothing beyond chance")
}

func TestWhoHasNotMetIsLeftOut(t *testing.T) {
	l := matrix([]string{"a", "b", "c"}, [][]float64{{0, .1, .1}, {-.1, 0, .1}, {-.1, -.1, 0}}, 0.01)
	l.Agents = append(l.Agents, messages.LadderAgent{Name: "new"})
	l.Payoff = append(l.Payoff, messages.Payoff{A: "new", B: "a", WinShare: &messages.WinShare{ShareA: 1}},
		messages.Payoff{A: "a", B: "new", WinShare: &messages.WinShare{}})
	a, err := Analyse(l)
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, a.LeftOut)
	require.Len(t, a.Agents, 3)
	_, err = Analyse(&messages.Ladder{Agents: l.Agents[:1]})
	require.ErrorContains(t, err, "fewer than two agents have met")
}

// Few games say little: the interval of a weight says how little, and shrinks as results become certain.
func TestNashHasIntervals(t *testing.T) {
	names, gains := []string{"a", "b"}, [][]float64{{0, .05}, {-.05, 0}}
	unsure := nashOf(t, matrix(names, gains, 0.2)) // 20 games: a may well be the weaker one
	require.InDelta(t, 1, unsure["a"].Nash, 1e-3)
	require.Less(t, unsure["a"].NashLow, 0.05)
	require.Greater(t, unsure["b"].NashHigh, 0.95)
	sure := nashOf(t, matrix(names, gains, 0.01))
	require.Greater(t, sure["a"].NashLow, 0.95)
	require.Less(t, sure["b"].NashHigh, 0.05)
	require.Equal(t, sure, nashOf(t, matrix(names, gains, 0.01)), "the same results, the same intervals")
	for _, a := range unsure {
		require.True(t, a.NashLow <= a.Nash && a.Nash <= a.NashHigh)
	}
	three := nashOf(t, matrix([]string{"rock", "paper", "scissors"}, [][]float64{{0, -.5, .5}, {.5, 0, -.5}, {-.5, .5, 0}},
		0.1))
	require.InDelta(t, 0.29, three["rock"].NashLow, 0.05)
	require.InDelta(t, 0.38, three["rock"].NashHigh, 0.05)
}

// Old versions that have not met go before a solution and the network that comes with the program, whom fewer have met.
func TestReferencesStayInTheAnalysis(t *testing.T) {
	l := &messages.Ladder{Seats: 2}
	l.Agents = append(l.Agents,
		messages.LadderAgent{Name: "main@3", Best: true}, messages.LadderAgent{Name: "main@2"},
		messages.LadderAgent{Name: "main@1"},
		messages.LadderAgent{Name: "bot"}, messages.LadderAgent{Name: "trained"},
		messages.LadderAgent{Name: "solver:equilibrium"},
		messages.LadderAgent{Name: "main@4"})
	meet := func(a, b string) {
		for _, p := range [][2]string{{a, b}, {b, a}} {
			l.Payoff = append(l.Payoff, messages.Payoff{A: p[0], B: p[1],
				WinShare: &messages.WinShare{ShareA: 0.5, ShareLow: 0.4, ShareHigh: 0.6}, Rated: 0.5})
		}
	}
	for i, a := range []string{"main@4", "main@3", "bot", "trained", "solver:equilibrium"} {
		for _, b := range []string{"main@4", "main@3", "bot", "trained", "solver:equilibrium"}[:i] {
			meet(a, b)
		}
	}
	for _, old := range []string{"main@1", "main@2"} { // they have met each other and all that learn, and no solution
		for _, b := range []string{"main@3", "main@4", "bot"} {
			meet(old, b)
		}
	}
	meet("main@1", "main@2")
	a, err := Analyse(l)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"main@1", "main@2"}, a.LeftOut)
	require.Len(t, a.Agents, 5)
}

// What is written for people names the weights, what they are worth, who is left out and the circle.
func TestAnalysisIsWritten(t *testing.T) {
	names := []string{"rock", "paper", "scissors"}
	l := matrix(names, [][]float64{{0, -.5, .5}, {.5, 0, -.5}, {-.5, .5, 0}}, 0.01)
	l.Game = "roshambo"
	l.Agents = append(l.Agents, messages.LadderAgent{Name: "well"})
	a, err := Analyse(l)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, a.Render(&out, l, 0))
	require.Regexp(t, `rock\s+0\.333\s+0\.\d\d … 0\.\d\d\s+\+0\.0 %\s+0\.333`, out.String())
	require.Contains(t, out.String(), "1 agents are left out that have not met all of these: well\n")
	require.Contains(t, out.String(), "The ratings explain 0 %")
	require.Contains(t, out.String(),
		"circle: rock beats scissors (+50.0 %), which beats paper (+50.0 %), which beats rock (+50.0 %)\n")

	l = matrix(names, [][]float64{{0, .2, .4}, {-.2, 0, .2}, {-.4, -.2, 0}}, 0.01)
	l.Scale = messages.Scale{Kind: messages.MoneyScale, Unit: "coins per game", Decimals: 2}
	for i := range l.Payoff {
		l.Payoff[i].MeanReturnA, l.Payoff[i].WinShare = 2*(l.Payoff[i].ShareA-0.5), nil
		l.Payoff[i].Low, l.Payoff[i].High = l.Payoff[i].MeanReturnA-0.01, l.Payoff[i].MeanReturnA+0.01
	}
	a, err = Analyse(l)
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, a.Render(&out, l, 0))
	require.Regexp(t, `rock\s+1\.000\s+1\.00 … 1\.00\s+\S*0\.00\s+1\.000`, out.String())
	require.Regexp(t, `scissors\s+0\.000\s+0\.00 … 0\.00\s+-0\.80\s`, out.String())
	require.Contains(t, out.String(), "against it: coins per game against that equilibrium")
	require.Contains(t, out.String(), "No three agents beat one another in a circle")
}
