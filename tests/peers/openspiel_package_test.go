package peers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// All games, among them one from a file, are games of OpenSpiel that end as they do here. They pass its own checks, but
// for two whose games are long. Kuhn and Leduc poker are as exploitable as OpenSpiel's own. An information state has
// one tensor, which no other one has: there are as many as in OpenSpiel's own games. One of its learners learns from
// them.
func TestOpenSpielPackage(t *testing.T) {
	python := peer(t, "OPENSPIEL_PYTHON", "pyspiel", "numpy")
	twins := map[string]string{"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
	states := map[string]int{"kuhn": 12, "leduc": 936}
	requests := requestsOfPython(t)
	for i := range requests {
		r := &requests[i]
		r.Long, r.Twin = r.Game == "lange-strasse" || r.Game == "bank-cards", twins[r.Game]
		r.Learns = r.Game == "kuhn"
		if r.Game == "tysiac" { // to 1000 it is as long as ten of these
			r.Rules = map[string]any{"game.target_score": 300, "game.max_hands": 6}
		}
	}
	for i, p := range playedInPython(t, python("openspiel_check.py"), requests) {
		r := requests[i]
		requireEnvironment(t, r, p)
		require.Equal(t, r.Twin != "", len(p.Exploitable) > 0, r.Game)
		for _, pair := range p.Exploitable {
			require.InDelta(t, pair[1], pair[0], 1e-6, r.Game)
		}
		requireInformation(t, r, p, states[r.Game])
		if r.Learns {
			require.Len(t, p.Learnt, 2)
			require.Greater(t, p.Learnt[0], 0.3, "a player at random wins -1/8 against its like, and nobody more than 5/12")
			require.InDelta(t, states[r.Game]/2, p.Learnt[1], 0)
		}
	}
}

// requireInformation compares the numbers of information states in texts and in tensors; all of a game, if these are
// known.
func requireInformation(t *testing.T, r pythonRequest, p playedGame, all int) {
	t.Helper()
	large := []string{"pig", "bank", "bank-cards", "lange-strasse", "tysiac"}
	require.Equal(t, slices.Contains(large, r.Game), len(p.Information) == 0, r.Game)
	for _, n := range p.Information {
		require.Equal(t, p.Information[0], n, "%s: %v", r.Game, p.Information)
	}
	if all > 0 {
		require.Equal(t, []int{all, all, all, all}, p.Information, r.Game)
	}
}
