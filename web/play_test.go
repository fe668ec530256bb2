package web

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/play"
	"croupier/web/webtest"
)

// testSource knows all games and what comes with the program.
type testSource struct{}

func (testSource) Game(_ context.Context, name, rules, run string, seats int) (engine.Game, error) {
	if run != "" {
		return nil, fmt.Errorf("there is no run %.40q", run)
	}
	game, err := standard.Games.New(name, []byte(rules))
	if err != nil || seats == 0 {
		return game, err
	}
	return play.Fit(standard.Games.Of(game), game, seats)
}

func (testSource) Agent(ctx context.Context, game engine.Game, _, name string) (play.Agent, error) {
	return play.Find(ctx, testSource{}.Agents(game), name)
}

func (testSource) Agents(game engine.Game) *agents.Agents {
	return agents.New(game, agents.Sources{Catalog: standard.Games})
}

func (s testSource) Games(ctx context.Context, run string) (list []play.PlayedGame, err error) {
	for _, entry := range standard.Games.Games() {
		game, err := s.Game(ctx, entry.Name, "", run, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, play.Describe(entry, game))
	}
	return list, nil
}

func (s testSource) Levels(ctx context.Context, name, rules, run string, seats int) ([]play.Level, error) {
	game, err := s.Game(ctx, name, rules, run, seats)
	if err != nil {
		return nil, err
	}
	return play.Levels(s.Agents(game)), nil
}

// assessing asks what comes with the program.
func assessing(ctx context.Context, game engine.Game, _ string) (play.Agent, error) {
	return play.Assessor(ctx, testSource{}.Agents(game), nil)
}

// playHandler serves the page Play with a hall of its own, which is closed with the test.
func playHandler(t testing.TB, limits play.Limits) http.Handler {
	ctx, cancel := context.WithCancel(context.Background())
	hall := play.NewHall(ctx, play.Options{Source: testSource{}, Limits: limits, Assess: assessing, Log: quiet})
	t.Cleanup(cancel)
	page := PlayPage(hall, testSource{}, testAdvisor{}, quiet)
	return newTestServer(page)
}

// newTestServer serves the API of one page.
func newTestServer(page Page) http.Handler {
	mux := http.NewServeMux()
	for pattern, handler := range page.API {
		mux.Handle(pattern, handler)
	}
	return http.NewCrossOriginProtection().Handler(mux)
}

// tell sends a request with a JSON body.
func tell(h http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://127.0.0.1:8080"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// laid lays a table and requires that it is there.
func laid(t testing.TB, h http.Handler, request string) play.Made {
	w := tell(h, "/api/tables", request)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	var made play.Made
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
	return made
}

// shownTo returns what a key sees.
func shownTo(t testing.TB, h http.Handler, table, key string) (*play.Show, string) {
	w := get(h, "GET", "/api/tables/"+table+"?key="+key)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	show := &play.Show{}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), show))
	return show, w.Body.String()
}

// Every game is played to its end by a person over HTTP; what is saved is a valid game. Nothing
// that is sent to a seat before the end holds another's key or the seed.
func TestGamesOverHTTP(t *testing.T) {
	t.Parallel()
	h := playHandler(t, play.DefaultLimits())
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			game, err := entry.New(nil)
			require.NoError(t, err)
			seats := slices.Repeat([]string{`{"agent": "random"}`}, game.Spec().Seats-1)
			made := laid(t, h, fmt.Sprintf(
				`{"game": %q, "seed": 8613579243, "timeout_seconds": 0, "seats": [{"person": "Anna"}, %s]}`,
				entry.Name, strings.Join(seats, ",")))
			rng := engine.NewRNG(1, 0)
			for deadline := time.Now().Add(webtest.Limit); ; {
				show, text := shownTo(t, h, made.Table, made.Keys[0])
				if show.Over != nil {
					break
				}
				require.True(t, time.Now().Before(deadline), "the game does not end")
				require.NotContains(t, text, "8613579243")
				require.NotContains(t, text, made.Host)
				if len(show.Actions) == 0 {
					time.Sleep(100 * time.Microsecond)
					continue
				}
				action := show.Actions[rng.IntN(len(show.Actions))].Action
				w := tell(h, "/api/tables/"+made.Table+"/act?key="+made.Keys[0],
					fmt.Sprintf(`{"step": %d, "action": %d}`, show.Step, action))
				require.Equal(t, http.StatusOK, w.Code, w.Body.String())
			}
			w := tell(h, "/api/tables/"+made.Table+"/save?key="+made.Keys[0], "{}")
			require.Equal(t, http.StatusOK, w.Code, w.Body.String())
			var saved struct{ History string }
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &saved))
			require.Contains(t, saved.History, `"seed":8613579243`)
			_, err = history.Check(t.Context(), strings.NewReader(saved.History), standard.Games.New, nil)
			require.NoError(t, err)
		})
	}
}

