package league

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
)

func testLadder(t *testing.T, best string) *messages.Ladder {
	s := &simulation{spec: testSpec(3), theta: strengths, rng: engine.NewRNG(1, 1)}
	return rateAll(t, s.league(rated, 100), best).ladder
}

func TestLadderDocument(t *testing.T) {
	l := testLadder(t, "main@3")
	doc, err := l.JSON()
	require.NoError(t, err)
	var raw struct {
		Game   string
		Scale  map[string]any
		Agents []map[string]any
		Payoff []map[string]any
	}
	require.NoError(t, json.Unmarshal(doc, &raw))
	require.Equal(t, "test", raw.Game)
	require.Equal(t, map[string]any{"kind": "elo", "unit": "Elo", "zero": "bot", "decimals": 0.0}, raw.Scale)
	require.Len(t, raw.Agents, 5)
	require.Len(t, raw.Payoff, 20, "every two agents, both ways")
	for _, a := range raw.Agents {
		want := []string{"name", "kind", "rating", "low", "high", "games", "best", "places", "figures"}
		if a["best"] != true {
			want = append(want, "to_best")
		}
		if a["name"] == "main@2" || a["name"] == "main@3" {
			want = append(want, "to_previous")
		}
		require.ElementsMatch(t, want, keys(a))
		require.Len(t, a["figures"], 2)
		require.EqualValues(t, 4*600, a["games"])
		require.Equal(t, a["name"] == "main@3", a["best"])
	}
	require.Equal(t, "network", raw.Agents[0]["kind"])
	require.Equal(t, testSpec(3).Figures, l.Figures)
	for _, p := range raw.Payoff {
		require.ElementsMatch(t, keys(p), []string{"a", "b", "games", "mean_return_a", "low", "high", "share_a", "share_low", "share_high", "rated", "off"})
		require.EqualValues(t, 300, p["games"])
	}
	again, err := messages.ParseLadder(doc)
	require.NoError(t, err)
	require.Equal(t, l, again)
}

// Where a beats b, b beats c and c beats a, no numbers say who beats whom. The ladder does
// not keep that to itself; where numbers can say it, it is told so in 5 of 100 ladders at most.
func TestRatingsThatDoNotFitAreMarked(t *testing.T) {
	off := func(l *messages.Ladder) (n int) {
		for _, p := range l.Payoff {
			if p.Off {
				n++
			}
		}
		return n
	}
	for _, spec := range []*engine.Spec{testSpec(2), moneySpec(2), testSpec(3), moneySpec(3)} {
		b := newBook(spec, "run", testRules, sequential{})
		for _, k := range [][2]string{{"paper", "rock"}, {"rock", "scissors"}, {"scissors", "paper"}} {
			s := &simulation{spec: spec, theta: map[string]float64{k[0]: 0.6}, rng: engine.NewRNG(5, 0)}
			require.NoError(t, b.apply(s.play(b.match(newPairKey(k[0], k[1]), span{0, 400}, 0))))
		}
		standing, err := b.rate(listing{agents: []string{"paper", "rock", "scissors"}, kind: testKind})
		require.NoError(t, err)
		require.Equal(t, 6, off(standing.ladder), spec.Unit)
		var out bytes.Buffer
		require.NoError(t, Render(&out, standing.ladder, Style{}))
		require.Regexp(t, `≠ -?\d`, out.String())
		require.Contains(t, out.String(), "one number for each")

		wrong := 0
		s := &simulation{spec: spec, theta: strengths, luck: 0.5, rng: engine.NewRNG(6, 0)}
		for range 300 {
			if off(rateAll(t, s.league(rated, 80), "").ladder) > 0 {
				wrong++
			}
		}
		require.LessOrEqual(t, wrong, 25, "%s, %d seats", spec.Unit, spec.Seats)
		t.Log(spec.Unit, spec.Seats, wrong)
	}
}

// Points of Tysiąc, of which histories write 400 as 1, have one decimal.
func TestDecimalsOfMoney(t *testing.T) {
	spec := moneySpec(2)
	require.Equal(t, 3, moneyDecimals(spec))
	spec.HistoryUnit = 400
	require.Equal(t, 1, moneyDecimals(spec))
	spec.HistoryUnit = 1e6
	require.Equal(t, 0, moneyDecimals(spec))
}

