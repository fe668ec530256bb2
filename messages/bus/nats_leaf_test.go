package bus_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// site is a hub with a credential set, and a leaf of it.
type site struct {
	*guarded
	hubOptions broker.Options
	hub, leaf  *broker.Broker
}

func newSite(t *testing.T) *site {
	s := &site{guarded: &guarded{t: t}}
	var err error
	s.set, err = broker.CreateSet(filepath.Join(t.TempDir(), "set"), "test")
	require.NoError(t, err)
	for name, role := range map[string]string{
		"actor-3": messages.ActorRole, "actor-4": messages.ActorRole, "friend": broker.ContributorRole,
		"there": broker.LeafRole,
	} {
		require.NoError(t, s.set.Add(name, role))
	}
	s.hubOptions = broker.Options{
		Dir: t.TempDir(), Listen: testport.Free(t), LeafListen: testport.Free(t),
		Credentials: filepath.Join(s.set.Dir, broker.PublicFile),
	}
	s.hub = startBroker(t, s.hubOptions)
	s.learner = connect(t, bus.NATSOptions{URL: s.hub.URL(), Credentials: s.set.Seed("learner")})
	o := s.leafOptions()
	o.Log = quiet
	s.leaf, err = broker.Start(o)
	require.NoError(t, err)
	t.Cleanup(s.leaf.Shutdown)
	s.server, s.streams = s.leaf, s.hub
	return s
}

func (s *site) leafOptions() broker.Options {
	return broker.Options{
		Listen: "127.0.0.1:0", Name: "there", Credentials: s.hubOptions.Credentials,
		Leaf: broker.Leaf{Hub: "nats://" + s.hubOptions.LeafListen, Key: s.set.Seed("there")},
	}
}

// All that actors do is possible at a leaf.
func TestActorsAtALeaf(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	actor := s.as("actor-3")
	league := connect(t, bus.NATSOptions{URL: s.hub.URL(), Credentials: s.set.Seed("operator")})

	pointers, err := actor.State().Watch(ctx, messages.PointerKey("main"))
	require.NoError(t, err)
	require.Equal(t, bus.Entry{}, <-pointers)
	require.NoError(t, s.learner.PutObject(ctx, "live/main/1-ab", make([]byte, 300<<10)))
	_, err = s.learner.State().Put(ctx, messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err)
	require.Equal(t, "1", string((<-pointers).Value))
	weights, err := actor.GetObject(ctx, "live/main/1-ab")
	require.NoError(t, err)
	require.Len(t, weights, 300<<10)
	_, err = actor.GetObject(ctx, "live/main/2-cd")
	require.ErrorIs(t, err, bus.ErrNotFound)

	experience, err := s.learner.Consume(ctx, bus.Experience, messages.LearnerOf("main"),
		messages.ExperienceFilter("main"))
	require.NoError(t, err)
	require.NoError(t, actor.Publish(ctx, bus.Experience, "actor-3", []byte("games")))
	got, err := experience.Fetch(ctx, 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].Ack(ctx))
	backlog, err := actor.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(t, err)
	_, _, err = backlog.Pending(ctx)
	require.NoError(t, err)
	received, err := actor.Subscribe(ctx, messages.BacklogSubject("main"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the hub hears across the link, after a moment, that somebody listens
		require.NoError(t, s.learner.Send(ctx, messages.BacklogSubject("main"), []byte("nine")))
		select {
		case data := <-received:
			return string(data) == "nine"
		default:
			return false
		}
	}, time.Minute, 10*time.Millisecond)

	arena, err := actor.Consume(ctx, bus.Matches, messages.ArenaConsumer, "")
	require.NoError(t, err)
	go func() { _ = league.Publish(ctx, bus.Matches, "m1", []byte("match")) }() // while the actor waits
	got, err = arena.Fetch(ctx, 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].InProgress())
	subject := messages.ResultSubject("m1", "actor-3")
	require.NoError(t, actor.Publish(ctx, bus.Results, subject, []byte("result")))
	require.ErrorIs(t, actor.Publish(ctx, bus.Results, subject, []byte("another")), bus.ErrTaken)
	require.NoError(t, got[0].Ack(ctx))
	require.NoError(t, actor.Publish(ctx, bus.Kept, "actor-3", []byte("game")))
	_, err = actor.Roles().Put(ctx, messages.RoleKey(messages.ActorRole, "actor-3"), []byte("alive"))
	require.NoError(t, err)
	require.Zero(t, s.refused("actor-3"))
	require.NoError(t, s.leaf.Healthy())
}