// A late click changes nothing, an illegal one is answered with the rule, and keys are needed.
func TestActIsRefused(t *testing.T) {
	h := playHandler(t, play.DefaultLimits())
	made := laid(t, h, `{"game": "pig", "seats": [{"person": "Anna"}, {"person": "Bert"}]}`)
	act := func(key, body string) *httptest.ResponseRecorder {
		return tell(h, "/api/tables/"+made.Table+"/act?key="+key, body)
	}
	for _, c := range []struct {
		key, body string
		code      int
		say       string
	}{
		{made.Keys[0], `{"step": 7, "action": 0}`, 409, "the game has continued since"},
		{made.Keys[1], `{"step": 0, "action": 0}`, 403, "it is not your turn"},
		{made.Keys[0], `{"step": 0, "action": 99}`, 422, ""},
		{made.Keys[0], `{"step": 0}`, 400, "is needed"},
		{made.Watch, `{"step": 0, "action": 0}`, 403, "spectators do not play"},
		{"wrong", `{"step": 0, "action": 0}`, 404, "there is no such table"},
		{"", `{"step": 0, "action": 0}`, 404, "there is no such table"},
		{made.Keys[0], `{"step": "0", "action": 0}`, 400, "the question"},
		{made.Keys[0], `{"step": 0, "action": 0, "more": 1}`, 400, "more: unknown key"},
		{made.Keys[0], `{} {}`, 400, "something follows"},
	} {
		w := act(c.key, c.body)
		require.Equal(t, c.code, w.Code, "%s: %s", c.body, w.Body)
		require.Contains(t, w.Body.String(), c.say)
	}
	var late struct{ Show *play.Show }
	require.NoError(t, json.Unmarshal(act(made.Keys[0], `{"step": 7, "action": 0}`).Body.Bytes(), &late))
	require.Equal(t, 0, late.Show.Step, "a late guest is told how the game stands")
	show, _ := shownTo(t, h, made.Table, made.Keys[0])
	require.Equal(t, 0, show.Step)
	require.Equal(t, 415, get(h, "POST", "/api/tables").Code)
	require.Equal(t, 413, tell(h, "/api/tables", `{"game": "`+strings.Repeat("x", maxQuestionBytes)+`"}`).Code)
	require.Equal(t, 403, get(h, "POST", "/api/tables", "Sec-Fetch-Site", "cross-site").Code)
}

// People join by a code or a link; each has a key of their own, and what the host knew of the link
// opens nothing any more. Reconnecting keeps the seat.
func TestJoining(t *testing.T) {
	h := playHandler(t, play.DefaultLimits())
	made := laid(t, h, `{"game": "bank", "seats": [{"person": "Anna"}, {"open": true}, {"open": true}]}`)
	require.Len(t, made.Code, 6)
	show, _ := shownTo(t, h, made.Table, made.Keys[0])
	require.Equal(t, play.Waiting, show.Table.State)
	require.Equal(t, 404, tell(h, "/api/tables/join", `{"code": "WRONG1", "name": "Bert"}`).Code)
	w := tell(h, "/api/tables/join", fmt.Sprintf(`{"code": " %s ", "name": "Bert"}`, strings.ToLower(made.Code)))
	require.Equal(t, 200, w.Code, w.Body.String())
	var bert play.Seated
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &bert))
	require.Equal(t, made.Table, bert.Table)
	require.Equal(t, 404, get(h, "GET", "/api/tables/"+made.Table+"?key="+made.Keys[1]).Code, "the link is used up")
	w = tell(h, "/api/tables/"+made.Table+"/join?key="+made.Keys[2], `{"name": "Carla"}`)
	require.Equal(t, 200, w.Code, w.Body.String())
	show, text := shownTo(t, h, bert.Table, bert.Key)
	require.Equal(t, 1, show.Eye)
	require.Equal(t, "Carla", show.Seats[2].Name)
	require.Equal(t, play.Playing, show.Table.State)
	require.NotContains(t, text, made.Keys[0])
	require.Equal(t, 404, tell(h, "/api/tables/join", fmt.Sprintf(`{"code": %q, "name": "Dora"}`, made.Code)).Code)
}

