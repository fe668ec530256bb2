package banluck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func (g game) key(seat int) string { return string(g.InformationKey(seat, nil)) }

func (g game) view(seat int) map[string][]float32 {
	dst := make([]float32, g.game.spec.ObservationSize)
	g.Observe(seat, dst)
	segments := map[string][]float32{}
	for _, s := range g.game.spec.Segments {
		segments[s.Name] = dst[s.Offset : s.Offset+s.Size]
	}
	return segments
}

// same requires that two hands look the same to a seat.
func same(t *testing.T, seat int, a, b game) {
	t.Helper()
	require.Equal(t, a.key(seat), b.key(seat))
	require.Equal(t, a.view(seat), b.view(seat))
}

// differ requires that two hands look different to a seat.
func differ(t *testing.T, seat int, a, b game) {
	t.Helper()
	require.NotEqual(t, a.key(seat), b.key(seat))
	require.NotEqual(t, a.view(seat), b.view(seat))
}

// Nobody sees a card of another seat. The players do not even notice that the dealer had a hard
// 15, and the dealer does not notice who has 21 or a bust.
func TestHiddenInformation(t *testing.T) {
	t.Run("cards of others", func(t *testing.T) {
		same(t, 0, start(t, "players: 2", "T2", "34", "TT"), start(t, "players: 2", "T2", "99", "56"))
		same(t, 1, start(t, "players: 2", "34", "T2", "TT"), start(t, "players: 2", "99", "T2", "56"))
	})
	t.Run("the dealer continued with a hard 15", func(t *testing.T) {
		same(t, 0, start(t, "", "T2", "78").acts(1, Continue), start(t, "", "T2", "TT"))
		same(t, 1, start(t, "players: 2", "AT", "T2", "78").acts(2, Continue), start(t, "players: 2", "AT", "T2", "TT"))
	})
	t.Run("the dealer answers before he sees a bonus", func(t *testing.T) {
		a, b := start(t, "", "AA", "78"), start(t, "", "T2", "78")
		require.Equal(t, a.InformationKey(1, nil), b.InformationKey(1, nil))
		require.Equal(t, a.view(1), b.view(1))
	})
	t.Run("a bust of another player", func(t *testing.T) {
		stood := start(t, "players: 2", "T2", "T2", "T6").hits(0, "5").acts(0, Stand)
		bust := start(t, "players: 2", "T2", "T2", "T6").hits(0, "T")
		done := start(t, "players: 2", "T2", "T2", "T6").hits(0, "9")
		for _, g := range []game{stood, bust, done} {
			g.acts(1, Stand).asks(2, Stand, Hit, Reveal)
			same(t, 2, stood, g)
		}
	})
	t.Run("a player's 21", func(t *testing.T) {
		same(t, 1, start(t, "", "T2", "T6").hits(0, "9"), start(t, "", "T2", "T6").hits(0, "4").acts(0, Stand))
	})
}

func TestSeenInformation(t *testing.T) {
	t.Run("own cards", func(t *testing.T) {
		differ(t, 0, start(t, "", "T2", "TT"), start(t, "", "T3", "TT"))
	})
	t.Run("how many cards others have", func(t *testing.T) {
		differ(t, 1, start(t, "", "T2", "T6").hits(0, "6").acts(0, Stand), start(t, "", "T2", "T6").acts(0, Stand))
		a := start(t, "players: 2", "T2", "34", "TT").hits(0, "5").acts(0, Stand)
		differ(t, 1, a, start(t, "players: 2", "T2", "34", "TT").acts(0, Stand))
	})
	t.Run("opened hands", func(t *testing.T) {
		differ(t, 1, start(t, "players: 2", "AT", "34", "TT"), start(t, "players: 2", "AA", "34", "TT"))
		reveal := func(third string) game {
			return start(t, "players: 2", "T2", "TT", "T6").hits(0, third).acts(0, Stand).acts(1, Stand).acts(2, Reveal)
		}
		differ(t, 2, reveal("4"), reveal("5"))
		require.Equal(t, reveal("4").view(2)["others"][:othersSize], []float32{
			0, 1, // no dealer, open
			0, 1, 0, 0, // three cards
			0.5, 0, 0.5, 0, 0, 0, 0, 0, 0.5, 0, // 2, 4, 10
		})
	})
}

func TestSuitsAndTensAreOneToEverybody(t *testing.T) {
	play := func(cards ...int) game {
		g := game{newGame(t, "").NewState().(*State), t}
		for _, card := range cards {
			require.NoError(t, g.Apply(card))
		}
		return g
	}
	same(t, 0, play(0, 32, 8, 9), play(3, 47, 8, 9))
}

func TestSeen(t *testing.T) {
	g := start(t, "", "T2", "T6")
	require.Equal(t, Hit, g.Seen(0, Hit))
	require.Equal(t, engine.Unnoticed, g.Seen(1, Hit))
	g.acts(0, Hit)
	require.Equal(t, seven, g.Seen(0, seven*suits))
	require.Equal(t, hiddenCard, g.Seen(1, seven*suits))
	g.cards("6").acts(0, Stand)
	opened := Reveal | int(g.Hand(0))<<seenBits
	require.Equal(t, opened, g.Seen(0, Reveal))
	require.Equal(t, opened, g.Seen(1, Reveal))
	g = start(t, "", "T2", "78")
	require.Equal(t, engine.Unnoticed, g.Seen(0, Continue))
	require.Equal(t, Surrender, g.Seen(0, Surrender))
}

func TestObservation(t *testing.T) {
	g := start(t, "players: 2", "A6", "T2", "T6").hits(0, "3").acts(0, Stand)
	v := g.view(0)
	require.Equal(t, []float32{0}, v["role"])
	total := make([]float32, totalSize)
	total[19] = 1 // the ace counts 10
	require.Equal(t, total, v["total"])
	require.Equal(t, []float32{1, 0, 1, 0, 0, 0, 0.5, 0, 0, 0.5, 0, 0, 0, 0, 0.5}, v["hand"])
	closed := func(dealer float32) []float32 {
		return []float32{dealer, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	}
	require.Equal(t, append(closed(0), closed(1)...), v["others"])
	require.Equal(t, closed(1), g.view(1)["others"][:othersSize], "the dealer is the next seat after seat 1")
	require.Equal(t, []float32{1}, g.view(2)["role"])
	bust := start(t, "players: 2", "T2", "T2", "T6").hits(0, "T")
	require.EqualValues(t, 1, bust.view(0)["total"][totalSize-1])
}
