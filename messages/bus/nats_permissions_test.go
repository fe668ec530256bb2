package bus_test

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// guarded is a broker with a credential set, and the learner's connection to it.
type guarded struct {
	t       *testing.T
	set     *broker.Set
	server  *broker.Broker
	learner bus.Bus
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{t: t}
	var err error
	g.set, err = broker.CreateSet(filepath.Join(t.TempDir(), "set"), "test")
	require.NoError(t, err)
	for name, role := range map[string]string{
		"actor-3": messages.ActorRole, "actor-4": messages.ActorRole, "friend": broker.ContributorRole,
	} {
		require.NoError(t, g.set.Add(name, role))
	}
	g.server = startBroker(t, broker.Options{
		Listen: "127.0.0.1:0", Credentials: filepath.Join(g.set.Dir, broker.PublicFile),
	})
	g.learner = connect(t, bus.NATSOptions{URL: g.server.URL(), Credentials: g.set.Seed("learner")})
	return g
}

// as connects with a key of the set.
func (g *guarded) as(name string) bus.Bus {
	g.t.Helper()
	b, err := bus.Connect(g.t.Context(), bus.NATSOptions{
		URL: g.server.URL(), Run: "test", Credentials: g.set.Seed(name), Limits: bustest.Limits(), Log: quiet,
	})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { b.Close() })
	return b
}

// refused returns how often the broker has refused something to a key.
func (g *guarded) refused(name string) (count float64) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(broker.NewCollector(g.server))
	families, err := registry.Gather()
	require.NoError(g.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "croupier_broker_refused_total" && m.GetLabel()[0].GetValue() == name {
				count += m.GetCounter().GetValue()
			}
		}
	}
	return count
}

var _ = slog.New(slog.NewTextHandler(io.Discard, nil))

// Everything that roles do is possible with their keys.
func TestKeysAllowWhatRolesDo(t *testing.T) {
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	actor, league, web := g.as("actor-3"), g.as("league"), g.as("web")

	pointers, err := actor.State().Watch(ctx, messages.PointerKey("main"))
	require.NoError(t, err)
	require.Equal(t, bus.Entry{}, <-pointers)
	require.NoError(t, g.learner.PutObject(ctx, "live/main/1-ab", make([]byte, 300<<10)))
	_, err = g.learner.State().Put(ctx, messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err)
	require.Equal(t, "1", string((<-pointers).Value))
	weights, err := actor.GetObject(ctx, "live/main/1-ab")
	require.NoError(t, err)
	require.Len(t, weights, 300<<10)

	experience, err := g.learner.Consume(ctx, bus.Experience, messages.LearnerConsumer)
	require.NoError(t, err)
	require.NoError(t, actor.Publish(ctx, bus.Experience, "actor-3", []byte("games")))
	got, err := experience.Fetch(ctx, 1, 5*time.Second)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].Ack(ctx))
	backlog, err := actor.Consume(ctx, bus.Experience, messages.LearnerConsumer)
	require.NoError(t, err)
	_, err = backlog.Pending(ctx)
	require.NoError(t, err)

	require.NoError(t, league.Publish(ctx, bus.Matches, "m1", []byte("match")))
	arena, err := actor.Consume(ctx, bus.Matches, messages.ArenaConsumer)
	require.NoError(t, err)
	got, err = arena.Fetch(ctx, 1, 5*time.Second)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].Ack(ctx))
	require.NoError(t, actor.Publish(ctx, bus.Kept, "actor-3", []byte("game")))
	_, err = actor.Roles().Put(ctx, messages.RoleKey(messages.ActorRole, "actor-3"), []byte("alive"))
	require.NoError(t, err)

	_, err = league.State().Update(ctx, messages.MemberKey("main", 1), []byte("member"), 0)
	require.NoError(t, err)
	require.NoError(t, league.PutObject(ctx, "population/main-1-ab", []byte("weights")))
	require.NoError(t, league.Publish(ctx, bus.Curves, messages.LeagueRole, []byte("points")))
	require.NoError(t, g.learner.DeleteObject(ctx, "live/main/1-ab"))
	curves, err := web.Read(ctx, bus.Curves, 1)
	require.NoError(t, err)
	require.Equal(t, "points", string((<-curves).Data()))
	require.Nil(t, <-curves)
	roles, err := web.Roles().Watch(ctx, "")
	require.NoError(t, err)
	require.Equal(t, "alive", string((<-roles).Value))
	require.NoError(t, g.learner.Publish(ctx, bus.Curves, messages.LearnerRole, []byte("more")))
	require.Equal(t, "more", string((<-curves).Data()))
	names, err := web.ListObjects(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"population/main-1-ab"}, names)
	for _, name := range []string{"actor-3", "league", "web", "learner"} {
		require.Zero(t, g.refused(name), name)
	}
}

var _ = nats.Connect
