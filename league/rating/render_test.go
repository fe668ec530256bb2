package rating

import (
	"bytes"
	"strings"
	"testing"

	"croupier/messages"

	"github.com/stretchr/testify/require"
)

func TestLadderForPeople(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Render(&out, testLadder(t, "main@2"), Style{Figures: true}))
	require.Contains(t, out.String(), "best")
	require.Regexp(t, `1\s.*main@3\s.*network`, out.String())
	require.Regexp(t, `^test: ratings in Elo; 0 is bot\n`, out.String())
	require.Regexp(t, `1\s+main@3.*\+95 ± 21\s+\+95 ± 21`, out.String(),
		"to the best, and to the version before, which is the same")
	require.Regexp(t, `3\s+bot\s+bot\s+0\s+2400`, out.String(), "0 has no interval")
	require.Contains(t, out.String(), "share of the win")
	require.Regexp(t, `main@3\s+main@2\s+300\s+44\.0 %\s+37\.8 … 49\.8 %`, out.String())
	require.Regexp(t, `agent\s+points\s+aces`, out.String())
	require.Regexp(t, `random\s+163 ± 10\s+0.053 ± 0.011`, out.String())
	require.NotRegexp(t, `(?m)^\s*bot\s.*random`, out.String(), "rows of others than the best and the newest")

	out.Reset()
	require.NoError(t, Render(&out, testLadder(t, ""), Style{}))
	require.Regexp(t, `(?m)^\s*bot\s.*random`, out.String(), "without a best all rows are shown")

	out.Reset()
	require.NoError(t, Render(&out, &messages.Ladder{Game: "pig"}, Style{}))
	require.Contains(t, out.String(), "pig")
}

func TestGainsForPeople(t *testing.T) {
	l := testLadder(t, "main@3")
	l.Promotions = []messages.LadderPromotion{
		{Number: 1, Agent: "main@1"},
		{Number: 2, Agent: "main@2", Over: "main@1", Seconds: 75, GateSets: 100,
			Gain: &messages.Gain{Games: 600, Value: 900, Low: 512, High: 900}},
		{Number: 3, Agent: "main@3", Over: "main@2", Seconds: 75, GateSets: 340,
			Gain: &messages.Gain{Games: 2040, Value: 31, Low: -4, High: 66}},
	}
	var out strings.Builder
	require.NoError(t, Render(&out, l, Style{}))
	require.Regexp(t, `(?m)^\s*main@3\s+main@2\s+1m15s\s+340\s+31\s+-4 … 66\s+2040`, out.String())
	require.Regexp(t, `(?m)^\s*main@2\s+main@1\s+1m15s\s+100\s+> 512\s+600`, out.String(), "every game was won")
	require.Regexp(t, `(?m)^\s*main@1\s+nobody\s+0s\s*$`, out.String())
	require.NotContains(t, out.String(), "exploitability")

	loss := 0.25
	l.Promotions[2].Exploitability, l.Promotions[2].GateSets = &loss, 0
	out.Reset()
	require.NoError(t, Render(&out, l, Style{}))
	require.Regexp(t, `(?m)^ best .* games\s+exploitability\s*$`, out.String())
	require.Regexp(t, `(?m)^\s*main@3\s+main@2\s+1m15s\s+31\s+-4 … 66\s+2040\s+0.25\s*$`, out.String())
	require.Regexp(t, `(?m)^\s*main@2\s+main@1\s+1m15s\s+100\s+> 512\s+600\s*$`, out.String())
}

// The ladder tells how far the test at the gate has come, in words too.
func TestGateProgressIsShown(t *testing.T) {
	l := &messages.Ladder{Game: "test", Gate: &messages.LadderGate{Agent: "main@12", Sets: 340, MaxSets: 6000}}
	var out bytes.Buffer
	require.NoError(t, Render(&out, l, Style{}))
	require.Contains(t, out.String(), "\nmain@12 is at the gate: 340 of at most 6000 sets\n")
}

// A table of rounds: places by points, + = - with the opponent's place, a rest as a point.
func TestRoundsAreWritten(t *testing.T) {
	l := &messages.Ladder{
		Agents: []messages.LadderAgent{{Name: "a"}, {Name: "b"}},
		Rounds: []messages.Round{
			{{A: "a", B: "b", PointsA: 1}, {A: "c", PointsA: 1}},
			{{A: "b", B: "c", PointsA: 0.5}, {A: "a", PointsA: 1}},
		},
	}
	var lines []string
	for line := range strings.Lines(roundsTable(l).Render()) {
		lines = append(lines, strings.Join(strings.Fields(strings.Trim(line, "│|\n ")), " "))
	}
	text := strings.Join(lines, "\n")
	require.Contains(t, text, "1 a 2 +3 +")
	require.Contains(t, text, "2 c 1.5 + =3")
	require.Contains(t, text, "3 b 0.5 -1 =2")
}

func TestVerdictsAreWritten(t *testing.T) {
	for verdict, says := range map[Verdict]string{
		Passed:    "Test: a is better than b, after 40 of at most 90 sets. Evidence 3.10, decided at ± 3.00.",
		Failed:    "Test: a was not found to be better than b, after 40",
		Undecided: "Test: it is not decided whether a is better than b, after 40",
	} {
		text := verdictText(&messages.SequentialTest{
			A: "a", B: "b", Verdict: string(verdict), Sets: 40, MostSets: 90, Evidence: 3.1, Threshold: 3, Gain: 0.2,
			Error: 0.05,
		})
		require.Contains(t, text, says)
		require.Contains(t, text, "0.2 standard deviations of a set; either verdict is wrong in at most 5 % of cases.")
	}
}
