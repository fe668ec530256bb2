package external

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/policy"
)

func named(behaviour string, options ...string) string {
	head := kindExec
	if len(options) > 0 {
		head += "(" + strings.Join(options, ",") + ")"
	}
	return fmt.Sprintf(`%s:"%s" agent %q`, head, os.Args[0], behaviour)
}

func gameOf(t *testing.T, name string) engine.Game {
	t.Helper()
	game, err := standard.Games.New(name, nil)
	require.NoError(t, err)
	return game
}

// playOn plays decisions of both seats with the agent and returns the actions.
func playOn(t *testing.T, a *Agent, game engine.Game, seed uint64) (actions []int) {
	t.Helper()
	s := game.NewState()
	rng := engine.NewRNG(seed, engine.ChanceStream)
	p := a.Policy(t.Context())
	p.Reset()
	for s.Player() != engine.Terminal {
		if s.Player() == engine.Chance {
			require.NoError(t, s.Apply(s.SampleChance(rng)))
			continue
		}
		action := p.Choose(s, s.LegalActions(nil), rng)
		require.NoError(t, s.Apply(action))
		actions = append(actions, action)
	}
	p.Reset()
	return actions
}

func TestEveryGameIsPlayed(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game := gameOf(t, entry.Name)
		if _, err := engine.Written(game); err != nil {
			continue
		}
		a, err := Open(t.Context(), game, named("polite", "copies=2"))
		require.NoError(t, err, entry.Name)
		for seed := range uint64(3) {
			require.Equal(t, playOn(t, a, game, seed), playOn(t, a, game, seed), entry.Name)
		}
		require.Empty(t, a.Conduct(), entry.Name)
		require.NoError(t, a.Err(), entry.Name)
	}
}

// A game without the interface for positions is one in which other people's agents cannot be asked.
func TestGameWithoutPositions(t *testing.T) {
	game := struct{ engine.Game }{gameOf(t, "kuhn")}
	const says = "kuhn has no written positions"
	_, err := Open(t.Context(), game, named("polite"))
	require.ErrorContains(t, err, says)
	findings := Check(t.Context(), game, named("polite"), 1, 1)
	require.Len(t, findings, 1)
	require.False(t, findings[0].OK)
	require.Equal(t, "can be asked in this game", findings[0].What)
	require.Contains(t, findings[0].Detail, says)
}

func TestMisconductIsCountedAndPlayGoesOn(t *testing.T) {
	game := gameOf(t, "kuhn")
	for behaviour, says := range map[string]string{
		"slow":        "1 came too late",
		"illegal":     "1 were not legal",
		"garbage":     `invalid answer "let me think"`,
		"long":        "its answer is longer than 64 KiB",
		"dies":        "the process ended (exit status 3); its last output: no more cards",
		"late answer": "the answer is to question 0, not to 1",
		"nan":         "invalid answer",
	} {
		a, err := Open(t.Context(), game, named(behaviour, "time=2s"))
		require.NoError(t, err, behaviour)
		s := game.NewState()
		require.NoError(t, s.Apply(0))
		require.NoError(t, s.Apply(1))
		legal := s.LegalActions(nil)
		p := a.Policy(t.Context())
		p.Reset()
		require.Contains(t, legal, p.Choose(s, legal, engine.NewRNG(1, 1)), behaviour)
		require.Contains(t, a.Conduct(), says, behaviour)
		require.Contains(t, a.Conduct(), "1 of 1 decisions were drawn at random instead", behaviour)
	}
}

func TestAgentThatNeverAnswersIsGivenUp(t *testing.T) {
	game := gameOf(t, "kuhn")
	a, err := Open(t.Context(), game, named("dies"))
	require.NoError(t, err)
	for seed := range uint64(20) {
		playOn(t, a, game, seed)
	}
	require.ErrorContains(t, a.Err(),
		"is given up after 10 failures in a row, the last: the process ended (exit status 3)")
}

func TestWhatCannotBegin(t *testing.T) {
	game := gameOf(t, "kuhn")
	for name, says := range map[string]string{
		"exec:":                            "it does not say which program",
		"exec:/nowhere/agent":              "no such file",
		"exec:true":                        "the process ended",
		"exec:'":                           "the quote ' is not closed",
		"exec(time=2s:true":                "the options are not closed",
		"exec(time=0s):true":               "it must lie in 1ms..1h0m0s",
		"exec(time=soon):true":             `option time=soon`,
		"exec(copies=0):true":              "they must lie in 1..64",
		"exec(memory=1):true":              "",
		"exec(memory=1GB):true":            "it must look like 512MiB or 2GiB",
		"exec(memory=99999999999TiB):true": "it must look like 512MiB or 2GiB",
		"exec(speed=9):true":               `unknown option "speed"`,
		"exec(log=/nowhere/log):true":      "option log: open /nowhere/log",
		"http:":                            "it does not say which server",
		"http:ftp://host":                  "it does not say which server",
		"http(memory=1GiB)://host":         "only a process of this machine can be limited",
		"http://127.0.0.1:1/":              "nothing listens at",
		named("old"):                       "it speaks protocol 0, this program 1",
	} {
		_, err := Open(t.Context(), game, name)
		require.ErrorContains(t, err, says, name)
	}
}

