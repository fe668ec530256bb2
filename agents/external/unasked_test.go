package external

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// dealt is a first decision of Kuhn poker.
func dealt(t *testing.T) (s engine.State, legal []int) {
	t.Helper()
	s = gameOf(t, "kuhn").NewState()
	require.NoError(t, s.Apply(0))
	require.NoError(t, s.Apply(1))
	return s, s.LegalActions(nil)
}

// A second copy of an answer is not taken for the answer to a later question: every other decision is drawn at random
// and counted, and each of the others is the agent's own. Each question has a number of its own, in all games and
// processes.
func TestAnAnswerTooManyShiftsNone(t *testing.T) {
	const decisions = 12
	path := filepath.Join(t.TempDir(), "log")
	s, legal := dealt(t)
	chosen := map[string][]int{}
	for _, behaviour := range []string{"polite", "twice"} {
		a, err := Open(t.Context(), gameOf(t, "kuhn"), named(behaviour, "log="+path+behaviour))
		require.NoError(t, err)
		p, rng := a.Policy(t.Context()), engine.NewRNG(1, 1)
		for range decisions {
			p.Reset()
			chosen[behaviour] = append(chosen[behaviour], p.Choose(s, legal, rng))
		}
		if behaviour == "twice" {
			require.Regexp(t, `6 of 12 decisions .* 6 were no answers; .*(before it was asked|the answer is to question)`,
				a.Conduct())
		}
	}
	for i := 0; i < decisions; i += 2 {
		require.Equal(t, chosen["polite"][i], chosen["twice"][i], i)
	}
	text, err := os.ReadFile(path + "twice")
	require.NoError(t, err)
	for id := 1; id <= decisions; id++ {
		require.LessOrEqual(t, strings.Count(string(text), fmt.Sprintf(`"sent":{"type":"choose","id":%d,`, id)), 1)
	}
	require.Contains(t, string(text), fmt.Sprintf(`"id":%d,`, decisions))
}

// What a process says before a question is not its answer; the error quotes it.
func TestNothingIsSaidUnasked(t *testing.T) {
	_, err := Open(t.Context(), gameOf(t, "kuhn"), named("banner"))
	require.ErrorContains(t, err, `"Welcome"`)
}

// A server's answers to other questions, and more than one answer at once, are none.
func TestServerThatAnswersOtherQuestions(t *testing.T) {
	greeted := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q Question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, "no message", http.StatusBadRequest)
			return
		}
		switch {
		case q.Type == TypeHello:
			greeted++
			fmt.Fprint(w, `{"protocol":1}`)
		case r.URL.Path == "/earlier":
			fmt.Fprintf(w, `{"id":%d,"action":0}`, q.ID-1)
		default:
			fmt.Fprintf(w, `{"id":%d,"action":0}{"id":%d,"action":0}`, q.ID, q.ID+1)
		}
	}))
	defer server.Close()
	s, legal := dealt(t)
	for path, says := range map[string]string{
		"/earlier": "the answer is to question 1, not to 2", "/two": "invalid answer",
	} {
		greeted = 0
		a, err := Open(t.Context(), gameOf(t, "kuhn"), server.URL+path)
		require.NoError(t, err)
		p := a.Policy(t.Context())
		for range 2 {
			p.Choose(s, legal, engine.NewRNG(1, 1))
		}
		require.Contains(t, a.Conduct(), "2 of 2 decisions were drawn at random instead")
		require.Contains(t, a.Conduct(), says)
		require.Equal(t, 2, greeted, "after each wrong answer it is greeted again")
	}
}
