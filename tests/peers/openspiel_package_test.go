package peers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// All games, among them one from a file, are games of OpenSpiel that end as they do here. They pass its own checks, but
// for two whose games are long. Kuhn and Leduc poker are as exploitable as OpenSpiel's own.
func TestOpenSpielPackage(t *testing.T) {
	python := peer(t, "OPENSPIEL_PYTHON", "pyspiel", "numpy")
	twins := map[string]string{"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
	// A game of tysiac is many of tysiac-hand.
	requests := slices.DeleteFunc(requestsOfPython(t), func(r pythonRequest) bool { return r.Game == "tysiac" })
	for i := range requests {
		r := &requests[i]
		r.Long, r.Twin = r.Game == "lange-strasse" || r.Game == "bank-cards", twins[r.Game]
	}
	for i, p := range playedInPython(t, python("openspiel_check.py"), requests) {
		r := requests[i]
		requireEnvironment(t, r, p)
		require.Equal(t, r.Twin != "", len(p.Exploitable) > 0, r.Game)
		for _, pair := range p.Exploitable {
			require.InDelta(t, pair[1], pair[0], 1e-6, r.Game)
		}
	}
}