// Of games for money the document tells sums of money, and no shares of a win.
func TestLadderForMoney(t *testing.T) {
	s := &simulation{spec: moneySpec(2), theta: strengths, rng: engine.NewRNG(1, 1)}
	b := s.league(rated, 400)
	l := rateAll(t, b, "main@3").ladder
	require.Equal(t, messages.Scale{Kind: "money", Unit: "coins per game", Zero: "bot", Decimals: 3}, l.Scale)
	for _, p := range l.Payoff {
		require.Nil(t, p.WinShare)
	}
	require.InDelta(t, 0.9, l.Agents[0].Rating, 0.1, "what main@3 wins per game against bot")
	require.InDelta(t, -0.5, l.Agents[1].ToBest.Value, 0.1)
	doc, err := l.JSON()
	require.NoError(t, err)
	require.NotContains(t, string(doc), "share_")
	again, err := messages.ParseLadder(doc)
	require.NoError(t, err)
	require.Equal(t, l, again)

	var out bytes.Buffer
	require.NoError(t, Render(&out, l, Style{Figures: true}))
	require.Regexp(t, `^test: ratings in coins per game; 0 is bot\n`, out.String())
	require.Regexp(t, `1\s+main@3\s+network\s+0\.9\d\d\s+0\.8\d\d … \d\.\d\d\d`, out.String())
	require.Regexp(t, `one\s+among\s+games\s+coins per game\s+95 % interval\s+by the ratings`, out.String())
	require.Contains(t, out.String(), "\naces: share per turn; a part of random turns\n")
	require.NotContains(t, out.String(), "share of the win")
	require.NotContains(t, out.String(), "win ")
	requireFits(t, l)

	// Without the agent whose rating is 0, the mean is.
	b.spec = moneySpec(2)
	standing, err := b.rate(listing{agents: rated[2:], kind: testKind, zero: zero})
	require.NoError(t, err)
	require.Equal(t, messages.MeanZero, standing.ladder.Scale.Zero)
	sum := 0.0
	for _, a := range standing.ladder.Agents {
		sum += a.Rating
	}
	require.InDelta(t, 0, sum, 1e-5)
}

// requireFits requires that the ladder keeps to the width of a terminal that has room for the
// columns it cannot do without, and that it shows all of them where there is room for all.
func requireFits(t *testing.T, l *messages.Ladder) {
	t.Helper()
	for width := 60; width <= 200; width += 7 {
		var out bytes.Buffer
		require.NoError(t, Render(&out, l, Style{Width: width, Figures: true}))
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, " \n")), width, "%q", line)
		}
		for _, a := range l.Agents {
			if a.Name != l.Scale.Zero {
				require.Contains(t, out.String(), l.Scale.Write(a.Low)+" … "+l.Scale.Write(a.High))
			}
		}
		if width > 100 {
			require.Contains(t, out.String(), "to the best")
		}
	}
	var out bytes.Buffer
	require.NoError(t, Render(&out, l, Style{}))
	require.NotContains(t, out.String(), "Figures of the game")
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestLadderForPeople(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Render(&out, testLadder(t, "main@2"), Style{Figures: true}))
	require.Contains(t, out.String(), "best")
	require.Regexp(t, `1\s.*main@3\s.*network`, out.String())
	require.Regexp(t, `^test: ratings in Elo; 0 is bot\n`, out.String())
	require.Regexp(t, `1\s+main@3.*\+95 ± 21\s+\+95 ± 21`, out.String(), "to the best, and to the version before, which is the same")
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

func TestReadLadder(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadLadder(dir)
	require.ErrorContains(t, err, "no ladder yet")
	l := testLadder(t, "main@1")
	require.NoError(t, WriteLadder(dir, l))
	again, err := ReadLadder(dir)
	require.NoError(t, err)
	require.Equal(t, l, again)
	path := filepath.Join(dir, LadderFile)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	_, err = ReadLadder(dir)
	require.ErrorContains(t, err, path)
}

// The payoff matrix as a table for spreadsheets and as a picture.
func TestMatrixForOthers(t *testing.T) {
	s := &simulation{spec: moneySpec(2), theta: strengths, rng: engine.NewRNG(1, 1)}
	l := rateAll(t, s.league(rated, 400), "main@3").ladder
	var out bytes.Buffer
	require.NoError(t, WriteCSV(&out, l))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+len(l.Payoff))
	require.Equal(t, []string{"one", "among", "games", "mean_return", "low", "high", "share", "share_low", "share_high"}, lines[0])
	for i, p := range l.Payoff {
		mean, err := strconv.ParseFloat(lines[i+1][3], 64)
		require.NoError(t, err)
		require.Equal(t, p.MeanReturnA, mean)
		require.Equal(t, []string{p.A, p.B}, lines[i+1][:2])
		require.Equal(t, []string{"", "", ""}, lines[i+1][6:], "no shares of a win of games for money")
	}
	out.Reset()
	require.NoError(t, Picture(l).WriteSVG(&out))
	require.Contains(t, out.String(), "main@3")
	require.Contains(t, out.String(), "coins per game", "the legend has its unit")

	l = testLadder(t, "main@2")
	out.Reset()
	require.NoError(t, WriteCSV(&out, l))
	lines, err = csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	for i, p := range l.Payoff {
		require.Equal(t, strconv.FormatFloat(p.ShareA, 'g', -1, 64), lines[i+1][6])
	}
	out.Reset()
	require.NoError(t, Picture(l).WriteSVG(&out))
	require.Contains(t, out.String(), "all won")
}

// A ladder that could not be one is not read into memory.
func TestHugeLadderIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, LadderFile)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, maxLadder+1))
	_, err := ReadLadder(dir)
	require.ErrorContains(t, err, "are more than the limit of")
}
