package solve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/policy"
)

// What the response wins in play is its value, and that is more than any bot wins there.
func TestResponseWinsItsValue(t *testing.T) {
	for _, test := range []struct {
		players, rounds, seat int
		repoll                bool
		against               string
	}{
		{3, 3, 0, true, "threshold(100)"}, // a first round, one in between and a last
		{3, 1, 1, false, "threshold(100)"},
		{4, 1, 3, true, "rolls(5)"},
		{2, 2, 1, true, "leader-chaser"},
		{2, 1, 0, false, "random"},
	} {
		g := newGame(t, test.players, nightly.Cases(test.rounds, 3), test.repoll)
		r, err := Respond(t.Context(), g, test.seat, test.against, MinSize, true, nil)
		require.NoError(t, err)
		value, bound := r.Value()
		mean, half, err := r.Simulate(t.Context(), 3000, 1)
		require.NoError(t, err)
		t.Logf("%+v: %.4f ± %.4f, played %.4f ± %.4f", test, value, bound, mean, half)
		require.InDelta(t, value, mean, 2*half+bound)
		seats := make([]policy.Policy, test.players)
		for i := range seats {
			seats[i] = bot(t, g, test.against)
		}
		for _, name := range g.Bots().References {
			seats[test.seat] = bot(t, g, name)
			mean, half := play(t, g, 1000, test.seat, seats...)
			require.Greater(t, share(value+bound), mean-half, name)
		}
	}
}

func TestRespondRefuses(t *testing.T) {
	three := newGame(t, 3, 2, true)
	for message, call := range map[string]func() (*Response, error){
		"seat is 3, not in 0..2": func() (*Response, error) {
			return Respond(t.Context(), three, 3, "threshold(100)", MinSize, false, nil)
		},
		"size is 2000, not in": func() (*Response, error) {
			return Respond(t.Context(), three, 0, "threshold(100)", 2000, false, nil)
		},
		"for 2 players, not 3": func() (*Response, error) {
			return Respond(t.Context(), three, 0, "random", MinSize, false, nil)
		},
		"rolls(K) with K up to": func() (*Response, error) {
			return Respond(t.Context(), three, 0, "rolls(40)", MinSize,
				false, nil)
		},
		`unknown bank bot "x"`: func() (*Response, error) { return Respond(t.Context(), three, 0, "x", MinSize, false, nil) },
		"do not act alike": func() (*Response, error) {
			return Respond(t.Context(), three, 0, "leader-chaser", MinSize, false, nil)
		},
	} {
		_, err := call()
		require.ErrorContains(t, err, message)
	}
}