// metric reads a number of the leaf.
func (s *site) metric(name string) float64 {
	registry := prometheus.NewRegistry()
	registry.MustRegister(broker.NewCollector(s.leaf))
	families, err := registry.Gather()
	require.NoError(s.t, err)
	for _, f := range families {
		if f.GetName() == "croupier_broker_"+name {
			m := f.GetMetric()[0]
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	s.t.Fatalf("no metric %s", name)
	return 0
}

// A leaf asks its hub once for each piece of an object, however many ask the leaf, also at once.
func TestPiecesCrossALinkOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	weights := make([]byte, 1<<20) // 8 pieces
	for i := range weights {
		weights[i] = byte(i * i >> 8)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { // before the object is there
			for _, name := range []string{"actor-3", "actor-4", "friend"} {
				b := s.as(name)
				var got []byte
				soon(t, "the object is there", func() (ok bool) {
					data, err := b.GetObject(ctx, "live/main/1-ab")
					got = data
					return err == nil
				})
				require.True(t, bytes.Equal(weights, got))
			}
		})
	}
	require.NoError(t, s.learner.PutObject(ctx, "live/main/1-ab", weights))
	all.Wait()
	require.EqualValues(t, 8, s.metric("cache_misses_total"))
	require.EqualValues(t, 12*8-8, s.metric("cache_hits_total"))
	require.InDelta(t, len(weights), s.metric("cache_bytes"), 10<<10)
	require.NoError(t, s.learner.DeleteObject(ctx, "live/main/1-ab"))
	_, err := s.as("actor-3").GetObject(ctx, "live/main/1-ab")
	require.ErrorIs(t, err, bus.ErrNotFound, "what the hub has no more, the leaf does not give either")
}

// A leaf keeps as many bytes as it may.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	o := s.leafOptions()
	o.Leaf.CacheBytes, o.Log = 300<<10, quiet
	s.leaf.Shutdown()
	var err error
	s.leaf, err = broker.Start(o)
	require.NoError(t, err)
	s.server = s.leaf
	t.Cleanup(s.leaf.Shutdown)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	actor := s.as("actor-3")
	for i := range 3 {
		name := fmt.Sprintf("live/main/%d-ab", i)
		weights := bytes.Repeat([]byte{byte(i)}, 1<<20)
		require.NoError(t, s.learner.PutObject(ctx, name, weights))
		got, err := actor.GetObject(ctx, name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(weights, got))
		require.LessOrEqual(t, s.metric("cache_bytes"), float64(300<<10))
	}
	require.Positive(t, s.metric("cache_bytes"))
}

// While the hub is away actors at a leaf wait, and then continue; none connects again.
func TestLeafSurvivesTheLossOfItsLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	actor := s.as("actor-3")
	pointers, err := actor.State().Watch(ctx, messages.PointerKey("main"))
	require.NoError(t, err)
	require.Equal(t, bus.Entry{}, <-pointers)
	s.hub.Shutdown()
	soon(t, "the leaf says that its hub is away", func() bool { return s.leaf.Healthy() != nil })
	subject := messages.ResultSubject("m1", "actor-3")
	published := make(chan error, 1)
	go func() { published <- actor.Publish(ctx, bus.Results, subject, []byte("result")) }()
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	_, err = actor.State().Get(short, messages.PointerKey("main"))
	require.Error(t, err)
	require.True(t, actor.Connected())

	s.hub = startBroker(t, s.hubOptions)
	require.NoError(t, <-published)
	soon(t, "the leaf is linked again", func() bool { return s.leaf.Healthy() == nil })
	info, err := s.learner.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 1, info.Messages)
	_, err = s.learner.State().Put(ctx, messages.PointerKey("main"), []byte("2"))
	require.NoError(t, err)
	require.Equal(t, "2", string((<-pointers).Value))
	require.NoError(t, s.learner.PutObject(ctx, "live/main/2-ab", []byte("weights")))
	got, err := actor.GetObject(ctx, "live/main/2-ab")
	require.NoError(t, err)
	require.Equal(t, "weights", string(got))
}