// Guessing codes ends soon.
func TestCodesAreNotGuessed(t *testing.T) {
	h := playHandler(t, play.DefaultLimits())
	codes := map[int]int{}
	for i := range 100 {
		codes[tell(h, "/api/tables/join", fmt.Sprintf(`{"code": "A%05d", "name": "Eve"}`, i)).Code]++
	}
	require.Equal(t, map[int]int{404: 60, 503: 40}, codes)
}

// The stream shows every change; after a lost connection the seat is still there.
func TestStreamAndReconnect(t *testing.T) {
	h := playHandler(t, play.DefaultLimits())
	server := httptest.NewServer(h)
	defer server.Close()
	made := laid(t, h, `{"game": "pig", "seats": [{"person": "Anna"}, {"person": "Bert"}]}`)
	ctx, disconnect := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(
		ctx, "GET", server.URL+"/api/tables/"+made.Table+"/events?key="+made.Keys[0], nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	require.Equal(t, 0, nextShow(t, lines).Step)
	for present := false; !present; {
		other, _ := shownTo(t, h, made.Table, made.Keys[1])
		present = other.Seats[0].Present
	}
	require.Equal(t, 200, tell(h, "/api/tables/"+made.Table+"/act?key="+made.Keys[0], `{"step": 0, "action": 0}`).Code)
	for nextShow(t, lines).Step < 2 {
	}
	disconnect()
	for present := true; present; {
		other, _ := shownTo(t, h, made.Table, made.Keys[1])
		present = other.Seats[0].Present
	}
	show, _ := shownTo(t, h, made.Table, made.Keys[0])
	require.Equal(t, 2, show.Step)
}

// nextShow reads the next event "show" of a stream.
func nextShow(t *testing.T, lines *bufio.Reader) *play.Show {
	for {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if data, ok := strings.CutPrefix(line, "data: "); ok && data != "{}\n" {
			show := &play.Show{}
			require.NoError(t, json.Unmarshal([]byte(data), show))
			return show
		}
	}
}

// Levels are called at a table what they are called before, under any rules and with any seats.
func TestLevelsAgreeWithTitles(t *testing.T) {
	t.Parallel()
	h := playHandler(t, play.DefaultLimits())
	for _, test := range []struct{ game, rules, seats string }{
		{"pig", "", ""}, {"pig", "target: 60", ""}, {"bank", "", "2"}, {"bank", "rounds: 5", "3"}, {"bank", "", "6"},
	} {
		query := url.Values{"game": {test.game}, "rules": {test.rules}, "seats": {test.seats}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/levels?"+query.Encode(), nil))
		var answer struct{ Levels []play.Level }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		require.NotEmpty(t, answer.Levels, w.Body.String())
		others, _ := strconv.Atoi(cmp.Or(test.seats, "2"))
		for _, level := range answer.Levels {
			seats := slices.Repeat([]string{`{"open": true}`}, others-1)
			made := laid(t, h, fmt.Sprintf(`{"game": %q, "rules": %q, "seats": [{"agent": %q}, %s]}`,
				test.game, test.rules, level.Agent, strings.Join(seats, ",")))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/api/tables/"+made.Table+"?key="+made.Watch, nil))
			var show play.Show
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &show))
			require.Equal(t, level.Name, strings.ToLower(show.Seats[0].Name), "%v", test)
		}
	}
	for _, query := range []string{"game=pig&rules=target: x", "game=pig&seats=zero", "game=pig&seats=9"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/levels?"+strings.ReplaceAll(query, " ", "%20"), nil))
		require.GreaterOrEqual(t, w.Code, 400, query)
		require.Less(t, w.Code, 500, query)
	}
}

// Hints and thoughts are for people who play against agents only.
func TestHelp(t *testing.T) {
	h := playHandler(t, play.DefaultLimits())
	alone := laid(t, h, `{"game": "pig", "seats": [{"person": "Anna"}, {"agent": "hold(20)"}]}`)
	w := tell(h, "/api/tables/"+alone.Table+"/hint?key="+alone.Keys[0], "")
	var answer advice.Answer
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body.String())
	require.Len(t, answer.Actions, 2)
	w = tell(h, "/api/tables/"+alone.Table+"/thoughts?key="+alone.Keys[0], "{}")
	require.Contains(t, w.Body.String(), `"agent":"hold(20)"`)
	require.Contains(t, w.Body.String(), `"name":"roll","probability":1`)
	two := laid(t, h, `{"game": "pig", "seats": [{"person": "Anna"}, {"person": "Bert"}]}`)
	require.Equal(t, 403, tell(h, "/api/tables/"+two.Table+"/hint?key="+two.Keys[0], "{}").Code)
}

