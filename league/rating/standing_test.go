package rating

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

func testLadder(t *testing.T, best string) *messages.Ladder {
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: strengths, RNG: engine.NewRNG(1, 1)}
	return rateAll(t, playAll(s, rated, 100), best).Ladder
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
	require.Equal(t, ratingtest.Spec(3).Figures, l.Figures)
	for _, p := range raw.Payoff {
		require.ElementsMatch(t, keys(p), []string{"a", "b", "games", "mean_return_a", "low", "high", "share_a", "share_low",
			"share_high", "rated", "off"})
		require.EqualValues(t, 300, p["games"])
	}
	again, err := messages.ParseLadder(doc)
	require.NoError(t, err)
	require.Equal(t, l, again)
}

// Where a beats b, b beats c and c beats a, no numbers say who beats whom. The ladder does
// not keep that to itself; where numbers can show it, it is reported in 5 of 100 ladders at most.
func TestRatingsThatDoNotFitAreMarked(t *testing.T) {
	off := func(l *messages.Ladder) (n int) {
		for _, p := range l.Payoff {
			if p.Off {
				n++
			}
		}
		return n
	}
	for _, spec := range []*engine.Spec{ratingtest.Spec(2), ratingtest.MoneySpec(2), ratingtest.Spec(3),
		ratingtest.MoneySpec(3)} {
		b := NewResults(spec, "run", ratingtest.Rules, Sequential{})
		for _, k := range [][2]string{{"paper", "rock"}, {"rock", "scissors"}, {"scissors", "paper"}} {
			s := &ratingtest.Simulation{Spec: spec, Theta: map[string]float64{k[0]: 0.6}, RNG: engine.NewRNG(5, 0)}
			require.NoError(t, b.Apply(s.Play(b.Match(NewKey(k[0], k[1]), Span{0, 400}, 0))))
		}
		standing, err := b.Rate(Listing{Agents: []string{"paper", "rock", "scissors"}, Kind: ratingtest.Kind})
		require.NoError(t, err)
		require.Equal(t, 6, off(standing.Ladder), spec.Unit)
		var out bytes.Buffer
		require.NoError(t, Render(&out, standing.Ladder, Style{}))
		require.Regexp(t, `≠ -?\d`, out.String())
		require.Contains(t, out.String(), "one number for each")

		wrong := 0
		s := &ratingtest.Simulation{Spec: spec, Theta: strengths, Luck: 0.5, RNG: engine.NewRNG(6, 0)}
		for range 300 {
			if off(rateAll(t, playAll(s, rated, 80), "").Ladder) > 0 {
				wrong++
			}
		}
		require.LessOrEqual(t, wrong, 25, "%s, %d seats", spec.Unit, spec.Seats)
		t.Log(spec.Unit, spec.Seats, wrong)
	}
}

// Points of Tysiąc, of which histories write 400 as 1, have one decimal.
func TestDecimalsOfMoney(t *testing.T) {
	spec := ratingtest.MoneySpec(2)
	require.Equal(t, 3, moneyDecimals(spec))
	spec.HistoryUnit = 400
	require.Equal(t, 1, moneyDecimals(spec))
	spec.HistoryUnit = 1e6
	require.Equal(t, 0, moneyDecimals(spec))
}

// Of games for money the document tells sums of money, and no shares of a win.
func TestLadderForMoney(t *testing.T) {
	s := &ratingtest.Simulation{Spec: ratingtest.MoneySpec(2), Theta: strengths, RNG: engine.NewRNG(1, 1)}
	b := playAll(s, rated, 400)
	l := rateAll(t, b, "main@3").Ladder
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
	b.Spec = ratingtest.MoneySpec(2)
	standing, err := b.Rate(Listing{Agents: rated[2:], Kind: ratingtest.Kind, Zero: zero})
	require.NoError(t, err)
	require.Equal(t, messages.MeanZero, standing.Ladder.Scale.Zero)
	sum := 0.0
	for _, a := range standing.Ladder.Agents {
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
