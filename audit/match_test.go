package audit

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/actor"
	"croupier/messages"
	"croupier/messages/conduct"
	"croupier/nn"
	"croupier/player"
)

// members finds two frozen versions.
type members map[string]*player.Player

func (m members) Player(_ context.Context, name string) (*player.Player, error) { return m[name], nil }
func (m members) Network([]byte, []byte) (*nn.Network, error)                   { return nil, nil }

// TestMatchesArePlayedAgain spoils the evidence of a result that was played.
func TestMatchesArePlayedAgain(t *testing.T) {
	game := newGame(t)
	a, _ := newPlayer(t, game, 1, 1, kinds["dense"])
	b, _ := newPlayer(t, game, 2, 2, kinds["dense"])
	for _, p := range []*player.Player{a, b} {
		p.Learning = false
	}
	both := members{"main@1": a, "main@2": b}
	match := &messages.Match{
		Schema: messages.SchemaVersion, Run: runID, Id: "m", A: "main@1", B: "main@2", FirstSet: 40, Sets: 20,
		ASha256: a.SHA256, BSha256: b.SHA256,
	}
	played, err := actor.PlayMatch(t.Context(), game, runSeed, match, a, b, 8)
	require.NoError(t, err)
	audit := Match(MatchOptions{Game: game, Resolver: both, RunSeed: runSeed, Share: 1})
	for range 10 {
		require.NoError(t, audit(t.Context(), played))
	}
	for name, spoil := range map[string]func(r *messages.Result){
		"the histories are others": func(r *messages.Result) { r.Digests = make([]byte, len(r.Digests)) },
		"so are the returns":       func(r *messages.Result) { slices.Reverse(r.Returns) },
		"there is no evidence":     func(r *messages.Result) { r.Digests, r.Returns = nil, nil },
		"it was played with other networks": func(r *messages.Result) {
			r.Match = &messages.Match{Id: "m", A: "main@2", B: "main@1", FirstSet: 40, Sets: 20}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &messages.Result{
				Schema: played.Schema, Match: played.Match, Returns: slices.Clone(played.Returns),
				Digests: slices.Clone(played.Digests),
			}
			spoil(r)
			err := audit(t.Context(), r)
			require.Equal(t, string(messages.ReasonReturns), conduct.ReasonOf(err), "%v", err)
		})
	}
	other := &messages.Result{Match: &messages.Match{Id: "m", A: "main@1", B: "main@2", Sets: 20,
		ASha256: make([]byte, 32)}}
	err = audit(t.Context(), other)
	require.ErrorContains(t, err, "the weights of main@1 are not those of the match")
	require.NotErrorAs(t, err, new(*messages.Refusal))
}