// Whatever is sent to the tables is answered with a document, and never a failure of the server.
func FuzzTables(f *testing.F) {
	h := playHandler(f, play.Limits{Tables: 20, Idle: time.Hour, Kept: time.Hour, WrongCodes: 1 << 30})
	made := laid(f, h, `{"game": "kuhn", "seats": [{"person": "Anna"}, {"agent": "random"}]}`)
	paths := []string{"", "/join"}
	for _, what := range []string{"act", "undo", "again", "leave", "join", "fill", "speed", "save"} {
		paths = append(paths, "/"+made.Table+"/"+what)
	}
	keys := []string{made.Keys[0], made.Host, made.Watch, "", "0123456789abcdef0123456789abcdef"}
	for i := range paths {
		for _, body := range []string{
			"", "{", "null", "[]", "7", `{"step": 0, "action": 0}`, `{"step": -1, "action": 1e99}`, `{"step": 0, "action": -5}`,
			`{"game": "pig", "seats": []}`, `{"game": "pig", "seats": [{}, {}]}`, `{"game": "nim"}`, `{"name": ""}`,
			`{"game": "pig", "rules": "target: x", "seats": [{"open": true}, {"open": true}]}`,
			`{"game": "bank", "seats": [{"agent": "search(9,9):random"}, {"agent": "file:/etc/passwd"}]}`,
			`{"game": "pig", "seats": [{"person": "A"}, {"agent": "random"}], "timeout_seconds": -1}`,
			`{"game": "pig", "seats": [{"person": "A", "open": true}, {"agent": "random"}]}`,
			`{"game": "kuhn", "entered": true, "seats": [{"person": "A"}, {"agent": "random"}]}`,
			`{"seats": [{"person": "A"}, {"person": "B"}], "from": {"history": "{\"game\":\"pig\",\"history\":[9,9]}", "step": 2}}`,
			`{"seats": [], "from": {"history": "", "step": -2}}`, `{"exchange": true}`, `{"agent": "nobody"}`,
			`{"moves_per_second": -1}`,
			`{"code": "", "name": "` + strings.Repeat("é", 50) + `"}`, `{"paused": "x"}`, strings.Repeat("[", 10_000),
		} {
			f.Add(byte(i), byte(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, path, key byte, body string) {
		w := tell(h, "/api/tables"+paths[int(path)%len(paths)]+"?key="+keys[int(key)%len(keys)], body)
		require.Less(t, w.Code, 600)
		require.True(t, w.Code < 500 || w.Code == http.StatusServiceUnavailable, "%d: %s", w.Code, w.Body)
		var answer map[string]any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), w.Body.String())
		if w.Code != http.StatusOK {
			require.NotEmpty(t, answer["error"])
		}
	})
}

// The addresses that are asked with GET take anything.
func FuzzTableQueries(f *testing.F) {
	h := playHandler(f, play.DefaultLimits())
	made := laid(f, h, `{"game": "kuhn", "seats": [{"person": "Anna"}, {"agent": "random"}]}`)
	for _, query := range []string{"", "key=", "key=" + made.Keys[0], "game=pig&run=../..", "open=1&key=" + made.Watch,
		"%zz", "game=%00"} {
		f.Add(made.Table, query)
		f.Add("nothing", query)
	}
	f.Fuzz(func(t *testing.T, table, query string) {
		for _, path := range []string{"/api/play", "/api/levels", "/api/tables/x", "/api/tables/x/events"} {
			r := httptest.NewRequest("HEAD", "http://127.0.0.1:8080"+path, http.NoBody)
			r.Method = "GET"
			if strings.HasSuffix(path, "events") {
				ctx, cancel := context.WithCancel(r.Context())
				cancel() // nobody waits for the end of a stream
				r = r.WithContext(ctx)
			}
			r.URL.RawQuery = query
			r.URL.Path = strings.Replace(path, "/x", "/"+strings.Trim(table, "/."), 1)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.True(t, w.Code < 500 || w.Code == http.StatusServiceUnavailable, "%d: %s", w.Code, w.Body)
		}
	})
}

// TestDeclaredTables requires that boards/types.d.ts declares the fields of what tables send.
func TestDeclaredTables(t *testing.T) {
	webtest.Declares(t, "boards/types.d.ts", map[string]any{
		"Show": play.Show{}, "TableInfo": play.TableInfo{}, "NextSeat": play.NextSeat{}, "Seat": play.Seat{},
		"Choice": play.Choice{}, "GameEvent": play.Event{}, "Clock": play.Clock{}, "Over": play.Over{},
		"Device": play.Device{}, "Poll": play.Poll{}, "PlayedGame": play.PlayedGame{}, "Level": play.Level{}, "MadeTable": play.Made{}, "Thoughts": advice.Thoughts{},
	})
}
