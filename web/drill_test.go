package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/seed"
)

// testDriller knows one game and deals nothing.
type testDriller struct{}

func (testDriller) Games(context.Context, string) ([]DrillGame, error) {
	return []DrillGame{{Name: "pig", Title: "Pig"}}, nil
}

func (testDriller) Deal(_ context.Context, q DrillQuestion) (*DealtDrill, error) {
	if q.Game != "pig" {
		return nil, errors.New("unknown game")
	}
	return &DealtDrill{Rule: q.Difficulty, Seed: seed.Number(q.Seed)}, nil
}

// Whatever is asked, the answer is a drill or a sentence.
func FuzzDrill(f *testing.F) {
	for _, body := range []string{
		`{"game": "pig"}`, `{"game": "pig", "difficulty": "easy", "seed": 7}`, `{"game": "chess"}`,
		`{"game": "pig", "difficulty": "cruel"}`, `{"seed": -1}`, `{"seed": 1e99}`, `[]`, `null`, `{`, ``, "\x00",
	} {
		f.Add(body)
	}
	page := DrillPage(testDriller{}, quiet)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "http://localhost/api/drill", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		page.API["POST /api/drill"].ServeHTTP(w, r)
		var answer struct {
			Error string
			Rule  string
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body.String())
		if w.Code == http.StatusOK {
			require.Contains(t, []string{EasyDrill, HardDrill}, answer.Rule)
			return
		}
		require.GreaterOrEqual(t, w.Code, 400)
		require.Less(t, w.Code, 500)
		require.NotEmpty(t, answer.Error)
	})
}
