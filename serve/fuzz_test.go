package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"

	"croupier/agents/external"
)

// Whatever is asked is answered with a decision that is legal there, or with a document that says what is wrong.
func FuzzQuestions(f *testing.F) {
	s := serveAgent(f, "pig", "hold(20)")
	h := s.Handler(nil, nil)
	position := string(engine.ExampleOf(s.game))
	rules, err := json.Marshal(s.game.Rules())
	require.NoError(f, err)
	f.Add(byte(0), position, "seed=7")
	f.Add(byte(0), "", "seed=-1")
	f.Add(byte(1), `{"type":"hello","protocol":1,"game":"pig","rules":`+string(rules)+`}`, "")
	f.Add(byte(1), `{"type":"choose","id":3,"position":`+position+`,"seed":5,"legal":[]}`, "")
	f.Add(byte(1), `{"type":"values","id":3}`, "")
	f.Add(byte(1), `{"type":"choose","position":{}}`, "%zz")
	f.Add(byte(1), `{"type":"quit"}`, "seed=1&seed=x")
	f.Fuzz(func(t *testing.T, path byte, body, query string) {
		paths := []string{"/api/decide", "/api/agent"}
		r := httptest.NewRequest(http.MethodPost, paths[int(path)%len(paths)], strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Less(t, w.Code, 500, w.Body)
		var answer struct {
			Error  string            `json:"error"`
			Action int               `json:"action"`
			Legal  []external.Action `json:"legal"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body)
		if w.Code != http.StatusOK {
			require.NotEmpty(t, answer.Error)
		} else if path%2 == 0 {
			legal := false
			for _, l := range answer.Legal {
				legal = legal || l.Action == answer.Action
			}
			require.True(t, legal, w.Body)
		}
	})
}