// At a leaf a key allows no more than at the hub, and only the keys of those who play count.
func TestKeysRefuseAttacksAtALeaf(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.learner.State().Put(t.Context(), messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err)
	before := s.state()
	s.attack("actor-3", "friend")
	s.misdirect("actor-3", "friend")
	require.Equal(t, before, s.state())
	for _, name := range []string{"operator", "learner", "league", "web", "there"} {
		require.ErrorContains(t, connectError(t, bus.NATSOptions{URL: s.leaf.URL(), Credentials: s.set.Seed(name)}),
			"Authorization", name)
	}
	require.ErrorContains(t, connectError(t, bus.NATSOptions{URL: s.hub.URL(), Credentials: s.set.Seed("there")}),
		"Authorization")

	o := s.leafOptions()
	o.Log, o.Leaf.Key = quiet, s.set.Seed("actor-3")
	impostor, err := broker.Start(o)
	require.NoError(t, err)
	defer impostor.Shutdown()
	soon(t, "an actor is no leaf", func() bool { return refusedBy(t, s.hub, "actor-3") >= 2 })
	require.Error(t, impostor.Healthy())
}

// A thief that has a leaf's key, and a server of its own instead of this one, can do what actors may and nothing else.
func TestRogueLeaf(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	_, err := s.learner.State().Put(ctx, messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err)
	s.leaf.Shutdown()
	doc, err := os.ReadFile(s.set.Seed("there"))
	require.NoError(t, err)
	pair, err := nkeys.ParseDecoratedUserNKey(doc)
	require.NoError(t, err)
	seed, err := pair.Seed()
	require.NoError(t, err)
	hub := &url.URL{Scheme: "nats", Host: s.hubOptions.LeafListen}
	rogue, err := server.NewServer(&server.Options{Port: server.RANDOM_PORT, Host: "127.0.0.1", NoSigs: true,
		LeafNode: server.LeafNodeOpts{
			Remotes: []*server.RemoteLeafOpts{{URLs: []*url.URL{hub}, Nkey: string(seed)}},
		}})
	require.NoError(t, err)
	rogue.Start()
	defer rogue.Shutdown()
	soon(t, "the rogue is linked", func() bool { return rogue.NumLeafNodes() == 1 })
	conn, err := nats.Connect(rogue.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	speak := func() { // as it may, under any actor's name
		_, err := conn.Request("hub.croupier.test.experience.actor-4", []byte("games"), 30*time.Second)
		require.NoError(t, err)
	}
	speak()
	before := s.state()
	allowed := map[string]bool{
		"heartbeat of another": true, "experience of another": true, "experience of another for another agent": true,
		"game of another": true, "result of another": true, "inbox of another": true,
	}
	for _, a := range attacks() {
		if allowed[a.name] {
			continue
		}
		for _, prefix := range []string{"", "hub.", "hub.hub."} {
			for _, reply := range []string{conn.NewInbox(), "$KV.CROUPIER_test_STATE.config",
				"hub.$KV.CROUPIER_test_STATE.config"} {
				require.NoError(t, conn.PublishRequest(prefix+a.subject, reply, []byte(a.data)))
			}
		}
	}
	for _, reply := range []string{"$KV.CROUPIER_test_STATE.config", "hub.$KV.CROUPIER_test_STATE.config",
		"hub.croupier.test.experience.actor-4"} {
		require.NoError(t, conn.PublishRequest("hub.$JS.API.STREAM.INFO.CROUPIER_test_RESULTS", reply, nil))
	}
	// One link carries all of it, in this order.
	s.answered(conn, "hub.")
	speak()
	before["experience"]++
	require.Equal(t, before, s.state())
}

// Keys come and go at hub and leaf while the link stands.
func TestKeysChangeAtALeaf(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	actor := s.as("actor-3")
	require.NoError(t, s.set.Add("actor-5", messages.ActorRole))
	require.NoError(t, s.leaf.Reload())
	require.NoError(t, s.hub.Reload())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, b := range map[string]bus.Bus{"actor-3": actor, "actor-5": s.as("actor-5")} {
		_, err := b.Roles().Put(ctx, messages.RoleKey(messages.ActorRole, name), []byte("alive"))
		require.NoError(t, err)
	}
	require.NoError(t, s.learner.PutObject(ctx, "live/main/2-ab", []byte("weights")))
	_, err := actor.GetObject(ctx, "live/main/2-ab")
	require.NoError(t, err)
	require.True(t, actor.Connected())
	require.NoError(t, s.set.Revoke("there"))
	require.NoError(t, s.hub.Reload())
	soon(t, "a leaf without a key is cut off", func() bool { return s.leaf.Healthy() != nil })
}
