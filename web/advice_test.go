package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/advice"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/policy"
	"croupier/web/webtest"
)

// evilAgent is a name that would be markup if it were not text.
const evilAgent = `<img src=x onerror="document.title='owned'">`

// testAdvisor asks the always-bet bot about Kuhn poker. wait, if set, is what a question
// waits for.
type testAdvisor struct {
	wait  chan struct{}
	asked chan struct{} // receives each question that waits
	gone  chan struct{} // closed when a question that waits is called off
}

func (a testAdvisor) Games(context.Context, string) ([]AdvisedGame, error) {
	return []AdvisedGame{
		{Name: "kuhn", Rules: struct{}{}, Example: a.game("kuhn").ExamplePosition(),
			Agents: []string{"always-bet", evilAgent}},
		{Name: "pig", Rules: a.game("pig").Rules(), Example: a.game("pig").ExamplePosition(), Agents: []string{"hold(20)"}},
	}, nil
}

func (testAdvisor) game(name string) engine.Positioned {
	g, err := standard.Games.New(name, nil)
	if err != nil {
		panic(err)
	}
	return g.(engine.Positioned)
}

func (testAdvisor) agent(g engine.Game, name string) (advice.Agent, error) {
	if name == "" {
		name = g.Bots().References[0]
	}
	bot, err := g.Bots().New(name)
	return advice.Agent{Name: name, New: func() policy.Policy { return policy.Bot(bot) }}, err
}

func (a testAdvisor) Advise(ctx context.Context, _, game, _, agentName string,
	position []byte) (*advice.Answer, error) {
	if a.wait != nil {
		if a.asked != nil {
			a.asked <- struct{}{}
		}
		select {
		case <-a.wait:
		case <-ctx.Done():
			if a.gone != nil {
				close(a.gone)
			}
			return nil, ctx.Err()
		}
	}
	g := a.game(game)
	s, notes, err := g.ParsePosition(position, engine.NewRNG(1, 0))
	if err != nil {
		return nil, err
	}
	agent, err := a.agent(g, agentName)
	if err != nil {
		return nil, err
	}
	return advice.Advise(ctx, advice.Question{Game: g, State: s, Notes: notes}, agent, advice.Options{Samples: 500})
}

func (a testAdvisor) Think(ctx context.Context, _, game, _, agentName string,
	position []byte) (*advice.Thoughts, error) {
	g := a.game(game)
	s, notes, err := g.ParsePosition(position, engine.NewRNG(1, 0))
	if err != nil {
		return nil, err
	}
	agent, err := a.agent(g, agentName)
	if err != nil {
		return nil, err
	}
	return advice.Think(ctx, advice.Question{Game: g, State: s, Notes: notes}, agent, advice.Options{Samples: 500})
}

func (a testAdvisor) Review(ctx context.Context, _, agentName string, histories []byte,
	span advice.Span) (*advice.Report, error) {
	return advice.ReviewAll(ctx, history.NewReader(bytes.NewReader(histories)), standard.Games.New, 0,
		func(g engine.Game) (*advice.Reviewer, error) {
			agent, err := a.agent(g, agentName)
			reviewer := advice.NewReviewer(g, agent, advice.Options{Samples: 500})
			reviewer.Span = span
			return reviewer, err
		})
}

func advised(t *testing.T, a Advisor) http.Handler {
	h, _ := handler(newTrial(t).follow(), func(o *Options) { o.Pages = []Page{AdvicePage(a, quiet)} })
	return h
}

// post sends a question and decodes the answer.
func post(t *testing.T, h http.Handler, path, body string, into any) int {
	t.Helper()
	r := httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"), w.Body.String())
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), into))
	return w.Code
}

func TestAdviceAPI(t *testing.T) {
	h := advised(t, testAdvisor{})
	var answer advice.Answer
	require.Equal(t, http.StatusOK,
		post(t, h, "/api/advice", `{"game": "kuhn", "position": {"card": "K", "moves": ["bet"]}}`, &answer))
	require.Equal(t, "equilibrium(0.2)", answer.Agent, "the advisor's choice")
	require.Equal(t, 1, answer.Best)
	var report advice.Report
	require.Equal(t, http.StatusOK, post(t, h, "/api/review", `{"agent": "always-pass", "histories": "{\"game\": \"kuhn\", \"history\": [0, 1, 0, 0]}\n"}`, &report))
	require.Len(t, report.Decisions, 2)
	require.JSONEq(t, `{"card": "J", "moves": []}`, string(report.Decisions[0].Position))
}

