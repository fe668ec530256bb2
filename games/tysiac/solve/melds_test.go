package solve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/tysiac"
)

// The sums are those of the answers to each lead on which a meld could be declared.
func TestTimingOfMeldsIsThatOfTheAnswers(t *testing.T) {
	records := inThePlay(t, 0)
	leads, declared, waiting, lost := 0, 0., 0., 0.
	for _, record := range records {
		var rec struct{ History []int }
		require.NoError(t, json.Unmarshal([]byte(record), &rec))
		for i, step := range rec.History {
			if step < firstCard || (len(rec.History)-i)%2 != 0 {
				continue // not a lead
			}
			cut, err := json.Marshal(rec.History[:i])
			require.NoError(t, err)
			best := [2]int{-1000, -1000} // waiting, declaring
			for _, v := range answers(t, fmt.Sprintf(`{"game": "tysiac-hand", "history": %s}`, cut))[0].Actions {
				kind := map[bool]int{true: 1, false: 0}[v.Action >= tysiac.Declare]
				best[kind] = max(best[kind], v.Value)
			}
			if best[1] == -1000 {
				continue
			}
			leads++
			waiting += float64(best[0] - best[1])
			if step >= tysiac.Declare {
				declared++
				lost += float64(max(0, best[0]-best[1]))
			} else {
				lost += float64(max(0, best[1]-best[0]))
			}
		}
	}
	timings, err := TimeMelds(t.Context(), strings.NewReader(strings.Join(records, "\n")), nil)
	require.NoError(t, err)
	all, sum := timings[0], 0
	require.Equal(t, 0, all.Trick)
	require.Equal(t, leads, all.Leads)
	require.Greater(t, leads, 10)
	require.InDelta(t, declared/float64(leads), all.Declared.Value, 1e-12)
	require.InDelta(t, waiting/float64(leads), all.Waiting.Value, 1e-12)
	require.InDelta(t, lost/float64(leads), all.Lost.Value, 1e-12)
	for _, m := range timings[1:] {
		require.Positive(t, m.Trick)
		sum += m.Leads
	}
	require.LessOrEqual(t, sum, leads)
	var out strings.Builder
	require.NoError(t, RenderMelds(&out, timings))
	require.Regexp(t, fmt.Sprintf(`all +%d +%.1f %%`, leads, 100*all.Declared.Value), out.String())
}

// Declaring a meld for which waiting is worth less loses nothing, and the games are the clusters.
func TestLeadsAreAddedUpByGame(t *testing.T) {
	var s meldSums
	for range 2 {
		s.add(true, -40)
		s.add(false, -60)
		s.endGame()
	}
	var sums [1 + handTricks]meldSums
	sums[9] = s
	timings := timings(&sums)
	require.Len(t, timings, 1)
	require.Equal(t, []any{9, 4, 0.5, -50., 30.}, []any{timings[0].Trick, timings[0].Leads, timings[0].Declared.Value,
		timings[0].Waiting.Value, timings[0].Lost.Value})
}

func TestTimingOfMeldsRefuses(t *testing.T) {
	good := inThePlay(t, 0)[0]
	for record, message := range map[string]string{
		`{"game": "kuhn", "history": []}`:          "line 2: the game is kuhn, not tysiac or tysiac-hand",
		`{"game": "tysiac", "history": [1, 2, 2]}`: "line 2, step 2: illegal chance outcome 2",
		`{`: "line 2: not a JSON object",
	} {
		_, err := TimeMelds(t.Context(), strings.NewReader(good+"\n"+record), nil)
		require.ErrorContains(t, err, message)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := TimeMelds(ctx, &bytes.Buffer{}, nil)
	require.ErrorIs(t, err, context.Canceled)
}
