package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
	"croupier/games/pig"
	"croupier/policy"
)

var sharedStudy = sync.OnceValues(func() (*banluck.Study, error) {
	g, err := game.New(nil)
	if err != nil {
		return nil, err
	}
	return banluck.NewStudy(context.Background(), g, nil)
})

func usualStudy(t *testing.T) *banluck.Study {
	t.Helper()
	study, err := sharedStudy()
	require.NoError(t, err)
	return study
}

func newGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := catalog.New(game.Entry, pig.Entry).New(name, []byte(rules))
	require.NoError(t, err)
	return g
}

// tableOf writes the strategies of a study as CSV.
func tableOf(t *testing.T) string {
	t.Helper()
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	require.NoError(t, w.Write(Columns))
	for row := range Strategies(usualStudy(t)) {
		require.NoError(t, w.Write(row))
	}
	w.Flush()
	return text.String()
}

// TestReadPlayer: a player by a table that was written plays like the equilibrium.
func TestReadPlayer(t *testing.T) {
	study, text := usualStudy(t), tableOf(t)
	require.True(t, IsTable([]byte(text)))
	newPolicy, err := ReadPlayer(study.Game, []byte(text))
	require.NoError(t, err)
	s, err := study.HeadsUp.SolutionOf(func() policy.Policy { return newPolicy() })
	require.NoError(t, err)
	require.InDelta(t, study.Equilibrium.EV, s.EV, 1e-12)
	require.InDelta(t, 0, s.Exploitability, 1e-12)
}

// TestReadPlayerRefuses: a table that is damaged, or of other rules, is refused by its line.
func TestReadPlayerRefuses(t *testing.T) {
	study, text := usualStudy(t), tableOf(t)
	lines := strings.SplitAfter(text, "\n")
	change := func(line int, old, new string) string {
		changed := append([]string{}, lines...)
		require.Contains(t, changed[line-1], old)
		changed[line-1] = strings.Replace(changed[line-1], old, new, 1)
		return strings.Join(changed, "")
	}
	last := len(lines) - 2 // the last hard 15
	for name, c := range map[string]struct{ text, message string }{
		"a missing row": {strings.Join(append(append([]string{}, lines[:9]...), lines[10:]...), ""),
			"line 10: it is the row of"},
		"a missing end":     {strings.Join(lines[:last], ""), "the table ends before the row of equilibrium,dealer,7-8"},
		"a row too many":    {text + lines[last], "the table should have ended before it"},
		"another column":    {change(1, "ev_hit", "ev_hid"), "line 1: the columns are"},
		"a cell too many":   {change(7, "\n", ",1\n"), "line 7"},
		"a flipped value":   {change(20, ".", "1."), "line 20: "},
		"a flipped choice":  {change(last+1, ",0,1,", ",1,0,"), "under these rules the strategies of the table give"},
		"no share":          {change(last+1, ",0,1,", ",2,-1,"), "not a share from 0 to 1"},
		"no number":         {change(last+1, ",0,1,", ",x,1,"), "not a share from 0 to 1"},
		"another hand":      {change(5, "player", "dealer"), "line 5: it is the row of"},
		"nothing but names": {lines[0], "line 2: the table ends before"},
	} {
		_, err := ReadPlayer(study.Game, []byte(c.text))
		require.ErrorContains(t, err, c.message, name)
	}
	_, err := ReadPlayer(newGame(t, "banluck", "surrender: false"), []byte(text))
	require.ErrorContains(t, err, "line 2: it is the row of baseline(1,1)")
	_, err = ReadPlayer(newGame(t, "banluck", "payouts: {five_card: 3}"), []byte(text))
	require.ErrorContains(t, err, "under these rules the strategies of the table give")
	_, err = ReadPlayer(newGame(t, "banluck", "players: 2"), []byte(text))
	require.ErrorContains(t, err, "one player")
	_, err = ReadPlayer(newGame(t, "pig", ""), []byte(text))
	require.ErrorContains(t, err, "it is a table of banluck")
}

// TestStrategiesBreakOff: a reader of the rows may stop at any of them.
func TestStrategiesBreakOff(t *testing.T) {
	study := usualStudy(t)
	count := 0
	for row := range Strategies(study) {
		require.Len(t, row, len(Columns))
		count++
	}
	players, dealers := len(study.HeadsUp.PlayerHands()), len(study.HeadsUp.DealerHands())
	require.Equal(t, 5*players+4*dealers+len(study.HeadsUp.Surrenderable()), count)
	for _, last := range []int{1, players + 1, 5*players + 1, count} {
		seen := 0
		for range Strategies(study) {
			if seen++; seen == last {
				break
			}
		}
		require.Equal(t, last, seen)
	}
}
