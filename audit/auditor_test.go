package audit

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/conduct"
	"croupier/messages/roles"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// resolver opens published weights of one game.
type resolver struct{ game engine.Game }

func (r resolver) Player(context.Context, string) (*player.Player, error) {
	return &player.Player{Name: "first", NewPolicy: func() policy.Policy { return first{} }}, nil
}

func (r resolver) Network(data, _ []byte) (*nn.Network, error) {
	file, _, err := nn.Decode(data, func(string, []byte) (engine.Game, error) { return r.game, nil })
	if err != nil {
		return nil, err
	}
	return file.Network, nil
}

// newAuditor runs an auditor for which version 3 is published.
func newAuditor(t *testing.T) (a *Auditor, b bus.Bus, honest *table) {
	b = memory.New(bus.Options{})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	game := newGame(t)
	p, data := newPlayer(t, game, 3, 1, kinds["dense"])
	name := messages.LiveObject("main", 3, [32]byte(p.SHA256))
	require.NoError(t, b.PutObject(t.Context(), name, data))
	pointer, err := messages.Encode(&messages.Pointer{
		Schema: messages.SchemaVersion, Agent: "main", Version: 3, Object: name, Sha256: p.SHA256,
	})
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), messages.PointerKey("main"), pointer)
	require.NoError(t, err)
	a = NewAuditor(Options{
		Common: roles.Common{
			Bus: b, Game: game, Conduct: conduct.Config{Offences: 32, Window: time.Hour, AuditShare: 1},
			Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		},
		Resolver: resolver{game}, Agent: "main",
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-done) })
	require.Eventually(t, func() bool {
		a.follow.Lock()
		defer a.follow.Unlock()
		return a.newest == 3
	}, time.Minute, time.Millisecond)
	return a, b, &table{t: t, game: game, player: p, worker: "lab-1-0"}
}

func (a *Auditor) count(outcome string) float64 {
	return testutil.ToFloat64(a.audits.WithLabelValues(outcome))
}

// TestTheAuditorQuarantinesInventors shows the auditor honest and invented games side by side.
func TestTheAuditorQuarantinesInventors(t *testing.T) {
	for name, h := range hostile {
		t.Run(name, func(t *testing.T) {
			a, b, honest := newAuditor(t)
			liar := *honest
			liar.worker = "liar-1-0"
			h.spoil(t, &liar)
			require.Eventually(t, func() bool {
				a.Offer("lab", honest.batch(20))
				a.Offer("liar", liar.batch(20))
				return a.conduct.Quarantined("liar")
			}, time.Minute, time.Millisecond)
			require.False(t, a.conduct.Quarantined("lab"))
			require.Positive(t, a.count(outcomeExact))
			require.GreaterOrEqual(t, a.count(outcomeWrong), 2.0)
			require.EventuallyWithT(t, func(t *assert.CollectT) {
				records, err := conduct.List(context.Background(), b.State())
				require.NoError(t, err)
				require.Len(t, records, 1)
				require.Equal(t, "liar", records[0].Actor)
				require.Equal(t, string(messages.ReasonReplay), records[0].Reason)
				require.Equal(t, messages.AuditRole, records[0].By)
			}, time.Minute, 5*time.Millisecond)
		})
	}
}

// TestWhatAnActorSaysOfItsAgents has names and hashes that are not the run's.
func TestWhatAnActorSaysOfItsAgents(t *testing.T) {
	a, b, honest := newAuditor(t)
	value, err := messages.Encode(&messages.Member{Schema: messages.SchemaVersion, Name: "exploiter@7", Order: 7})
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), messages.MemberKey("exploiter", 7), value)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		change func(agent *messages.Agent)
		want   messages.Reason
	}{
		"the weights' hash is not known": {func(g *messages.Agent) { g.Sha256 = nil }, ""},
		"it is that of other weights":    {func(g *messages.Agent) { g.Sha256 = make([]byte, 32) }, messages.ReasonReplay},
		"an opponent that nobody listed": {func(g *messages.Agent) { g.Name, g.Learning = "file:/etc/passwd", false },
			messages.ReasonAgents},
		"a version that never was": {func(g *messages.Agent) { g.Name, g.Learning = "exploiter@8", false },
			messages.ReasonAgents},
		"one of before, other weights": {func(g *messages.Agent) { g.Name, g.Learning = "exploiter@7", false },
			messages.ReasonReplay},
		"a version that is gone":      {func(g *messages.Agent) { g.Version = 1 }, "skipped"},
		"an agent of another learner": {func(g *messages.Agent) { g.Name = "exploiter" }, "skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			x := honest.batch(1)
			test.change(x.Agents[0])
			_, err := a.replay(t.Context(), x, x.Episodes[0])
			switch test.want {
			case "":
				require.NoError(t, err)
				return
			case "skipped":
				require.ErrorIs(t, err, errSkipped)
				return
			}
			require.Equal(t, string(test.want), conduct.ReasonOf(err), "%v", err)
		})
	}
}

// TestEveryActorHasItsTurn offers a thousand batches of one actor and a single one of another.
func TestEveryActorHasItsTurn(t *testing.T) {
	a := NewAuditor(Options{
		Common: roles.Common{
			Bus: memory.New(bus.Options{}), Game: newGame(t), Conduct: conduct.DefaultConfig(),
			Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		},
	})
	x := &messages.Experience{Episodes: make([]*messages.Episode, 3)}
	for range 1000 {
		a.Offer("busy", x)
	}
	a.Offer("quiet", x)
	for _, want := range []string{"busy", "quiet", ""} {
		sender, _ := a.next()
		require.Equal(t, want, sender)
	}
}
