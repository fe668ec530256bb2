package banluck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func choice(t *testing.T, g game, name string) int {
	t.Helper()
	bot, err := g.game.Bots().New(name)
	require.NoError(t, err)
	action := bot.Choose(g.State, g.LegalActions(nil), nil)
	require.Contains(t, g.LegalActions(nil), action)
	return action
}

func TestBots(t *testing.T) {
	hard15 := start(t, "", "TT", "78")
	dealer := func(values string) game { return start(t, "", "TT", values).acts(0, Stand) }
	long := start(t, "", "T2", "T7").hits(0, "6").acts(0, Stand)
	for _, test := range []struct {
		name string
		bot  string
		at   game
		want int
	}{
		{"baseline surrenders", "baseline", hard15, Surrender},
		{"or not", "baseline(1,0)", hard15, Continue},
		{"baseline hits 16", "baseline", dealer("T6"), Hit},
		{"baseline hits soft 17", "baseline", dealer("A6"), Hit},
		{"baseline stands on hard 17", "baseline", dealer("T7"), Stand},
		{"baseline reveals", "baseline", long, Reveal},
		{"or not", "baseline(0,1)", long, Stand},
		{"as a player against both it hits 16", "baseline", start(t, "", "T6", "TT"), Hit},
		{"but not without reveal", "baseline(0,1)", start(t, "", "T6", "TT"), Stand},
		{"nor without surrender", "baseline(1,0)", start(t, "", "T6", "TT"), Stand},
		{"it hits 17 of four cards", "baseline(0,0)", start(t, "", "22", "TT").hits(0, "67"), Hit},
		{"and soft 20 of four cards", "baseline", start(t, "", "A2", "TT").hits(0, "35"), Hit},
		{"and soft 19 of three cards", "baseline", start(t, "", "A2", "TT").hits(0, "7"), Hit},
		{"but not soft 20", "baseline", start(t, "", "A2", "TT").hits(0, "8"), Stand},
		{"and soft 18 of two cards", "baseline", start(t, "", "A7", "TT"), Hit},
		{"but not soft 19", "baseline", start(t, "", "A8", "TT"), Stand},
		{"basic surrenders", "basic", hard15, Surrender},
		{"basic hits soft 17", "basic", start(t, "", "A6", "TT"), Hit},
		{"basic stands on soft 18", "basic", start(t, "", "A7", "TT"), Stand},
		{"basic does not reveal", "basic", long, Stand},
		{"stand(18) hits 17", "stand(18)", dealer("T7"), Hit},
		{"stand(17) stands", "stand(17)", dealer("T7"), Stand},
		{"it does not surrender", "stand(17)", hard15, Continue},
		{"and does not reveal", "stand(17)", long, Stand},
	} {
		require.Equal(t, test.want, choice(t, test.at, test.bot), test.name)
	}
}

func TestBotNames(t *testing.T) {
	g := newGame(t, "")
	for _, name := range []string{"baseline(1)", "baseline(1,2)", "baseline(0.5,1)", "basic(1)", "stand", "stand(1,2)",
		"nobody", "", "random"} {
		_, err := g.Bots().New(name)
		require.Error(t, err, "%q", name)
	}
}
