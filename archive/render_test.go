package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/messages"
)

// What was found is printed as a table, with how much is missing, and a game step by step.
func TestGamesAsPeopleReadThem(t *testing.T) {
	run, list := t.TempDir(), play(t, 12, 3)
	list[0].Match = "m-1"
	w := open(t, run, 1<<30)
	fill(t, w, list, 5)
	first := ID{classOf(0), 1, 0}
	require.NoError(t, AddReviews(run, map[ID]Review{
		first:              {Judge: "judge", Step: 2, Taken: "pass", Best: "roll", Loss: 0.25, Unit: "wins"},
		{classOf(1), 1, 0}: {Judge: "judge", Step: -1},
	}))
	found, err := Read(run).Find(t.Context(), Query{Limit: 100})
	require.NoError(t, err)
	found.Damaged = 2
	var out bytes.Buffer
	require.NoError(t, found.Render(&out, &engine.Spec{Unit: "wins"}))
	require.Contains(t, out.String(), "12 of 12 games that fit; 2 of these reviewed")
	require.Contains(t, out.String(), "2 damaged blocks could not be read; the games there are missing")
	require.Contains(t, out.String(), "0.2500 wins, step 3")
	require.Contains(t, out.String(), "no choice")
	for i := range found.Games {
		require.Contains(t, out.String(), found.Games[i].Players())
		require.Contains(t, out.String(), found.Games[i].Result(engine.Coin{}))
	}
	require.Equal(t, "+1, 0, -2.5", (&Summary{Returns: []float64{1, 0, -2.5}}).Result(engine.Coin{}))
	cents := &Summary{Returns: []float64{1, float64(float32(-0.35))}}
	require.Equal(t, "+100, -35", cents.Result(engine.Coin{Name: "ct", PerUnit: 100}))
	require.Equal(t, "1 main (version 7), 2 random", (&Summary{Agents: []Agent{{Name: "main", Version: 7},
		{Name: "random"}}}).Players())
	u, err := Read(run).Usage()
	require.NoError(t, err)
	listing := found.Listing(u, 1<<30)
	require.Equal(t, found.Games, listing.Games)
	require.Equal(t, u.Bytes, listing.Bytes)
	require.EqualValues(t, 1<<30, listing.LimitBytes)

	g, err := Read(run).Game(first)
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, g.Render(standard.Games, &out))
	text := out.String()
	require.Contains(t, text, "match m-1 of the arena")
	require.Contains(t, text, "\nRules: "+string(g.Rules)+"\n")
	for _, a := range g.Agents {
		require.Contains(t, text, ": "+a.Name)
	}
	require.Equal(t, g.Steps, strings.Count(text, "  chance: ")+strings.Count(text, "  seat "), "a line for each step")
	require.Contains(t, text, "Returns (wins): "+g.Result(engine.Coin{}))
	require.Contains(t, text, "Most expensive decision, as judge judges: step 3, pass instead of roll, 0.2500 wins")
	opened, err := g.Opened(standard.Games)
	require.NoError(t, err)
	var rec history.Record
	require.NoError(t, history.Decode([]byte(opened.History), &rec))
	require.Len(t, rec.History, g.Steps)
	g.Match, g.Review = "", nil
	out.Reset()
	require.NoError(t, g.Render(standard.Games, &out))
	require.Contains(t, out.String(), ", training, ")
	g.Rules = []byte("{")
	require.Error(t, g.Render(standard.Games, &out))
	_, err = g.Opened(standard.Games)
	require.Error(t, err)
}

// A game of a batch keeps its agents, in their seats, and its returns.
func TestGamesOfBatches(t *testing.T) {
	game, err := standard.Games.New("bank", []byte("players: 2"))
	require.NoError(t, err)
	source, err := NewSource(game)
	require.NoError(t, err)
	sum := sha256.Sum256([]byte("weights"))
	width := messages.HistoryWidth(game.Spec())
	batch := &messages.Kept{Match: "m", Agents: []*messages.Agent{{Name: "main", Version: 7, Sha256: sum[:]},
		{Name: "random"}}}
	ep := &messages.Episode{Seed: 5, Seats: []byte{1, 0}}
	for _, step := range []int{3, 4, 1} {
		ep.History = messages.AppendStep(ep.History, width, step)
	}
	for _, r := range []float32{-1, 1} {
		ep.Returns = messages.AppendFloat(ep.Returns, r)
	}
	batch.Games = append(batch.Games, ep)
	g := source.Game(batch, 0)
	require.Equal(t, []Agent{{Name: "random"}, {Name: "main", Version: 7, SHA256: hex.EncodeToString(sum[:])}}, g.Agents)
	require.Equal(t, []float64{-1, 1}, g.Returns)
	require.Equal(t, 3, g.Steps)
	require.Equal(t, "m", g.Match)
	require.EqualValues(t, 5, g.Seed)
	require.Equal(t, ep.History, g.History)
}
