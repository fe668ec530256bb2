package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/agents"
	"croupier/agents/external"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/login"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newGame(t testing.TB, name string) engine.Positioned {
	game, err := standard.Games.New(name, nil)
	require.NoError(t, err)
	return game.(engine.Positioned)
}

// newServer serves a new network of this description for a game.
func newServer(t testing.TB, game string, d nn.Description) *Server {
	g := newGame(t, game)
	layout, err := nn.NewLayout(d, g.Spec())
	require.NoError(t, err)
	weights := layout.Init(5)
	for i := range weights {
		weights[i] *= 1 + float32(i%7)/3 // the heads' first weights say next to nothing
	}
	network, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	return New(t.Context(), g, &player.Player{Name: "new", Network: network, Temperature: policy.Sampled}, 0)
}

// serveAgent serves an agent by its name.
func serveAgent(t testing.TB, game, agent string) *Server {
	g := newGame(t, game)
	player, err := agents.New(g, agents.Sources{Catalog: standard.Games}).Player(t.Context(), agent)
	require.NoError(t, err)
	return New(t.Context(), g, player, 0)
}

func post(h http.Handler, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// decideAt asks what the agent does in a position.
func decideAt(t testing.TB, s *Server, position []byte, seed int) (a Answer) {
	w := post(s.Handler(nil, nil), fmt.Sprintf("/api/decide?seed=%d", seed), string(position))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &a))
	return a
}

// The answer is that of the agent's own policy, which has seen what the seat has seen.
func TestNetwork(t *testing.T) {
	for _, d := range []nn.Description{{Dense: []int{8}}, {Dense: []int{8}, LSTM: []int{6}},
		{Dense: []int{8}, Dueling: true}} {
		s := newServer(t, "leduc", d)
		document := engine.ExampleOf(s.game)
		state, _, err := s.game.(engine.Positioned).ParsePosition(document, engine.NewRNG(1, 0))
		require.NoError(t, err)
		network := s.mind.(*network).player.Network
		own, seat := nn.NewPolicy(network, policy.Sampled), state.Player()
		past := s.game.NewState()
		for _, step := range state.(engine.Past).Past(nil) {
			if past.Player() == seat {
				own.Choose(past, past.LegalActions(nil), engine.NewRNG(1, 0))
			}
			require.NoError(t, past.Apply(step))
		}
		legal := state.LegalActions(nil)
		want := make([]float64, len(legal))
		own.Distribution(state, legal, want)

		a := decideAt(t, s, document, 7)
		require.Equal(t, a, decideAt(t, s, document, 7))
		require.Equal(t, seat, a.Seat)
		require.Len(t, a.Legal, len(legal))
		require.NotNil(t, a.Value)
		require.Equal(t, "chips", a.Unit)
		require.Empty(t, a.Notes)
		taken := map[int]bool{}
		for i, c := range a.Legal {
			require.Equal(t, legal[i], c.Action)
			require.Equal(t, state.ActionName(legal[i]), c.Name)
			require.Equal(t, want[i], *c.Probability)
			require.Equal(t, d.Dueling, c.Value != nil)
			if d.Dueling && *c.Probability == 1 {
				require.Equal(t, *a.Value, *c.Value, "the value is that of the best action")
			}
		}
		for seed := range 60 {
			taken[decideAt(t, s, document, seed).Action] = true
		}
		require.Equal(t, d.Dueling, len(taken) == 1, "a policy mixes")
	}
}

// The memory of a network is asked as if nothing had happened where positions lack the past.
func TestNetworkWithoutPast(t *testing.T) {
	s := newServer(t, "pig", nn.Description{LSTM: []int{4}})
	a := decideAt(t, s, engine.ExampleOf(s.game), 1)
	require.Len(t, a.Notes, 1)
	require.Contains(t, a.Notes[0], "new has a memory, and positions of pig hold only the present")
}

// Whatever is asked at the same time, each gets the answer that it would get alone.
func TestBatches(t *testing.T) {
	s := newServer(t, "leduc", nn.Description{Dense: []int{8}, LSTM: []int{6}})
	positions := [][]byte{engine.ExampleOf(s.game), []byte(`{"card": "Ks", "first_round": []}`),
		[]byte(`{"card": "Jh", "first_round": ["raise"]}`)}
	var alone []Answer
	for i, p := range positions {
		alone = append(alone, decideAt(t, s, p, i))
	}
	var group sync.WaitGroup
	answers := make([]Answer, 300)
	for i := range answers {
		group.Go(func() {
			d, notes, err := s.ask(t.Context(), positions[i%3], uint64(i%3))
			if err == nil {
				answers[i] = s.answer(d, notes)
			}
		})
	}
	group.Wait()
	for i, a := range answers {
		require.Equal(t, alone[i%3], a)
	}
}

