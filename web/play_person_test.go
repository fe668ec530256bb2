package web

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/play"
)

// What a person has played is shown to the holder of the key, and to nobody else; it can be deleted. Wrong
// keys are refused with a sentence, and asking makes no file.
func TestPersonsStatistics(t *testing.T) {
	people := &play.People{Dir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hall := play.NewHall(ctx, play.Options{Source: testSource{}, Limits: play.DefaultLimits(), Log: quiet, People: people})
	h := newTestServer(PlayPage(hall, testSource{}, testAdvisor{}, quiet))
	key, other := strings.Repeat("1", 32), strings.Repeat("2", 32)
	made := laid(t, h, fmt.Sprintf(`{"game": "kuhn", "seats": [{"person": "Anna", "person_key": %q}, {"open": true}]}`,
		key))
	w := tell(h, "/api/tables/join", fmt.Sprintf(`{"code": %q, "name": "Bert", "person_key": "x"}`, made.Code))
	require.Equal(t, 400, w.Code)
	require.Contains(t, w.Body.String(), "32 hexadecimal digits")
	w = tell(h, "/api/tables/join", fmt.Sprintf(`{"code": %q, "name": "Bert", "person_key": %q}`, made.Code, other))
	require.Equal(t, 200, w.Code, w.Body.String())
	bert := decodeBody[play.Seated](t, w)
	keys := []string{made.Keys[0], bert.Key}
	for {
		show, text := shownTo(t, h, made.Table, keys[0])
		require.NotContains(t, text, key)
		require.NotContains(t, text, other)
		if show.Over != nil {
			break
		}
		if show.Mover >= 0 {
			own, _ := shownTo(t, h, made.Table, keys[show.Mover])
			tell(h, "/api/tables/"+made.Table+"/act?key="+keys[show.Mover],
				fmt.Sprintf(`{"step": %d, "action": %d}`, own.Step, own.Actions[0].Action))
		}
	}
	require.Equal(t, 200, tell(h, "/api/tables/"+made.Table+"/accuracy?key="+keys[0], `{"accuracy": 90}`).Code)
	require.Equal(t, 400, tell(h, "/api/tables/"+made.Table+"/accuracy?key="+keys[0], `{}`).Code)
	require.Equal(t, 404, tell(h, "/api/tables/"+made.Table+"/accuracy?key=x", `{"accuracy": 90}`).Code)

	w = get(h, "GET", "/api/person?key="+key)
	require.Equal(t, 200, w.Code)
	tallies := decodeBody[[]play.Tally](t, w)
	require.Equal(t, 1, tallies[0].Games)
	require.Equal(t, []float64{90}, tallies[0].Accuracies)
	require.NotContains(t, w.Body.String(), other)

	require.JSONEq(t, "[]", get(h, "GET", "/api/person?key="+strings.Repeat("3", 32)).Body.String())
	for _, wrong := range []string{"", "x", "..%2Fgames", strings.Repeat("A", 32)} {
		for _, method := range []string{"GET", "DELETE"} {
			w := get(h, method, "/api/person?key="+wrong)
			require.Equal(t, http.StatusBadRequest, w.Code)
			require.Contains(t, w.Body.String(), "32 hexadecimal digits")
		}
	}
	require.Equal(t, 403, get(h, "DELETE", "/api/person?key="+key, "Sec-Fetch-Site", "cross-site").Code)
	files := func() int {
		list, err := os.ReadDir(people.Dir)
		require.NoError(t, err)
		return len(list)
	}
	require.Equal(t, 2, files())
	require.Equal(t, 200, get(h, "DELETE", "/api/person?key="+key).Code)
	require.Equal(t, 200, get(h, "DELETE", "/api/person?key="+key).Code, "there is nothing left to delete")
	require.Equal(t, 1, files())
	require.JSONEq(t, "[]", get(h, "GET", "/api/person?key="+key).Body.String())
	require.NotEqual(t, "[]\n", get(h, "GET", "/api/person?key="+other).Body.String(), "Bert's stay")
}
