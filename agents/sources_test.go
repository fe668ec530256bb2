package agents

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/actor"
	"croupier/agents/external"
	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/pig"
	"croupier/games/standard"
	"croupier/league"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
	"croupier/solver"
)

// Versions come from a run's broker with the checksum with which they were frozen, and from nowhere else.
func TestVersionsFromABroker(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	data := kuhn.Entry.Network
	sum := sha256.Sum256(data)
	freeze := func(number uint64, sum []byte) {
		object := "population/main-" + string(rune('0'+number))
		require.NoError(t, b.PutObject(t.Context(), object, data))
		member, err := messages.Encode(&messages.Member{
			Schema: messages.SchemaVersion, Name: messages.MemberName("main", number), Object: object, Sha256: sum,
		})
		require.NoError(t, err)
		_, err = b.State().Put(t.Context(), messages.MemberKey("main", number), member)
		require.NoError(t, err)
	}
	freeze(1, sum[:])
	other := sha256.Sum256([]byte("other weights"))
	freeze(2, other[:])
	a := New(game, Sources{Catalog: standard.Games, Frozen: FromBus(b)})
	require.Equal(t, game, a.Game())
	p, err := a.Player(t.Context(), "main@1")
	require.NoError(t, err)
	require.NotNil(t, p.Network)
	for name, wrong := range map[string]string{
		"main@2": "its file has the SHA-256", "main@3": "the run has no version main@3",
	} {
		_, err = a.Player(t.Context(), name)
		require.ErrorContains(t, err, wrong)
	}
	_, err = FromBus(b)(t.Context(), "newest")
	require.ErrorContains(t, err, "it does not look like main@12")
	_, err = b.State().Put(t.Context(), messages.MemberKey("main", 4), []byte("nonsense"))
	require.NoError(t, err)
	_, err = FromBus(b)(t.Context(), "main@4")
	require.Error(t, err)

	n, err := a.Network(data, sum[:])
	require.NoError(t, err)
	require.NotNil(t, n)
	_, err = a.Network(data, other[:])
	require.ErrorContains(t, err, "its SHA-256 is")
}

// What versions can lose is measured where the game is small enough and the network fits; else there is a reason.
func TestEvaluation(t *testing.T) {
	dense := nn.Description{Dense: []int{4}}
	for _, test := range []struct {
		game, rules    string
		network        nn.Description
		nodes          int
		unmeasured     string // why not; "": it is
		exploitability string // why it is not measured of the whole game
	}{
		{"kuhn", "{}", dense, 58, "", ""},
		{"kuhn", "{}", dense, 57, "more than 57 nodes",
			"the tree of kuhn has more than 57 nodes, the limit that is set by league.curve_nodes"},
		{"banluck", "players: 1", dense, 1000, "", "for hands"},
		{"banluck", "players: 1", nn.Description{LSTM: []int{4}}, 1000, "more than 1000 nodes", "more than 1000 nodes"},
		{"bank", "players: 3", dense, 1000, "games for two, and bank has 3 seats", "games for two, and bank has 3 seats"},
		{"pig", "target: 100", dense, 1000, "the limit is 100", "the limit is 100"},
	} {
		game, err := standard.Games.New(test.game, []byte(test.rules))
		require.NoError(t, err)
		_, err = New(game, Sources{Catalog: standard.Games}).Evaluation(test.network, test.nodes)
		requireReason(t, test.unmeasured, err)
		requireReason(t, test.exploitability, New(game, Sources{Catalog: standard.Games}).MeasuresExploitability(
			test.network, test.nodes))
	}
	requireMeasuredByPositions(t)
	small, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	measure, err := New(small, Sources{Catalog: standard.Games}).Evaluation(dense, 58)
	require.NoError(t, err)
	values, err := measure(t.Context(), kuhn.Entry.Network)
	require.NoError(t, err)
	require.Less(t, values[league.Exploitability], 0.1, "of a network that is near the equilibrium")
	require.GreaterOrEqual(t, values[league.Exploitability], 0.0)
	_, err = measure(t.Context(), pig.Entry.Network)
	require.ErrorContains(t, err, "it is for pig")
}

// requireMeasuredByPositions: where all is seen, networks without memory are measured on positions, and those with one
// on the whole tree.
func requireMeasuredByPositions(t *testing.T) {
	t.Helper()
	file, err := os.ReadFile("../engine/wasm/kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	opened, err := standard.Games.Open(file)
	require.NoError(t, err)
	game, err := opened.New(nil)
	require.NoError(t, err)
	a := New(game, Sources{Catalog: standard.Games})
	require.NoError(t, a.MeasuresExploitability(nn.Description{Dense: []int{4}}, 5478))
	requireReason(t, "tic-tac-toe has more than 5477 nodes", a.MeasuresExploitability(nn.Description{Dense: []int{4}}, 5477))
	requireReason(t, "the tree of tic-tac-toe has more than 5478 nodes",
		a.MeasuresExploitability(nn.Description{LSTM: []int{4}}, 5478))
	requireMeasuredAsRated(t, a)
}

// requireMeasuredAsRated: in a game of perfect information a network is rated as it chooses, not as it draws actions
// in training.
func requireMeasuredAsRated(t *testing.T, a *Agents) {
	t.Helper()
	d := nn.Description{Dense: []int{4}}
	layout, err := nn.NewLayout(d, a.game.Spec())
	require.NoError(t, err)
	network, err := nn.NewNetwork(layout, layout.Init(1))
	require.NoError(t, err)
	file, err := nn.NewFile(network, a.game, nil)
	require.NoError(t, err)
	data, err := file.Encode()
	require.NoError(t, err)
	measure, err := a.Evaluation(d, 5478)
	require.NoError(t, err)
	values, err := measure(t.Context(), data)
	require.NoError(t, err)
	positions, err := solver.NewPositions(a.game, 5478)
	require.NoError(t, err)
	greedy, err := positions.Exploitability(func() policy.Policy { return nn.NewPolicy(network, policy.Greedy) })
	require.NoError(t, err)
	require.Equal(t, greedy, values[league.Exploitability])
	sampled, err := positions.Exploitability(func() policy.Policy { return nn.NewPolicy(network, policy.Sampled) })
	require.NoError(t, err)
	require.NotEqual(t, greedy, sampled)
}

// requireReason checks that an error reports why, and that there is none where nothing is to be said.
func requireReason(t *testing.T, why string, err error) {
	t.Helper()
	if why == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, why)
}