// One network call decides for several positions, with pasts of any length.
func TestForward(t *testing.T) {
	s := newServer(t, "leduc", nn.Description{Dense: []int{8}, LSTM: []int{6}})
	n := s.mind.(*network)
	var jobs []*job
	for _, position := range []string{`{"card": "Jh", "first_round": ["raise"]}`, string(engine.ExampleOf(s.game)),
		`{"card": "Ks", "first_round": []}`} {
		state, _, err := s.game.(engine.Positioned).ParsePosition([]byte(position), engine.NewRNG(1, 0))
		require.NoError(t, err)
		j := &job{}
		require.NoError(t, n.fill(j, &decision{
			state: state, legal: state.LegalActions(nil), past: state.(engine.Past).Past(nil),
		}))
		jobs = append(jobs, j)
	}
	e := n.player.Network.NewEvaluator(maxBatch, maxBatch)
	n.forward(e, jobs)
	for _, j := range jobs {
		together := append([]float64{}, j.chances...)
		value := j.value
		n.forward(e, []*job{j})
		require.Equal(t, j.chances, together)
		require.Equal(t, j.value, value)
	}
}

// Other agents answer what they know.
func TestPolicies(t *testing.T) {
	s := serveAgent(t, "pig", "solver:optimal")
	a := decideAt(t, s, engine.ExampleOf(s.game), 1)
	require.Equal(t, "wins", a.ValuesUnit)
	require.Nil(t, a.Value)
	best := a.Legal[0]
	for _, c := range a.Legal {
		if *c.Value > *best.Value {
			best = c
		}
	}
	require.Equal(t, best.Action, a.Action)
	s = serveAgent(t, "leduc", policy.RandomName)
	a = decideAt(t, s, engine.ExampleOf(s.game), 1)
	require.InDelta(t, 1/float64(len(a.Legal)), *a.Legal[0].Probability, 1e-12)
	require.Nil(t, a.Legal[0].Value)
}

func TestRefusals(t *testing.T) {
	s := serveAgent(t, "leduc", "trained")
	h := s.Handler(nil, nil)
	position := string(engine.ExampleOf(s.game))
	for _, test := range []struct {
		code             int
		path, body, want string
	}{
		{http.StatusUnprocessableEntity, "/api/decide", `{"card": "Xx", "first_round": []}`, "card"},
		{http.StatusUnprocessableEntity, "/api/decide", `{"card": "Ks", "first_round": [], "secret": 1}`, "secret"},
		{http.StatusUnprocessableEntity, "/api/decide", ``, ""},
		{http.StatusBadRequest, "/api/decide?seed=x", position, `seed: "x" is not a whole number`},
		{http.StatusRequestEntityTooLarge, "/api/decide", strings.Repeat(" ", maxBody+1), "too large"},
		{http.StatusUnprocessableEntity, "/api/agent", `nonsense`, "the message"},
		{http.StatusUnprocessableEntity, "/api/agent", `[]`, "the message: the JSON is of the wrong kind (array)"},
		{http.StatusUnprocessableEntity, "/api/agent", `{"type":"hello","protocol":2,"game":"leduc","rules":{}}`,
			"protocol 2 is not supported, only 1"},
		{http.StatusUnprocessableEntity, "/api/agent", `{"type":"hello","protocol":1,"game":"kuhn","rules":{}}`,
			`the agent here plays leduc, not "kuhn"`},
		{http.StatusUnprocessableEntity, "/api/agent", `{"type":"hello","protocol":1,"game":"leduc","rules":{"x":1}}`,
			"under other rules"},
		{http.StatusUnprocessableEntity, "/api/agent", `{"type":"values","position":{}}`,
			"the agent does not know what actions are worth"},
		{http.StatusUnprocessableEntity, "/api/agent", `{"type":"choose","position":{"card":"Xx","first_round":[]}}`, "card"},
	} {
		w := post(h, test.path, test.body)
		require.Equal(t, test.code, w.Code, "%.80s: %s", test.body, w.Body)
		var refusal struct{ Error string }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &refusal))
		require.NotEmpty(t, refusal.Error)
		require.Contains(t, refusal.Error, test.want)
	}
	require.Equal(t, http.StatusUnsupportedMediaType, post(h, "/api/decide", position, "Content-Type", "text/plain").Code)
	foreign := post(h, "/api/decide", position, "Origin", "https://elsewhere.example")
	require.Equal(t, http.StatusForbidden, foreign.Code)
	require.Contains(t, foreign.Body.String(), "another origin")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/decide", nil))
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

