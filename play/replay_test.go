package play

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

const (
	kuhnLine  = `{"game": "kuhn", "history": [2, 1, 0, 1, 0]}`
	leducLine = `{"game": "leduc", "history": [4, 1, 2, 1, 3, 2, 2, 1]}`
)

func replayed(t *testing.T, histories string, w Window, names ...string) *Replay {
	t.Helper()
	r, err := NewReplay(t.Context(), []byte(histories), standard.Games.New, w, names)
	require.NoError(t, err)
	return r
}

func TestReplay(t *testing.T) {
	r := replayed(t, kuhnLine+"\n\n"+leducLine, Window{Game: 1, Eye: 1}, "Anna", "main@8")
	require.Len(t, r.Games, 2)
	require.Equal(t, []string{"lost", "gained"}, r.Games[0].Over.Results)
	require.Equal(t, 8, r.Games[1].Steps)
	require.Equal(t, []Part{{0, "round 1"}, {5, "round 2"}}, r.Parts)
	require.Equal(t, []int{2, 3, 5, 6, 7}, r.Choices)
	require.Len(t, r.Shows, 9, "the end, too")
	require.Equal(t, "Anna", r.Shows[0].Seats[0].Name)
	require.Equal(t, You, r.Shows[0].Seats[1].Kind)
	require.JSONEq(t, `{"card": "Ks", "first_round": [], "public": "", "second_round": []}`, string(r.Positions[2]))
	require.Nil(t, r.Positions[4], "chance has no position")

	part := replayed(t, leducLine, Window{Eye: engine.Public, From: 3, Count: 2})
	require.Len(t, part.Shows, 2)
	require.Equal(t, r.Choices, part.Choices, "they are those of the whole game")
	document, err := json.Marshal(part.Shows)
	require.NoError(t, err)
	require.NotContains(t, string(document), "Ks", "a spectator sees no private card")
	require.Equal(t, "Player 2", part.Shows[0].Seats[1].Name)
}

// In Tysiąc the page is given what the open cards allowed, once a hand is being played.
func TestReplayOfOpenCards(t *testing.T) {
	g, err := standard.Games.New("tysiac-hand", nil)
	require.NoError(t, err)
	s, rng, steps := g.NewState(), engine.NewRNG(1, 0), []int{}
	for s.Player() != engine.Terminal {
		step := 0
		if s.Player() == engine.Chance {
			step = s.SampleChance(rng)
		} else {
			legal := s.LegalActions(nil)
			step = legal[rng.IntN(len(legal))]
		}
		require.NoError(t, s.Apply(step))
		steps = append(steps, step)
	}
	history, err := json.Marshal(steps)
	require.NoError(t, err)
	r := replayed(t, `{"game": "tysiac-hand", "history": `+string(history)+`}`, Window{Eye: engine.Everything, Open: true})
	require.Len(t, r.Open, len(r.Shows))
	require.NotEmpty(t, r.OpenUnit)
	require.Nil(t, r.Open[0], "nothing is dealt yet")
	valued := slices.DeleteFunc(r.Open, func(o *OpenStep) bool { return o == nil })
	require.NotEmpty(t, valued)
	for _, o := range valued {
		require.InDelta(t, 0, o.Leads[0]+o.Leads[1], 1e-9)
	}
}

func TestReplayRefuses(t *testing.T) {
	for _, test := range []struct {
		histories string
		window    Window
		names     []string
		error     string
	}{
		{"", Window{}, nil, "there are no games"},
		{kuhnLine + "\nx", Window{}, nil, "line 2: not a JSON object"},
		{`{"game": "kuhn", "history": [2, 2]}`, Window{}, nil, "line 1: step 1"},
		{`{"game": "whist", "history": []}`, Window{}, nil, "line 1: "},
		{kuhnLine, Window{Game: 1}, nil, "there is no game 2"},
		{kuhnLine, Window{Eye: 2}, nil, "eye is 2"},
		{kuhnLine, Window{From: 6}, nil, "from is 6"},
		{kuhnLine, Window{Count: 201}, nil, "count is 201"},
		{kuhnLine, Window{}, []string{"Anna"}, "names: there are 1 for 2 seats"},
		{strings.Repeat(kuhnLine+"\n", MaxReplayed+1), Window{}, nil, "line 1001: there are more than 1000 games"},
	} {
		_, err := NewReplay(t.Context(), []byte(test.histories), standard.Games.New, test.window, test.names)
		require.ErrorContains(t, err, test.error)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := NewReplay(ctx, []byte(kuhnLine), standard.Games.New, Window{}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzReplay(f *testing.F) {
	f.Add(kuhnLine, 0, -2, 0, 200, true)
	f.Add(leducLine+"\n"+kuhnLine, 1, 0, 3, 0, false)
	f.Fuzz(func(t *testing.T, histories string, game, eye, from, count int, open bool) {
		w := Window{Game: game, Eye: eye, From: from, Count: count, Open: open}
		r, err := NewReplay(t.Context(), []byte(histories), standard.Games.New, w, nil)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, r.Shows)
		require.LessOrEqual(t, len(r.Shows), MaxWindow)
	})
}