func TestMemoryIsLimited(t *testing.T) {
	a, err := Open(t.Context(), gameOf(t, "kuhn"), named("hungry", "memory=3GiB"))
	if runtime.GOOS != "linux" {
		require.ErrorContains(t, err, "cannot limit the memory")
		return
	}
	require.NoError(t, err)
	playOn(t, a, gameOf(t, "kuhn"), 1)
	require.Contains(t, a.Conduct(), "were no answers; the last: the process ended (exit status 2)")
}

// TestNothingRunsOn: whatever an agent does, its process ends with the context.
func TestNothingRunsOn(t *testing.T) {
	for _, behaviour := range []string{"polite", "stubborn"} {
		ctx, cancel := context.WithCancel(t.Context())
		a, err := Open(ctx, gameOf(t, "kuhn"), named(behaviour))
		require.NoError(t, err)
		p := a.slots[0].t
		cancel()
		_, err = p.Ask(t.Context(), []byte("{}"))
		require.ErrorContains(t, err, "the process ended")
	}
}

func TestSecretsStayInside(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game := gameOf(t, entry.Name)
		written, ok := game.(engine.Positioned)
		if !ok {
			continue
		}
		a := &Agent{game: written, options: defaults}
		p := &player{agent: a}
		rng, asked := engine.NewRNG(7, 7), 0
		for range 20 {
			s := game.NewState()
			for s.Player() != engine.Terminal && asked < 1000 { // some four games of those that are long
				if s.Player() == engine.Chance {
					require.NoError(t, s.Apply(s.SampleChance(rng)))
					continue
				}
				asked++
				legal := s.LegalActions(nil)
				if hidden, ok := s.Clone().(engine.Redealer); ok {
					before := encode(p.question(s, legal, TypeChoose, 1))
					hidden.Redeal(s.Player(), rng)
					require.Equal(t, before, encode(p.question(hidden, legal, TypeChoose, 1)), entry.Name)
				}
				require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
			}
		}
	}
}

func TestServer(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil || r.Method != http.MethodPost {
			http.Error(w, "no message", http.StatusBadRequest)
			return
		}
		switch calls++; r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		case "/broken":
			http.Error(w, "out of order", http.StatusInternalServerError)
		default:
			line, _ := respond("worth", message)
			fmt.Fprint(w, line)
		}
	}))
	defer server.Close()
	game := gameOf(t, "kuhn")
	a, err := Open(t.Context(), game, server.URL)
	require.NoError(t, err)
	require.Equal(t, playOn(t, a, game, 3), playOn(t, a, game, 3))
	require.Empty(t, a.Conduct())

	valuer, ok := a.Policy(t.Context()).(policy.Valuer)
	require.True(t, ok)
	require.Equal(t, policy.Scale{Unit: "antes"}, valuer.Scale())
	s := game.NewState()
	require.NoError(t, s.Apply(0))
	require.NoError(t, s.Apply(1))
	values := make([]policy.Value, 2)
	valuer.Values(s, s.LegalActions(nil), values)
	require.Equal(t, []policy.Value{{Mean: 0.5, Low: 0.5, High: 0.5}, {Mean: -0.25, Low: -0.25, High: -0.25}}, values)

	_, err = Open(t.Context(), game, server.URL+"/away")
	require.ErrorContains(t, err, "it answers with a redirect")
	_, err = Open(t.Context(), game, server.URL+"/broken")
	require.ErrorContains(t, err, `500 Internal Server Error: "out of order"`)
}

func TestTranscript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	game := gameOf(t, "kuhn")
	a, err := Open(t.Context(), game, named("polite", "log="+path))
	require.NoError(t, err)
	playOn(t, a, game, 1)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), `"copy":1,"sent":{"type":"hello","protocol":1,"game":"kuhn"`)
	require.Contains(t, string(text), `"received":"{\"id\":1,\"action\":`)
	require.Contains(t, string(text), `"sent":{"type":"end","game":"0.1"}`)
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	game := gameOf(t, "leduc")
	for behaviour, wrong := range map[string]string{
		"polite":       "",
		"worth":        "",
		"old":          "starts and answers the greeting",
		"banner":       "starts and answers the greeting",
		"banner after": "plays whole games",
		"illegal":      "plays whole games",
		"twice":        "plays whole games",
		"answers end":  "plays whole games",
		"moody":        "plays the same with the same seeds",
		"forgetful":    "plays the same with the same seeds",
		"muddled":      "plays several games at the same time",
		"worth twice":  "sends nothing unasked",
		"answers quit": "sends nothing unasked",
		"stubborn":     "ends when asked to",
	} {
		findings := Check(t.Context(), game, named(behaviour), 5, 1)
		var found []string
		for _, f := range findings {
			if !f.OK {
				found = append(found, f.What)
			}
		}
		if wrong == "" {
			require.Empty(t, found, "%s: %v", behaviour, findings)
			continue
		}
		require.Contains(t, found, wrong, behaviour)
	}
}