// No decision is made for a client that no longer waits.
func TestGone(t *testing.T) {
	s := serveAgent(t, "leduc", policy.RandomName)
	idle := s.mind.(*policies).idle
	for range cap(idle) {
		<-idle
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(gone, http.MethodPost, "/api/decide", bytes.NewReader(engine.ExampleOf(s.game)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler(nil, nil).ServeHTTP(w, r)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
}

func TestRate(t *testing.T) {
	s := serveAgent(t, "leduc", policy.RandomName)
	s.limits = newLimiter(2)
	h, position := s.Handler(nil, nil), string(engine.ExampleOf(s.game))
	for range 2 {
		require.Equal(t, http.StatusOK, post(h, "/api/decide", position).Code)
	}
	w := post(h, "/api/decide", position)
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	require.Contains(t, w.Body.String(), "too many questions from 192.0.2.1")
}

func TestLimiter(t *testing.T) {
	l, now := newLimiter(0.5), time.Now()
	require.Zero(t, l.take("a", now))
	require.Equal(t, 2*time.Second, l.take("a", now))
	require.Zero(t, l.take("b", now), "every address has its own")
	require.Zero(t, l.take("a", now.Add(2*time.Second)))
	for i := range 3 * maxAddresses {
		l.take(fmt.Sprint(i), now.Add(2*time.Second))
	}
	require.LessOrEqual(t, len(l.buckets), maxAddresses+1)
	require.Positive(t, l.take("another", now.Add(2*time.Second)), "those beyond share a bucket")
	require.Zero(t, l.take("another", now.Add(time.Hour)), "full buckets make room")
	require.Len(t, l.buckets, 1)
}

func TestLogin(t *testing.T) {
	s := serveAgent(t, "leduc", "trained")
	door, err := login.New(login.Options{Token: "secret"})
	require.NoError(t, err)
	h := s.Handler(door, nil)
	position := string(engine.ExampleOf(s.game))
	require.Equal(t, http.StatusUnauthorized, post(h, "/api/decide", position).Code)
	require.Equal(t, http.StatusUnauthorized, post(h, "/api/decide", position, "Authorization", "Bearer wrong").Code)
	require.Equal(t, http.StatusOK, post(h, "/api/decide", position, "Authorization", "Bearer secret").Code)
	for path, code := range map[string]int{"/healthz": 200, "/openapi.json": 200, "/metrics": 401} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, code, w.Code, path)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer secret")
	h.ServeHTTP(w, r)
	require.Contains(t, w.Body.String(), `croupier_serve_requests_total{code="401",route=""} 3`)
	require.Contains(t, w.Body.String(), "croupier_serve_decision_seconds_count 1")
}

// What is described is what there is.
func TestOpenAPI(t *testing.T) {
	s := serveAgent(t, "pig", "solver:optimal")
	h := s.Handler(nil, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var doc struct {
		Info       struct{ Description string }
		Paths      map[string]map[string]any
		Components struct {
			Schemas map[string]struct {
				Example    any
				Properties map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &doc))
	require.Equal(t, "The agent solver:optimal of the game pig.", doc.Info.Description)
	require.NotNil(t, doc.Components.Schemas["Position"].Example)
	require.Len(t, doc.Paths, 5)
	for path, methods := range doc.Paths {
		for method := range methods {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(strings.ToUpper(method), path, nil))
			require.NotContains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, w.Code, path)
		}
	}
	var answer map[string]any
	require.NoError(t, json.Unmarshal(post(h, "/api/decide", string(engine.ExampleOf(s.game))).Body.Bytes(), &answer))
	for field := range answer {
		require.Contains(t, doc.Components.Schemas["Answer"].Properties, field)
	}
}

// Another croupier plays with the agent by its protocol, as the agent plays itself.
func TestProtocol(t *testing.T) {
	for game, name := range map[string]string{"leduc": "trained", "pig": "solver:optimal"} {
		s := serveAgent(t, game, name)
		web := httptest.NewServer(s.Handler(nil, nil))
		ctx, cancel := context.WithCancel(t.Context())
		agent, err := external.Open(ctx, s.game, web.URL+"/api/agent")
		require.NoError(t, err)
		p := agent.Policy(ctx)
		_, values := p.(policy.Valuer)
		require.Equal(t, game == "pig", values)
		state, _, err := s.game.(engine.Positioned).ParsePosition(engine.ExampleOf(s.game), engine.NewRNG(1, 0))
		require.NoError(t, err)
		legal := state.LegalActions(nil)
		for seed := range uint64(20) {
			asked := *engine.NewRNG(seed, 0)
			action := p.Choose(state, legal, &asked)
			position := s.game.(engine.Positioned).FormatPosition(state, state.Player())
			own := decideAt(t, s, position, int(engine.NewRNG(seed, 0).Uint64()>>11))
			require.Equal(t, own.Action, action)
			p.Reset()
		}
		require.Empty(t, agent.Conduct())
		cancel()
		web.Close()
	}
}