// The actors of a cluster have neither this machine's files nor its programs.
func TestAgentsThatCanBeShared(t *testing.T) {
	for _, name := range []string{"random", "main@3", "greedy:main@3", "search:main@3", "hold(20)"} {
		require.NoError(t, CheckShared(name), name)
	}
	for name, wrong := range map[string]string{
		"file:x": "files of this machine are not sent", "search(1,2):file:x": "files of this machine are not sent",
		"exec:./program": "external agents do not play", "http://127.0.0.1:1/": "external agents do not play", "temperature(-1):main@3": "temperature",
	} {
		require.ErrorContains(t, CheckShared(name), wrong)
	}
}

// Servers are asked only where that is allowed, and their faults are reported.
func TestAgentsOutside(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q external.Question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Type != external.TypeHello {
			fmt.Fprintf(w, `{"id":%d,"action":99}`, q.ID)
			return
		}
		fmt.Fprint(w, `{"protocol":1,"name":"wrong"}`)
	}))
	defer server.Close()
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	_, err = New(game, Sources{Catalog: standard.Games}).Player(t.Context(), server.URL)
	require.ErrorContains(t, err, "are not allowed here")
	a := New(game, Sources{Catalog: standard.Games, Programs: true})
	p, err := a.Player(t.Context(), server.URL)
	require.NoError(t, err)
	require.NoError(t, a.Failed())
	require.Empty(t, a.Conduct())
	s, rng := game.NewState(), engine.NewRNG(1, 0)
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.Outcomes(nil)[0].Index))
	}
	require.Contains(t, s.LegalActions(nil), p.Policy().Choose(s, s.LegalActions(nil), rng), "one drawn at random")
	require.Len(t, a.Conduct(), 1)
	require.Contains(t, a.Conduct()[0], "1 of 1 decisions were drawn at random instead: 0 came too late, 1 were not legal")
	_, err = a.Player(t.Context(), "http://127.0.0.1:1/")
	require.ErrorContains(t, err, "agent http://127.0.0.1:1/: ")
}

// A tournament that is played elsewhere asks for agents of the same weights and the same deals, and has the ladder of
// the one at home.
func TestTournamentElsewhere(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	a, names := New(game, Sources{Catalog: standard.Games}), []string{"trained", "always-bet"}
	tournament := Tournament{Game: game, Games: 200, Seed: 9, Workers: 2}
	home, _, err := tournament.Play(t.Context(), a, names)
	require.NoError(t, err)
	players := map[string]*player.Player{}
	for _, name := range names {
		players[name], err = a.Player(t.Context(), name)
		require.NoError(t, err)
	}
	tournament.Elsewhere = func(ctx context.Context, m *messages.Match) (*messages.Result, []*messages.Kept, error) {
		sums := map[string][]byte{m.A: m.ASha256, m.B: m.BSha256}
		for name, p := range players {
			require.Equal(t, p.SHA256, sums[name], name)
		}
		result, err := actor.PlayMatch(ctx, game, m.GetSeed(), m, players[m.A], players[m.B], matchTables)
		return result, nil, err
	}
	away, _, err := tournament.Play(t.Context(), a, names)
	require.NoError(t, err)
	require.Equal(t, home, away)
}

// The ladder of a tournament says what chance was worth in it: the corrected interval is the narrower one, and holds
// what the plain one says.
func TestLadderTellsTheCorrection(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	tournament := Tournament{Game: game, Games: 500, Seed: 4, Workers: 2, Baseline: "solver:equilibrium"}
	ladder, _, err := tournament.Play(t.Context(), New(game, Sources{Catalog: standard.Games}),
		[]string{"solver:equilibrium", "always-bet", "random"})
	require.NoError(t, err)
	c := ladder.Correction
	require.Equal(t, "solver:equilibrium", c.Baseline)
	require.Len(t, c.Pairs, 3)
	for _, p := range c.Pairs {
		require.GreaterOrEqual(t, p.Games, uint64(500))
		require.Less(t, p.Corrected.High-p.Corrected.Low, p.Plain.High-p.Plain.Low, "%+v", p)
		require.Less(t, p.VarianceLeft, 1.0)
		require.Less(t, p.Corrected.Low, p.Plain.High)
		require.Less(t, p.Plain.Low, p.Corrected.High)
	}
	doc, err := json.Marshal(c)
	require.NoError(t, err)
	require.Contains(t, string(doc), "always-bet")
	tournament.Baseline = "nobody"
	_, _, err = tournament.Play(t.Context(), New(game, Sources{Catalog: standard.Games}), []string{"always-bet", "random"})
	require.Error(t, err)
}
