package cluster

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/advice"
	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/engine/wasm"
	"croupier/games/standard"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/web"
)

// The page lists games without written positions, such as those from files, and asks about them by their history.
func TestWebAdvisorOfAGameFromAFile(t *testing.T) {
	text, err := os.ReadFile("../engine/wasm/kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	file, err := wasm.Open(text)
	require.NoError(t, err)
	games := standard.Games.With(catalog.Game{Name: file.Name(), New: file.New})
	a := &webAdvisor{agents: resolvers{games: games}, runs: oneRun{&View{ID: "none", Game: kuhnGame(t)}}, budget: time.Second}
	list, err := a.Games(t.Context(), "")
	require.NoError(t, err)
	i := slices.IndexFunc(list, func(g web.AdvisedGame) bool { return g.Name == "tic-tac-toe" })
	require.GreaterOrEqual(t, i, 0)
	require.JSONEq(t, `{"history": []}`, string(list[i].Example))
	answer, err := a.Advise(t.Context(), "", "tic-tac-toe", "", "solver:optimal", []byte(`{"history": [0, 4, "square 1"]}`))
	require.NoError(t, err)
	require.Equal(t, 2, answer.Best, "else three in a row follow")
	_, err = a.Advise(t.Context(), "", "tic-tac-toe", "", "", []byte(`{"history": [0, 0]}`))
	require.ErrorContains(t, err, "history[1]: illegal action 0")
}

func kuhnGame(t *testing.T) engine.Game {
	t.Helper()
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	return game
}

func TestWebAdvisor(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	game, err := standard.Games.New("bank", []byte("players: 2"))
	require.NoError(t, err)
	a := &webAdvisor{agents: resolvers{games: standard.Games}, runs: oneRun{&View{ID: "evening", Game: game,
		frozen: agents.FromBus(b), ladder: (&node{bus: b}).ladder}}, budget: time.Millisecond}
	ctx := context.Background()
	list, err := a.Games(ctx, "")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, g := range list {
		answer, err := a.Advise(ctx, "", g.Name, "", "random", g.Example)
		require.NoError(t, err, g.Name)
		require.Equal(t, "random", answer.Agent)
		require.Contains(t, g.Agents, "random")
	}
	answer, err := a.Advise(ctx, "", "kuhn", "", "", []byte(`{"card": "K", "moves": ["bet"]}`))
	require.NoError(t, err)
	require.True(t, answer.Exact)
	_, err = a.Advise(ctx, "", "pig", "target: 20", "", []byte(`{"scores": [30, 0], "turn": 0, "seat": 1}`))
	require.EqualError(t, err, "scores[0]: 30 points would have won the game, which is played to 20")
	_, err = a.Advise(ctx, "", "bank", "", "random",
		[]byte(`{"round": 1, "roll": 1, "dice": [1, 2], "bank": 3, "totals": [0, 0, 0], "seat": 0}`))
	require.ErrorContains(t, err, "3 entries for 2 seats", "the run's rules")
	for agent, message := range map[string]string{
		"file:/etc/passwd": "files are not read here",
		"main@7":           "main@7",
		"bold":             `unknown agent "bold" of kuhn`,
	} {
		_, err = a.Advise(ctx, "", "kuhn", "", agent, []byte(`{"card": "K", "moves": []}`))
		require.ErrorContains(t, err, message)
	}
	_, err = a.Advise(ctx, "morning", "kuhn", "", "", []byte(`{"card": "K", "moves": []}`))
	require.EqualError(t, err, `there is no run "morning" here, only evening`)
	for _, agent := range []string{"search:file:/etc/passwd", "search(2,8):file:/dev/zero"} {
		_, err = a.Advise(ctx, "", "pig", "", agent, []byte(`{"scores": [30, 0], "turn": 0, "seat": 1}`))
		require.ErrorContains(t, err, "files are not read here")
	}
	report, err := a.Review(ctx, "evening", "", []byte(`{"game": "kuhn", "history": [2, 1, 0, 1, 0]}`), advice.Span{})
	require.NoError(t, err)
	require.Len(t, report.Decisions, 3)
	require.True(t, report.Exact)
	require.InDelta(t, 3, report.Decisions[2].Loss, 1e-9, "a king that folds")
	slow := strings.Repeat(`{"game": "kuhn", "history": [2, 1, 0, 1, 0]}`+"\n", 1000)
	report, err = a.Review(ctx, "evening", "random", []byte(slow), advice.Span{})
	require.NoError(t, err)
	require.Less(t, report.Games, 1000)
	require.Positive(t, report.Games)
	require.Contains(t, report.Notes[0], "the time of 1ms was used up after")
}

// The page says what the terminal says: both ask with the same defaults.
func TestPageAndTerminalAgree(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	game, err := standard.Games.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	a := &webAdvisor{agents: resolvers{games: standard.Games}, runs: oneRun{&View{ID: "evening", Game: game,
		frozen: agents.FromBus(b), ladder: (&node{bus: b}).ladder}}, budget: time.Hour}
	agent, err := advice.Choose(t.Context(), agents.New(game, agents.Sources{Catalog: standard.Games}), "hold(7)", nil)
	require.NoError(t, err)
	position := []byte(`{"scores": [7, 9], "turn": 5, "seat": 0}`)
	shown, err := a.Advise(t.Context(), "evening", "pig", "", "hold(7)", position)
	require.NoError(t, err)
	state, _, err := game.(engine.Positioned).ParsePosition(position, engine.NewRNG(1, 0))
	require.NoError(t, err)
	told, err := advice.Advise(t.Context(), advice.Question{Game: game, State: state}, agent, advice.DefaultOptions())
	require.NoError(t, err)
	require.Equal(t, told, shown)
	require.Positive(t, shown.Games)

	histories := strings.Repeat(`{"game": "pig", "rules": {"target": 20}, "history": [0,4,0,5,0,3,1,1,0,4,1]}`+"\n", 2)
	page, err := a.Review(t.Context(), "", "hold(7)", []byte(histories), advice.Span{})
	require.NoError(t, err)
	terminal, err := advice.ReviewAll(t.Context(), history.NewReader(strings.NewReader(histories)), standard.Games.New, 0,
		func(g engine.Game) (*advice.Reviewer, error) {
			return advice.NewReviewer(g, agent, advice.ReviewOptions()), nil
		})
	require.NoError(t, err)
	require.Equal(t, terminal, page)
	require.Equal(t, 2, page.Games)
	require.Equal(t, page.Decisions[0].Loss, page.Decisions[len(page.Decisions)/2].Loss,
		"the same position, the same judgement")
	one, err := a.Review(t.Context(), "", "hold(7)", []byte(histories[:len(histories)/2]), advice.Span{})
	require.NoError(t, err)
	require.Equal(t, one.Seats[0].LossHigh-one.Seats[0].LossLow, page.Seats[0].LossHigh-page.Seats[0].LossLow,
		"the same positions again tell nothing new")
}
