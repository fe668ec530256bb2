package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/conduct"
	"croupier/web/webtest"
)

// handler is a server's handler of a feed, with its registry.
func handler(feed *Feed, change func(*Options)) (http.Handler, *prometheus.Registry) {
	registry := prometheus.NewRegistry()
	o := Options{Feed: feed, Log: quiet, Registerer: registry, Gatherer: registry, Boards: standard.Games.Boards()}
	if change != nil {
		change(&o)
	}
	return NewServer(o), registry
}

func get(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPagesAndAssets(t *testing.T) {
	r := newTrial(t)
	h, _ := handler(NewFeed(r.bus, "bank-1", nil, quiet), nil)
	for _, p := range runPages {
		w := get(h, "GET", p.Path)
		require.Equal(t, http.StatusOK, w.Code, p.Path)
		require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
		require.Contains(t, w.Body.String(), `aria-current="page">`+p.Title)
		require.Contains(t, w.Body.String(), "bank-1")
		module := get(h, "GET", "/assets/"+p.Name+".js")
		require.Equal(t, http.StatusOK, module.Code)
		require.Contains(t, module.Header().Get("Content-Type"), "javascript")
		again := get(h, "GET", "/assets/"+p.Name+".js", "If-None-Match", module.Header().Get("ETag"))
		require.Equal(t, http.StatusNotModified, again.Code)
	}
	for _, path := range []string{"/nothing", "/assets/", "/assets/nothing.js", "/assets/..%2fweb.go"} {
		require.Equal(t, http.StatusNotFound, get(h, "GET", path).Code, path)
	}
}

func TestOnlySafeMethodsAndOwnHosts(t *testing.T) {
	r := newTrial(t)
	h, _ := handler(NewFeed(r.bus, "bank-1", nil, quiet), func(o *Options) {
		o.AllowedHosts = []string{"Croupier.example", "10.0.0.7"}
	})
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		require.Equal(t, http.StatusMethodNotAllowed, get(h, method, "/api/run").Code, method)
		require.Equal(t, http.StatusForbidden, get(h, method, "/api/run", "Sec-Fetch-Site", "cross-site").Code, method)
		require.Equal(t, http.StatusForbidden, get(h, method, "/api/run", "Origin", "http://evil.example").Code, method)
	}
	for host, code := range map[string]int{
		"127.0.0.1:8080": 200, "127.9.9.9": 200, "localhost": 200, "LOCALHOST:1": 200, "localhost.": 200, "[::1]:8080": 200,
		"[::1]":                 200,
		"croupier.example:8080": 200, "croupier.EXAMPLE": 200, "10.0.0.7:80": 200,
		"evil.example": 421, "evil.example:8080": 421, "10.0.0.8": 421, "localhost.evil.example": 421,
		"127.0.0.1.evil.example": 421, "": 421, "0.0.0.0": 421,
	} {
		request := httptest.NewRequest("GET", "/api/run", nil)
		request.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request)
		require.Equal(t, code, w.Code, host)
	}
}

func TestSecurityHeaders(t *testing.T) {
	r := newTrial(t)
	h, _ := handler(NewFeed(r.bus, "bank-1", nil, quiet), nil)
	for _, path := range []string{"/", "/assets/app.css", "/api/run", "/metrics", "/nothing"} {
		header := get(h, "GET", path).Header()
		require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'", path)
		require.NotContains(t, header.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "same-origin", header.Get("Cross-Origin-Resource-Policy"), path)
		require.Empty(t, header.Get("Access-Control-Allow-Origin"), path)
	}
}

func TestPagesEscapeNames(t *testing.T) {
	r := newTrial(t)
	h, _ := handler(NewFeed(r.bus, `<script>alert(1)</script>`, nil, quiet), nil)
	require.NotContains(t, get(h, "GET", "/").Body.String(), "<script>alert")
}

// decodeBody reads a JSON answer strictly into what the documentation promises.
func decodeBody[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var value T
	decoder := json.NewDecoder(w.Body)
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&value))
	return value
}

type curvesAnswer struct {
	ID     string `json:"id"`
	Full   bool   `json:"full"`
	Curves []struct {
		Series string      `json:"series"`
		From   int         `json:"from"`
		Points [][]float64 `json:"points"`
	} `json:"curves"`
}

