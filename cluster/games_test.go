package cluster

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/seed"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main{M: m}.Run() }

// The games of a match that were kept are those that its result sums up.
func TestArchivedGamesAreTheMatch(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	s := &node{bus: b, registry: newRegistry(), log: slog.New(slog.DiscardHandler), dir: t.TempDir(),
		config: changed(t, "bank", "archive: {arena_per_second: 1e6}")}
	s.config.Run = "kept"
	var err error
	s.game, err = s.config.Build()
	require.NoError(t, err)
	a, err := s.newActor(1)
	require.NoError(t, err)
	k, err := s.newArchiver()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	done := make(chan error, 2)
	go func() { done <- a.Run(ctx) }()
	go func() { k.Run(ctx); done <- nil }()
	hash := engine.RulesHash(s.game)
	results, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	played := map[string]*messages.Result{}
	for i, id := range []string{"m1", "m2", "m3"} {
		match, err := messages.Encode(&messages.Match{
			Schema: messages.SchemaVersion, Run: "kept", Id: id, RulesHash: hash[:],
			A: "leader-chaser", B: "threshold(100)", Sets: 10, FirstSet: uint64(10 * i),
		})
		require.NoError(t, err)
		require.NoError(t, b.Publish(ctx, bus.Matches, id, match))
	}
	for m := range results {
		if m != nil {
			r := &messages.Result{}
			require.NoError(t, messages.Decode(m.Data(), r))
			played[r.Match.Id] = r
		}
		if len(played) == 3 {
			break
		}
	}
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	for id, result := range played {
		found, err := archive.Read(s.dir).Find(t.Context(), archive.Query{Match: id, Limit: 1000})
		require.NoError(t, err)
		require.EqualValues(t, result.OneA.Games+result.OneB.Games, found.Total)
		requireSums(t, s.game.Spec(), result, found.Games)
	}
}

// requireSums compares the sums of a result with those of the games: of each agent where it sits
// alone among the others.
func requireSums(t *testing.T, spec *engine.Spec, result *messages.Result, games []archive.Summary) {
	sums, wins := map[string]float64{}, map[string]uint64{}
	shares := make([]float64, spec.Seats)
	for _, g := range games {
		alone := alone(g.Agents)
		spec.Shares(g.Returns, shares)
		sums[g.Agents[alone].Name] += shares[alone] / float64(spec.Seats) // a set's value is a mean
		if shares[alone] == 1 {
			wins[g.Agents[alone].Name]++
		}
	}
	require.InDelta(t, result.OneA.ShareSum, sums[result.Match.A], 1e-9)
	require.InDelta(t, result.OneB.ShareSum, sums[result.Match.B], 1e-9)
	require.Equal(t, result.OneA.Wins, wins[result.Match.A])
	require.Equal(t, result.OneB.Wins, wins[result.Match.B])
}

// alone returns the seat whose agent has no other.
func alone(agents []archive.Agent) int {
	seats := map[string]int{}
	for _, a := range agents {
		seats[a.Name]++
	}
	for seat, a := range agents {
		if seats[a.Name] == 1 {
			return seat
		}
	}
	return -1
}

// keepPig fills the archive of a run with games of Pig, every other one of the arena.
func keepPig(t *testing.T, run string, n int) {
	game, err := standard.Games.New("pig", []byte(`{"target": 20}`)) // whose solution takes no time
	require.NoError(t, err)
	rules, err := json.Marshal(game.Rules())
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	w, _, err := archive.Open(run, 1<<20)
	require.NoError(t, err)
	for i := range uint64(n) {
		var rec history.Record
		require.NoError(t, simulator.Play(i, []engine.Bot{random, random}, &rec))
		g := &archive.Game{Game: "pig", Rules: rules, Seed: seed.Number(i), Width: messages.HistoryWidth(game.Spec())}
		g.Time, g.Steps, g.Returns = time.Now(), len(rec.History), rec.Returns
		g.Agents = []archive.Agent{{Name: "greedy:main@8"}, {Name: "hold(20)"}}
		for _, step := range rec.History {
			g.History = messages.AppendStep(g.History, g.Width, step)
		}
		require.NoError(t, w.Add([]archive.Class{archive.Training, archive.Arena}[i%2], g))
	}
	require.NoError(t, w.Close())
}

// From the ladder of a run that has ended to the games behind a rating, and to one of them on its board.
func TestFromTheLadderToAGame(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	keepPig(t, f.ended("evening", "pig", 20), 10)
	server := httptest.NewServer(f)
	defer server.Close()
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate(server.URL + "/runs/evening/league"))
	b.Until(`document.querySelector(".ladder tbody a")?.textContent === "400"`)
	b.Click(".ladder tbody a")
	b.Until(`document.querySelectorAll(".games-found > li").length === 5`)
	require.Equal(t, "?run=evening&agent=greedy%3Amain%408&purpose=arena", webtest.Evaluate[string](b, "location.search"))
	b.Keep("games-desk")
	b.Click(".games-found .do a")
	b.Until(`document.getElementById("viewer")?.hidden === false && document.getElementById("board").children.length > 0`)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("viewer").innerText`), "greedy:main@8")
	b.Do(chromedp.Navigate(server.URL + "/games"))
	b.Until(`document.querySelectorAll(".games-found > li").length === 10 && !document.getElementById("run-field").hidden`)
	b.Clean()

	w := f.ask("GET", "/api/games?run=nothing", "")
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	require.Equal(t, http.StatusUnprocessableEntity, f.ask("GET", "/api/games", "").Code)
}
