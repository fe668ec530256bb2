package leduc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func viewAfter(t *testing.T, eye int, steps ...int) View {
	s := Game{}.NewState()
	for _, step := range steps {
		require.NoError(t, s.Apply(step))
	}
	return Game{}.View(s, eye).(View)
}

func TestView(t *testing.T) {
	const js, qh, kh = 0, 3, 5
	before := viewAfter(t, 1, js, kh, Raise)
	require.Equal(t, [2]string{"?", "Kh"}, before.Cards)
	require.Equal(t, [2]int{3, 1}, before.Paid)
	require.Equal(t, 2, before.Raise)
	require.Equal(t, -1, before.Winner)

	folded := viewAfter(t, engine.Public, js, kh, Raise, Fold)
	require.Equal(t, [2]string{"?", "?"}, folded.Cards, "after a fold nobody shows a card")
	require.Equal(t, 0, folded.Winner)

	shown := viewAfter(t, 0, js, kh, Raise, Call, qh, Call, Raise, Call)
	require.Equal(t, [2]string{"Js", "Kh"}, shown.Cards)
	require.Equal(t, "Qh", shown.Public)
	require.True(t, shown.Showdown)
	require.Equal(t, 1, shown.Winner)
	require.Equal(t, []Move{{0, 0, "raise"}, {1, 0, "call"}, {0, 1, "check"}, {1, 1, "raise"}, {0, 1, "call"}},
		shown.Moves)
	require.Equal(t, -1, viewAfter(t, 0, 4, kh, Call, Call, qh, Call, Call).Winner, "equal ranks split the pot")

	require.Equal(t, "you: Js, 3 in the pot\nseat 2: face down, 3 in the pot\nyou: raise\nseat 2: call\nthe public card: Qh\n",
		viewAfter(t, 0, js, kh, Raise, Call, qh).String())
}