func TestAdviceRefuses(t *testing.T) {
	h := advised(t, testAdvisor{})
	for _, test := range []struct {
		path, body   string
		status       int
		field, error string
	}{
		{"/api/advice", `{"game": "kuhn", "position": {"card": "X", "moves": []}}`, http.StatusUnprocessableEntity, "card",
			`card: "X" is not J, Q or K`},
		{"/api/advice", `{"game": "kuhn", "position": {"card": "K", "card": "Q", "moves": []}}`,
			http.StatusUnprocessableEntity, "card", "card: appears twice"},
		{"/api/advice", `{"game": "kuhn", "agent": "x", "position": {"card": "K", "moves": []}}`,
			http.StatusUnprocessableEntity, "", "unknown kuhn bot"},
		{"/api/advice", `{"game": `, http.StatusBadRequest, "", "the question: its JSON is cut off"},
		{"/api/advice", `[]`, http.StatusBadRequest, "", "the question: the JSON is of the wrong kind (array)"},
		{"/api/advice", `{"game": 3}`, http.StatusBadRequest, "", "the question: game: a number is of the wrong kind"},
		{"/api/review", `{"histories": "x"}`, http.StatusUnprocessableEntity, "", "line 1: not a JSON object"},
		{"/api/review", `{"histories": "` + strings.Repeat("x", maxQuestionBytes) + `"}`, http.StatusRequestEntityTooLarge,
			"", "larger than 1048576 bytes"},
	} {
		var p problem
		require.Equal(t, test.status, post(t, h, test.path, test.body, &p), test.body[:min(80, len(test.body))])
		require.Equal(t, test.field, p.Field)
		require.Contains(t, p.Error, test.error)
	}
	plain := httptest.NewRequest("POST", "http://localhost/api/advice", strings.NewReader(`{}`))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, plain)
	require.Equal(t, http.StatusUnsupportedMediaType, w.Code, "a form of another page cannot ask")
	foreign := httptest.NewRequest("POST", "http://localhost/api/advice", strings.NewReader(`{}`))
	foreign.Header.Set("Content-Type", "application/json")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	w = httptest.NewRecorder()
	h.ServeHTTP(w, foreign)
	require.Equal(t, http.StatusForbidden, w.Code)
}

// Only a few questions are worked on at a time; a client that goes away frees its place.
func TestQuestionsAreBounded(t *testing.T) {
	a := testAdvisor{wait: make(chan struct{}), asked: make(chan struct{}, maxQuestions)}
	h := advised(t, a)
	const body = `{"game": "kuhn", "position": {"card": "K", "moves": ["bet"]}}`
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	for range maxQuestions {
		go func() {
			r := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/api/advice", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			done <- w.Code
		}()
	}
	for range maxQuestions {
		<-a.asked
	}
	var p problem
	require.Equal(t, http.StatusServiceUnavailable, post(t, h, "/api/advice", body, &p))
	require.Contains(t, p.Error, "too many requests")
	cancel()
	for range maxQuestions {
		require.Equal(t, http.StatusUnprocessableEntity, <-done)
	}
	close(a.wait)
	require.Equal(t, http.StatusOK, post(t, h, "/api/advice", body, &advice.Answer{}))
}

// lateAdvisor has no answer in time.
type lateAdvisor struct{ testAdvisor }

func (lateAdvisor) Review(context.Context, string, string, []byte, advice.Span) (*advice.Report, error) {
	return nil, context.DeadlineExceeded
}

// To be late is another answer than to be busy: asking again helps only with the one.
func TestLateIsNotBusy(t *testing.T) {
	var p problem
	require.Equal(t, http.StatusGatewayTimeout, post(t, advised(t, lateAdvisor{}), "/api/review", `{}`, &p))
	require.Contains(t, p.Error, "no answer within 20s")
}

func serveAdvice(t *testing.T) *serving {
	return serveHandler(t, advised(t, testAdvisor{}), "127.0.0.1:0")
}

