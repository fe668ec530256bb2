package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/web/webtest"
)

// askRules asks about rules and decodes the answer.
func askRules(t *testing.T, body string, answer any) (status int) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/api/rules", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	RulesPage(standard.Games, quiet).API["POST /api/rules"].ServeHTTP(recorder, request)
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), answer), recorder.Body.String())
	return recorder.Code
}

// The file that the page saves gives the game the rules that the form showed.
func TestRulesAreChecked(t *testing.T) {
	for question, document := range map[string]string{
		`{"game": "bank", "rules": ""}`:                                      "{}\n",
		`{"game": "bank", "rules": "players: 2\nrounds: 10"}`:                "players: 2\n",
		`{"game": "bank", "rules": "{\"players\": 4, \"repoll\": false}"}`:   "players: 4\nrepoll: false\n",
		`{"game": "tysiac-hand", "rules": "hand: {scores: [850, 0]}"}`:       "hand:\n    scores:\n        - 850\n        - 0\n",
		`{"game": "banluck", "rules": "payouts: {777: 9}\nsurrender: true"}`: "payouts:\n    \"777\": 9\n",
	} {
		var answer struct {
			Rules    json.RawMessage
			Document string
		}
		require.Equal(t, http.StatusOK, askRules(t, question, &answer), question)
		comment, rest, _ := strings.Cut(answer.Document, "\n")
		require.Regexp(t, `^# [a-z-]+: the rules that differ from the usual ones$`, comment)
		require.Equal(t, document, rest, question)
		var q ruleQuestion
		require.NoError(t, json.Unmarshal([]byte(question), &q))
		game, err := standard.Games.New(q.Game, []byte(answer.Document))
		require.NoError(t, err)
		rules, err := json.Marshal(game.Rules())
		require.NoError(t, err)
		require.JSONEq(t, string(rules), string(answer.Rules))
	}
	for question, want := range map[string]problem{
		`{"game": "bank", "rules": "players: 9"}`: {Error: "bank: rules: line 1: players: 9 is not in 2..8",
			Field: "players"},
		`{"game": "bank", "rules": "player: 2"}`:                 {Error: "bank: rules: line 1: player: unknown key (did you mean players?); the keys are players, rounds, roller, repoll", Field: "player"},
		`{"game": "tysiac", "rules": "bidding: {increment: 5}"}`: {Error: "tysiac: rules: line 1: bidding.increment: 5 is not in 10..1000000", Field: "bidding.increment"},
		`{"game": "chess"}`: {Error: `unknown game "chess"; the games are ` +
			strings.Join(standard.Games.Names(), ", ")},
	} {
		var got problem
		require.Equal(t, http.StatusUnprocessableEntity, askRules(t, question, &got), question)
		require.Equal(t, want, got)
	}
	var got problem
	require.Equal(t, http.StatusBadRequest, askRules(t, `{"game": 3}`, &got))
	require.Contains(t, got.Error, "the question")
}

// Rules are put together with the keyboard and the mouse, and what is not possible is said next to the rule.
func TestRulesPage(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	server := serveHandler(t, NewServer(Options{
		Feed: newTrial(t).follow(), Log: quiet, Registerer: registry, Gatherer: registry,
		Boards: standard.Games.Boards(), Pages: []Page{RulesPage(standard.Games, quiet)},
	}), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("http://" + server.address + "/rules"))
	b.Until(`document.getElementById("changed-rules").textContent === "These are the usual rules."`)
	b.Axe()
	set := func(key, value string) {
		webtest.Evaluate[any](b, `{ const field = document.querySelector('[name="`+key+`"]'); field.value = "`+value+
			`"; field.dispatchEvent(new Event("input", { bubbles: true })); null }`)
	}
	set("players", "5")
	b.Until(`document.getElementById("rules-document").textContent.endsWith("\nplayers: 5\n")`)
	b.Until(`document.getElementById("changed-rules").textContent === "1 rule differs from the usual ones."`)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("rules-play").href`),
		"/play?game=bank&rules=%23+bank")
	link := webtest.Evaluate[string](b, "location.href")

	set("players", "9")
	b.Until(`document.getElementById("rules-problem").textContent === "bank: rules: players: 9 is not in 2..8"`)
	require.True(t, webtest.Evaluate[bool](b, `document.getElementById("players").hasAttribute("aria-invalid") &&
		document.getElementById("rules-save").disabled && !document.getElementById("rules-play").hasAttribute("href")`))
	b.Axe()    // links that lead nowhere can be read
	b.Forget() // the browser notes the refusal

	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	b.Until(`document.getElementById("players")?.value === "5"`)

	webtest.Evaluate[any](b, `{ const game = document.getElementById("ruled-game"); game.value = [...game.options].find((o) => o.text === "Tysiąc").value; game.dispatchEvent(new Event("change")); null }`)
	b.Until(`document.querySelectorAll("#rules-form .rule").length === 16`)
	webtest.Evaluate[any](b, `{ const preset = document.getElementById("preset"); preset.value = "No bombs"; preset.dispatchEvent(new Event("change")); null }`)
	b.Until(`document.getElementById("rules-document").textContent.endsWith("bombing:\n    enabled: false\n")`)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Keep("rules-phone-" + scheme)
		require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
		b.Axe()
	}
	b.Clean()
}

// Rules that no strong agent knows are reported before anybody sits down.
func TestRulesSayThatNobodyStrongPlays(t *testing.T) {
	for rules, want := range map[string]string{
		"": "", "players: 8": "",
		"rounds: 999": "no strong agent knows these rules: no solution and no network covers them; hints come from the bot leader-chaser",
	} {
		var answer struct{ Caution string }
		question, err := json.Marshal(map[string]string{"game": "bank", "rules": rules})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, askRules(t, string(question), &answer))
		require.Equal(t, want, answer.Caution)
	}
}