func TestContributions(t *testing.T) {
	r := newTrial(t)
	none, _ := handler(NewFeed(r.bus, "bank-1", nil, quiet), nil)
	require.JSONEq(t, `{"actors": [], "others": {"consumed": 0, "stale": 0, "refused": 0, "lost": 0}}`,
		get(none, "GET", "/api/actors").Body.String())

	var broken error
	h, _ := handler(NewFeed(r.bus, "bank-1", nil, quiet), func(o *Options) {
		o.Contributions = func(context.Context) (*conduct.Contributions, error) {
			anna := conduct.Contribution{Actor: "anna", Name: "Anna's laptop", Present: true, Games: conduct.Games{Consumed: 5}}
			return conduct.NewContributions([]conduct.Contribution{anna}, conduct.Games{Lost: 2}, 10), broken
		}
	})
	require.JSONEq(t, `{
		"actors": [{"actor": "anna", "name": "Anna's laptop", "present": true, "consumed": 5, "stale": 0, "refused": 0, "lost": 0}],
		"others": {"consumed": 0, "stale": 0, "refused": 0, "lost": 2}}`, get(h, "GET", "/api/actors").Body.String())
	broken = errors.New("open /home/anna/secret: no such file")
	w := get(h, "GET", "/api/actors")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "cannot be read at the moment")
	require.NotContains(t, w.Body.String(), "secret")
}

func TestAPI(t *testing.T) {
	r := newTrial(t)
	feed := r.follow()
	h, _ := handler(feed, nil)
	require.JSONEq(t, `{"game": "", "agents": [], "payoff": []}`, get(h, "GET", "/api/ladder").Body.String())
	require.JSONEq(t, `{"population": [], "self_play": 1, "opponents": []}`, get(h, "GET", "/api/league").Body.String())
	require.JSONEq(t, `[]`, get(h, "GET", "/api/roles").Body.String())

	r.configure()
	r.rate(2)
	r.beat()
	r.points("league", 2.5, 4096, band("rating/best", 1, 0.5))
	r.points("learner", 2.5, 4096, value("entropy", 0.5))
	wait(t, feed, "everything", func(s *Snapshot) bool {
		return s.Connected && s.Game != "" && rated(s, 2) && len(s.Roles) == 5 && len(s.Series) == 2
	})
	run := decodeBody[runView](t, get(h, "GET", "/api/run"))
	require.Equal(t, "bank", run.Game)
	require.Equal(t, uint64(40), run.Newest.Version)
	require.True(t, run.Connected)
	require.Equal(t, *ladder(2), decodeBody[messages.Ladder](t, get(h, "GET", "/api/ladder")))
	league := decodeBody[leagueView](t, get(h, "GET", "/api/league"))
	require.Equal(t, 0.6, league.SelfPlay)
	total := league.SelfPlay
	for _, o := range league.Opponents {
		total += o.Share
	}
	require.InDelta(t, 1, total, 1e-9)
	roles := decodeBody[[]roleView](t, get(h, "GET", "/api/roles"))
	require.Equal(t, "box-0", roles[0].ID)
	require.InDelta(t, 133*60, roles[0].Uptime, 60)
	require.Less(t, roles[0].Age, 60.0)

	all := decodeBody[curvesAnswer](t, get(h, "GET", "/api/curves"))
	require.True(t, all.Full)
	require.Len(t, all.Curves, 2)
	require.Equal(t, [][]float64{{2.5, 4096, 0.5}}, all.Curves[0].Points)
	require.Equal(t, [][]float64{{2.5, 4096, 1, 0.5, 1.5}}, all.Curves[1].Points)
	r.points("learner", 5, 8192, value("entropy", 0.25))
	wait(t, feed, "the next point", func(s *Snapshot) bool { p, _ := s.Latest("entropy"); return p.Value == 0.25 })
	news := decodeBody[curvesAnswer](t, get(h, "GET", "/api/curves?since="+all.ID))
	require.False(t, news.Full)
	require.Len(t, news.Curves, 1, "the other curve is as it was")
	require.Equal(t, [][]float64{{5, 8192, 0.25}}, news.Curves[0].Points[1-news.Curves[0].From:])
	require.True(t, decodeBody[curvesAnswer](t, get(h, "GET", "/api/curves?since=elsewhere.3")).Full)
	require.True(t, decodeBody[curvesAnswer](t, get(h, "GET", "/api/curves?since=%00")).Full)
}

