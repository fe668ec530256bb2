package audit

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/conduct"
	"croupier/messages/roles"
	"croupier/policy"
)

// A draw is near an action whose range it misses by rounding alone; a greedy player may take any action that is as
// likely as the best.
func TestWhatIsNear(t *testing.T) {
	game := newGame(t)
	p, _ := newPlayer(t, game, 3, 1, kinds["dense"])
	r, s := NewReplayer(game), game.NewState()
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.Outcomes(nil)[0].Index))
	}
	e := p.Network.NewEvaluator(1, game.Spec().Seats)
	s.Observe(s.Player(), e.Observation(0))
	r.legal = s.LegalActions(nil)
	require.Greater(t, len(r.legal), 1)
	e.SetLegal(0, r.legal)
	e.Forward(1)
	chances := make([]float64, len(r.legal))
	e.Distribution(0, policy.Sampled, chances)
	best, sum := 0, 0.0
	for i, a := range r.legal {
		require.True(t, r.near(e, policy.Sampled, a, sum+chances[i]/2))
		require.True(t, r.near(e, policy.Sampled, a, sum-Tolerance/2))
		require.False(t, r.near(e, policy.Sampled, a, sum-2*Tolerance))
		sum += chances[i]
		require.True(t, r.near(e, policy.Sampled, a, sum+Tolerance/2))
		require.False(t, r.near(e, policy.Sampled, a, sum+2*Tolerance))
		if chances[i] > chances[best] {
			best = i
		}
	}
	require.False(t, r.near(e, policy.Sampled, -1, 0.5), "an action that is not legal")
	for i, a := range r.legal {
		require.Equal(t, i == best, r.near(e, policy.Greedy, a, 0), "%v", chances)
	}
}

// What the auditor keeps is bounded, and what cannot be read changes nothing.
func TestTheAuditorIsBounded(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	auditor := func(share float64) *Auditor {
		game := newGame(t)
		return NewAuditor(Options{
			Common: roles.Common{
				Bus: b, Game: game,
				Conduct:    conduct.Config{Offences: 32, Window: time.Hour, AuditShare: share},
				Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
			},
			Resolver: resolver{game}, Agent: "main",
		})
	}
	batch := &messages.Experience{Episodes: []*messages.Episode{{}}}
	off, a := auditor(0), auditor(1)
	off.Offer("anna", batch)
	a.Offer("anna", &messages.Experience{})
	for _, nobody := range []*Auditor{off, a} {
		sender, c := nobody.next()
		require.Empty(t, sender)
		require.Nil(t, c)
	}
	for i := range maxActors + 5 {
		a.Offer(fmt.Sprint("actor-", i), batch)
	}
	require.Len(t, a.turn, maxActors)
	sender, c := a.next()
	require.Equal(t, "actor-0", sender)
	require.Equal(t, batch, c.batch)

	a.listed(nil)
	a.listed([]byte("nonsense"))
	require.Empty(t, a.opponents)
	table := &messages.Matchmaking{Schema: messages.SchemaVersion}
	for i := range maxOpponents + 5 {
		table.Opponents = append(table.Opponents, &messages.Opponent{Name: fmt.Sprint("main@", i), Weight: 1})
	}
	doc, err := messages.Encode(table)
	require.NoError(t, err)
	a.listed(doc)
	a.listed(doc)
	require.Len(t, a.opponents, maxOpponents)

	a.published(t.Context(), nil)
	a.published(t.Context(), []byte("nonsense"))
	require.Empty(t, a.versions)
	for version := range uint64(maxVersions + 3) { // of weights that are not there
		doc, err := messages.Encode(&messages.Pointer{Schema: messages.SchemaVersion, Agent: "main", Version: version + 1,
			Object: "live/main/1-ab"})
		require.NoError(t, err)
		a.published(t.Context(), doc)
	}
	require.Len(t, a.versions, maxVersions)
	_, err = a.learner(&messages.Agent{Name: "main", Version: maxVersions + 3}, 0)
	require.ErrorIs(t, err, errSkipped)
}