// A person puts a position together by tapping, makes a mistake in the text, and passes a link on.
func TestAdvicePage(t *testing.T) {
	t.Parallel()
	server := serveAdvice(t)
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address + "/advice"))
	const answer = `document.querySelector(".advice tbody tr.best th")`
	b.Until(`document.querySelector('#editor [aria-label="king"]') !== null`)
	// Until the page has settled a click may land next to what moves away under it.
	b.Until(`document.getElementById("position").value.includes('"K"')`, func() {
		b.Click(`#editor label:has([aria-label="king"])`)
	})
	require.JSONEq(t, `{"card": "K", "moves": ["check", "bet"]}`,
		webtest.Evaluate[string](b, `document.getElementById("position").value`))
	b.Click("#ask")
	b.Until(answer + `?.textContent === "call"`)
	require.Equal(t, "Call", webtest.Evaluate[string](b, `document.querySelector(".headline").textContent`))
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("reason").textContent`),
		"Call is worth about")
	require.Equal(t, 2, webtest.Evaluate[int](b, `document.querySelectorAll(".advice .bar rect").length`))
	require.Greater(t, webtest.Evaluate[float64](b, `document.querySelector(".answer .figures").clientWidth`), 500.0,
		"words and figures share the width")
	require.Equal(t, "block", webtest.Evaluate[string](b, `getComputedStyle(document.querySelector(".advised")).display`))
	b.Keep("answer")
	b.Click(`#editor label:has([aria-label="queen"])`)
	require.Nil(t, webtest.Evaluate[any](b, answer), "another position has no answer yet")
	b.Click("#ask")
	b.Until(`document.querySelector(".ring") !== null`)
	b.Axe()
	b.Keep("mixed")

	// A position in one line is asked about, and then is on the board and in the text as any other one.
	webtest.Evaluate[any](b, `(() => { document.getElementById("as-text").open = true; const p = document.getElementById("position");
		p.value = "K | bet"; p.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	b.Click("#ask")
	b.Until(`document.querySelector("#answer .line code")?.textContent === "K | bet"`)
	require.JSONEq(t, `{"card": "K", "moves": ["bet"]}`,
		webtest.Evaluate[string](b, `document.getElementById("position").value`))
	b.Until(`document.querySelector('#editor [aria-label="king"]') !== null`)

	b.Forget()
	webtest.Evaluate[any](b, `(() => { document.getElementById("as-text").open = true; const p = document.getElementById("position");
		p.value = '{"card": "A", "moves": ["bet"]}'; p.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	b.Click("#ask")
	b.Until(`document.getElementById("position-problem").textContent.includes('"A" is not J, Q or K')`)
	require.Equal(t, `"card"`, webtest.Evaluate[string](b, `getSelection().toString() || (() => { const p = document.getElementById("position"); return p.value.slice(p.selectionStart, p.selectionEnd); })()`))
	b.Until(`document.querySelector("#editor [data-wrong]").textContent.includes("is not J, Q or K")`)
	b.Keep("mistake")

	place := webtest.Evaluate[string](b, `document.getElementById("share").href`)
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Do(chromedp.Navigate(place))
	b.Until(`document.getElementById("position").value === '{"card": "A", "moves": ["bet"]}'`)
	webtest.Evaluate[any](b, `(() => { const g = document.getElementById("advised-game"); g.value = "pig"; g.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	b.Until(`document.getElementById("position").value.includes("turn") && document.querySelector("#editor input") !== null`)
	require.NotEqual(t, "owned", webtest.Evaluate[string](b, `document.title`))
}

// An answer that is being computed says so; called off, it is no longer computed.
func TestAdviceIsCalledOff(t *testing.T) {
	t.Parallel()
	advisor := testAdvisor{wait: make(chan struct{}), gone: make(chan struct{})}
	server := serveHandler(t, advised(t, advisor), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 390, 844)
	b.Do(chromedp.Navigate("http://" + server.address + "/advice"))
	b.Until(`document.querySelector("#editor .card-picture") !== null`)
	b.Click("#ask")
	b.Until(`document.querySelector("#answer .working button") !== null`)
	require.True(t, webtest.Evaluate[bool](b, `document.getElementById("ask").disabled`))
	b.Click("#answer .working button")
	select {
	case <-advisor.gone:
	case <-time.After(webtest.Limit):
		require.Fail(t, "the question is still being answered")
	}
	b.Until(`document.getElementById("answer").textContent === "Cancelled."`)
	require.False(t, webtest.Evaluate[bool](b, `document.getElementById("ask").disabled`))
	b.Clean()
}