func TestHealth(t *testing.T) {
	r := newTrial(t)
	feed := NewFeed(r.bus, "bank-1", nil, quiet)
	h, _ := handler(feed, nil)
	require.Equal(t, http.StatusServiceUnavailable, get(h, "GET", "/healthz").Code)
	r.run(feed)
	wait(t, feed, "a connection", func(s *Snapshot) bool { return s.Connected })
	require.Equal(t, http.StatusOK, get(h, "GET", "/healthz").Code)
}

func TestMetrics(t *testing.T) {
	r := newTrial(t)
	h, registry := handler(NewFeed(r.bus, "bank-1", nil, quiet), nil)
	get(h, "GET", "/api/run")
	get(h, "GET", "/league")
	get(h, "GET", "/no/such/page")
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	text := get(h, "GET", "/metrics").Body.String()
	for _, line := range []string{
		`croupier_web_requests_total{code="200",route="/api/run"} 1`,
		`croupier_web_requests_total{code="200",route="/league"} 1`,
		`croupier_web_requests_total{code="404",route="none"} 1`,
		`croupier_web_clients 0`,
		`croupier_web_feed_lag_messages 0`,
		`croupier_web_feed_connected 0`,
		`croupier_web_feed_refused_total{reason="non_finite"} 0`,
	} {
		require.Contains(t, text, line+"\n")
	}
}

// TestSeriesAreToldAsDeclared: the page knows no curve of the learner by itself.
func TestSeriesAreToldAsDeclared(t *testing.T) {
	r := newTrial(t)
	declared := []messages.Series{{Name: "regret", Title: "Regret", Unit: "games", Help: "A sentence.",
		Section: messages.SeriesOfLearning, Algorithms: []string{"cfr"}}}
	h, _ := handler(r.follow(), func(o *Options) { o.Series = declared })
	require.Equal(t, declared, decodeBody[[]messages.Series](t, get(h, "GET", "/api/series")))
	h, _ = handler(r.follow(), nil)
	require.JSONEq(t, `[]`, get(h, "GET", "/api/series").Body.String())

	script := get(h, "GET", "/assets/training.js").Body.String()
	for _, s := range learner.Series() {
		if len(s.Algorithms) > 0 {
			require.False(t, strings.Contains(script, `"`+s.Name+`"`), s.Name)
		}
	}
}

// events is a client's end of an event stream.
type events struct {
	t      *testing.T
	body   io.ReadCloser
	lines  *bufio.Scanner
	lastID string
}

func subscribe(t *testing.T, address, query, lastID string) (*events, *http.Response) {
	request, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+address+"/api/events"+query, nil)
	require.NoError(t, err)
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	return &events{t: t, body: response.Body, lines: lines}, response
}

// next returns the data of the next update.
func (e *events) next() map[string]json.RawMessage {
	e.t.Helper()
	for e.lines.Scan() {
		line := e.lines.Text()
		if id, found := strings.CutPrefix(line, "id: "); found {
			e.lastID = id
		}
		if data, found := strings.CutPrefix(line, "data: "); found && data != "{}" {
			value := map[string]json.RawMessage{}
			require.NoError(e.t, json.Unmarshal([]byte(data), &value))
			return value
		}
	}
	e.t.Fatal("the stream ended", e.lines.Err())
	return nil
}

func TestEventsResume(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	r.train(0, 30)
	r.rate(1)
	wait(t, feed, "everything", func(s *Snapshot) bool {
		p, _ := s.Latest("entropy")
		return p.Samples == 29*4096 && rated(s, 1) && s.CaughtUp && s.Connected
	})
	first, response := subscribe(t, server.address, "", "")
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	all := first.next()
	require.JSONEq(t, "true", string(all["full"]))
	for _, part := range []string{"run", "series", "curves", "league", "ladder", "roles"} {
		require.Contains(t, all, part)
	}
	r.points("learner", 100, 40*4096, value("entropy", 0.1))
	change := first.next()
	require.JSONEq(t, "false", string(change["full"]))
	require.Contains(t, change, "curves")
	require.NotContains(t, change, "ladder", "only what changed")
	require.NotContains(t, change, "series")
	require.NoError(t, first.body.Close())

	r.points("learner", 101, 41*4096, value("kl", 0.1))
	wait(t, feed, "the point", func(s *Snapshot) bool { p, _ := s.Latest("kl"); return p.Samples == 41*4096 })
	for _, again := range []struct{ query, lastID string }{{"", first.lastID}, {"?since=" + first.lastID, ""}} {
		second, _ := subscribe(t, server.address, again.query, again.lastID)
		missed := second.next()
		require.JSONEq(t, "false", string(missed["full"]))
		require.Contains(t, string(missed["curves"]), `"kl"`)
		require.NotContains(t, string(missed["curves"]), `"entropy"`)
	}
	stranger, _ := subscribe(t, server.address, "", "another.77")
	require.JSONEq(t, "true", string(stranger.next()["full"]))
}

// Changes that come faster than a client is notified are one event.
func TestEventsCoalesce(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	stream, _ := subscribe(t, server.address, "", "")
	stream.next()
	r.train(0, 200)
	count := 0
	for seen := 0; seen < 200; count++ {
		var curves []struct {
			Series string
			From   int
			Points [][]float64
		}
		if data, found := stream.next()["curves"]; found {
			require.NoError(t, json.Unmarshal(data, &curves))
		}
		for _, c := range curves {
			if c.Series == "entropy" {
				seen = c.From + len(c.Points)
			}
		}
	}
	require.Less(t, count, 50)
}

func TestEventStreamsAreBounded(t *testing.T) {
	r := newTrial(t)
	feed := r.follow()
	h, _ := handler(feed, func(o *Options) { o.MaxStreams = 2 })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	first, _ := subscribe(t, address, "", "")
	second, _ := subscribe(t, address, "", "")
	first.next()
	second.next()
	_, refused := subscribe(t, address, "", "")
	require.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	body, err := io.ReadAll(refused.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "All 2 event streams are in use")
	require.Contains(t, get(h, "GET", "/metrics").Body.String(), "croupier_web_clients 2\n")

	require.NoError(t, first.body.Close())
	require.Eventually(t, func() bool {
		_, response := subscribe(t, address, "", "")
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, webtest.Limit, 10*time.Millisecond, "a client that left makes room")
}

// A client that does not read is dropped after its deadline.
func TestSlowClientIsDropped(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 3000)
	feed := r.follow()
	wait(t, feed, "history", func(s *Snapshot) bool { return s.CaughtUp })
	registry := prometheus.NewRegistry()
	s := &server{feed: feed, pages: runPages, shell: newShell(Options{Log: quiet, Registerer: registry, MaxStreams: 1},
		nil, runPages)}
	s.pace = pace{gap: time.Millisecond, keepalive: time.Millisecond, write: time.Second}
	web := httptest.NewUnstartedServer(s.routes())
	web.Config.ConnState = func(connection net.Conn, state http.ConnState) {
		if state == http.StateNew { // so that the system takes less than an event
			require.NoError(t, connection.(*net.TCPConn).SetWriteBuffer(4096))
		}
	}
	web.Start()
	defer web.Close()
	connection, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
	require.NoError(t, err)
	defer connection.Close()
	require.NoError(t, connection.(*net.TCPConn).SetReadBuffer(4096))
	_, err = io.WriteString(connection, "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	begun := make([]byte, len("HTTP/1.1 200"))
	_, err = io.ReadFull(connection, begun)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 200", string(begun), "the stream was open")
	require.Eventually(t, func() bool { return len(s.streams) == 0 }, webtest.Limit, 10*time.Millisecond)
}

func TestServeStops(t *testing.T) {
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	stream, _ := subscribe(t, server.address, "", "")
	stream.next()
	server.stop() // requires that Serve returns nil
	_, err := io.ReadAll(stream.body)
	require.NoError(t, err, "the stream ends in order")
	_, err = net.Dial("tcp", server.address)
	require.Error(t, err)
}

func TestServeSaysWhyItCannot(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	err = Serve(context.Background(), listener, nil, http.NotFoundHandler(), quiet)
	require.ErrorContains(t, err, "the web page: serve on 127.0.0.1:")
}

func TestEventsHead(t *testing.T) {
	r := newTrial(t)
	server := serve(t, r.follow(), "127.0.0.1:0")
	response, err := http.Head("http://" + server.address + "/api/events")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	http.DefaultClient.CloseIdleConnections()
}
