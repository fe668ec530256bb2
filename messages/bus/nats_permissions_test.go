package bus_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// guarded is a broker with a credential set, and the learner's connection to it.
type guarded struct {
	t       *testing.T
	set     *broker.Set
	server  *broker.Broker // where the keys are used
	streams *broker.Broker // where the streams are
	learner bus.Bus

	marks int // messages of mark in each stream
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{t: t}
	var err error
	g.set, err = broker.CreateSet(filepath.Join(t.TempDir(), "set"), "test")
	require.NoError(t, err)
	for name, role := range map[string]string{
		"actor-3": messages.ActorRole, "actor-4": messages.ActorRole, "friend": broker.ContributorRole,
		"cup": messages.ArenaRole, "desk": messages.PeerRole,
		"lottery": messages.SweepRole, "cellar": messages.SweeperRole, "attic": messages.SweeperRole,
	} {
		require.NoError(t, g.set.Add(name, role))
	}
	g.server = startBroker(t, broker.Options{
		Listen: "127.0.0.1:0", Credentials: filepath.Join(g.set.Dir, broker.PublicFile),
	})
	g.streams = g.server
	g.learner = connect(t, bus.NATSOptions{URL: g.server.URL(), Credentials: g.set.Seed("learner")})
	return g
}

// as connects with a key of the set.
func (g *guarded) as(name string) bus.Bus {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute)
	defer cancel()
	b, err := bus.Connect(ctx, bus.NATSOptions{
		URL: g.server.URL(), Run: "test", Credentials: g.set.Seed(name), Limits: bustest.Limits(), Log: quiet,
	})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { b.Close() })
	return b
}

// refused returns how often the broker has refused something to a key.
func (g *guarded) refused(name string) float64 { return refusedBy(g.t, g.server, name) }

// refusedBy returns how often a broker has refused something to a key.
func refusedBy(t *testing.T, server *broker.Broker, name string) (count float64) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(broker.NewCollector(server))
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "croupier_broker_refused_total" && m.GetLabel()[0].GetValue() == name {
				count += m.GetCounter().GetValue()
			}
		}
	}
	return count
}

// Everything that roles do is possible with their keys.
func TestKeysAllowWhatRolesDo(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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

	experience, err := g.learner.Consume(ctx, bus.Experience, messages.LearnerOf("main"),
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

	require.NoError(t, league.Publish(ctx, bus.Matches, "m1", []byte("match")))
	arena, err := actor.Consume(ctx, bus.Matches, messages.ArenaConsumer, "")
	require.NoError(t, err)
	got, err = arena.Fetch(ctx, 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].Ack(ctx))
	require.NoError(t, actor.Publish(ctx, bus.Kept, "actor-3", []byte("game")))

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
	require.Empty(t, (<-roles).Key, "nobody is there yet")
	_, err = actor.Roles().Put(ctx, messages.RoleKey(messages.ActorRole, "actor-3"), []byte("alive"))
	require.NoError(t, err)
	require.Equal(t, "alive", string((<-roles).Value))
	require.NoError(t, g.learner.Publish(ctx, bus.Curves, messages.LearnerRole, []byte("more")))
	require.Equal(t, "more", string((<-curves).Data()))
	names, err := web.ListObjects(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"population/main-1-ab"}, names)
	received, err := actor.Subscribe(ctx, messages.BacklogSubject("main"))
	require.NoError(t, err)
	require.NoError(t, g.learner.Send(ctx, messages.BacklogSubject("main"), []byte("nine")))
	require.Equal(t, "nine", string(<-received))
	g.learnAnother(ctx, actor, league)
	g.learnTogether(ctx)
	for _, name := range []string{"actor-3", "league", "web", "learner", "desk"} {
		require.Zero(t, g.refused(name), name)
	}
}

// learnTogether has a learner and its peer exchange datagrams.
func (g *guarded) learnTogether(ctx context.Context) {
	t, peer := g.t, g.as("desk")
	leader, err := g.learner.Subscribe(ctx, messages.LeaderSubject("main"))
	require.NoError(t, err)
	peers, err := peer.Subscribe(ctx, messages.PeersSubject("main"), messages.PeerSubject("main", "desk-1"))
	require.NoError(t, err)
	_, err = peer.State().Get(ctx, messages.PointerKey("main"))
	require.NoError(t, err)
	_, err = peer.Roles().Put(ctx, messages.RoleKey(messages.PeerRole, "desk-1"), []byte("alive"))
	require.NoError(t, err)
	require.NoError(t, peer.Send(ctx, messages.LeaderSubject("main"), []byte("join")))
	require.Equal(t, "join", string(<-leader))
	require.NoError(t, g.learner.Send(ctx, messages.PeersSubject("main"), []byte("weights")))
	require.Equal(t, "weights", string(<-peers))
	require.NoError(t, g.learner.Send(ctx, messages.PeerSubject("main", "desk-1"), []byte("games")))
	require.Equal(t, "games", string(<-peers))
}

// learnAnother has the roles do for an agent besides the main one what they do.
func (g *guarded) learnAnother(ctx context.Context, actor, league bus.Bus) {
	t, agent := g.t, "exploiter"
	experience, err := g.learner.Consume(ctx, bus.Experience, messages.LearnerOf(agent), messages.ExperienceFilter(agent))
	require.NoError(t, err)
	require.NoError(t, actor.Publish(ctx, bus.Experience, messages.ExperienceSubject("actor-3", agent), []byte("games")))
	got, err := experience.Fetch(ctx, 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, got[0].Ack(ctx))
	backlog, err := actor.Consume(ctx, bus.Experience, messages.LearnerOf(agent), messages.ExperienceFilter(agent))
	require.NoError(t, err)
	_, _, err = backlog.Pending(ctx)
	require.NoError(t, err)
	for _, key := range []string{messages.LedgerKey("actor-3-1-0", agent), messages.MergedKey(agent),
		messages.PointerKey(agent)} {
		_, err = g.learner.State().Put(ctx, key, []byte("1"))
		require.NoError(t, err, key)
	}
	for _, key := range []string{messages.MatchmakingKey(agent), messages.ResetKey(agent)} {
		_, err = league.State().Put(ctx, key, []byte("1"))
		require.NoError(t, err, key)
	}
	_, err = g.learner.Roles().Put(ctx, messages.LeaseKey(messages.LearnerKey(agent)), []byte("1"))
	require.NoError(t, err)
	require.NoError(t, g.learner.Publish(ctx, bus.Curves, messages.LearnerKey(agent), []byte("points")))
}

// A tournament is held with a key that allows no more than that.
func TestKeyOfATournament(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cup, actor := g.as("cup"), g.as("actor-3")
	outcomes, err := cup.Read(ctx, bus.Outcomes, 1)
	require.NoError(t, err)
	require.Nil(t, <-outcomes)
	require.NoError(t, cup.Publish(ctx, bus.Contests, "one.m1", []byte("match")))
	queue, err := actor.Consume(ctx, bus.Contests, messages.ArenaConsumer, "")
	require.NoError(t, err)
	got, err := queue.Fetch(ctx, 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.NoError(t, actor.Publish(ctx, bus.Outcomes, "one.m1.actor-3", []byte("result")))
	require.Equal(t, "result", string((<-outcomes).Data()))
	require.NoError(t, got[0].Ack(ctx))
	require.NoError(t, cup.Withdraw(ctx, "one"))
	for _, name := range []string{"cup", "actor-3"} {
		require.Zero(t, g.refused(name), name)
	}

	for what, err := range map[string]error{
		"in the name of another actor": actor.Publish(ctx, bus.Outcomes, "one.m1.actor-4", nil),
		"matches of an actor":          actor.Publish(ctx, bus.Contests, "one.m2", nil),
		"contributors play no matches": g.as("friend").Publish(ctx, bus.Outcomes, "one.m1.friend", nil),
		"matches of the league":        cup.Publish(ctx, bus.Matches, "m", nil),
		"results of the league":        cup.Publish(ctx, bus.Results, "m.cup", nil),
		"ladder":                       putError(ctx, cup, messages.LadderKey),
	} {
		require.ErrorIs(t, err, nats.ErrPermissionViolation, what)
	}
}

// messenger connects with a key of a sweep or of a worker, which needs no streams.
func (g *guarded) messenger(name string) bus.Messenger {
	g.t.Helper()
	m, err := bus.ConnectMessenger(g.t.Context(), bus.NATSOptions{
		URL: g.server.URL(), Run: "test", Credentials: g.set.Seed(name), Log: quiet,
	})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { m.Close() })
	return m
}

// A sweep and its workers exchange datagrams, each worker under its own name, and their keys allow no more.
func TestKeysOfSweeps(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sweep, cellar := g.messenger("lottery"), g.messenger("cellar")
	reports, err := sweep.SubscribeAll(ctx, messages.ReportsSubject("*"))
	require.NoError(t, err)
	orders, err := cellar.Subscribe(ctx, messages.OrdersSubject("cellar"))
	require.NoError(t, err)
	require.NoError(t, cellar.Send(ctx, messages.ReportsSubject("cellar"), []byte("here")))
	require.Equal(t, bus.Datagram{Subject: messages.ReportsSubject("cellar"), Data: []byte("here")}, <-reports)
	require.NoError(t, sweep.Send(ctx, messages.OrdersSubject("cellar"), []byte("train")))
	require.Equal(t, "train", string(<-orders))
	for _, name := range []string{"lottery", "cellar"} {
		require.Zero(t, g.refused(name), name)
	}

	before := g.state()
	g.attack("lottery", "cellar")
	// What a sweep says has no answer that could go where it may not write.
	conn := g.raw("lottery")
	require.NoError(t, conn.PublishRequest("croupier.test.told."+messages.OrdersSubject("cellar"),
		"croupier.test.experience.actor-3", []byte("train")))
	require.NoError(t, conn.Flush())
	require.Equal(t, "train", string(<-orders))
	require.Equal(t, before, g.state())
	for name, subjects := range map[string][]string{
		"cellar":  {messages.ReportsSubject("attic"), messages.OrdersSubject("attic"), messages.OrdersSubject("cellar")},
		"lottery": {messages.ReportsSubject("cellar"), messages.PeersSubject("main")},
		"actor-3": {messages.ReportsSubject("actor-3"), messages.OrdersSubject("cellar")},
		"desk":    {messages.ReportsSubject("cellar"), messages.OrdersSubject("cellar")},
	} {
		for _, subject := range subjects {
			conn, count := g.raw(name), g.refused(name)
			require.NoError(t, conn.Publish("croupier.test.told."+subject, nil))
			require.NoError(t, conn.Flush())
			require.Greater(t, g.refused(name), count, "%s tells %s", name, subject)
		}
	}
	for name, subject := range map[string]string{
		"cellar": messages.ReportsSubject("*"), "attic": messages.OrdersSubject("cellar"), "lottery": messages.OrdersSubject("cellar"),
	} {
		conn, count := g.raw(name), g.refused(name)
		_, err := conn.SubscribeSync("croupier.test.told." + subject)
		require.NoError(t, err)
		require.NoError(t, conn.Flush())
		require.Greater(t, g.refused(name), count, "%s listens to %s", name, subject)
	}
}

// putError reports why a key cannot be written.
func putError(ctx context.Context, b bus.Bus, key string) error {
	_, err := b.State().Put(ctx, key, nil)
	return err
}

// attack is what somebody tries who has a key.
type attack struct{ name, subject, data string }

// What one key publishes another one learns of at once: the league of an actor's results, actors and the page of
// the league's members.
func TestKeysHearOfEachOther(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	actor, league, web := g.as("actor-3"), g.as("league"), g.as("web")
	results, err := league.Read(t.Context(), bus.Results, 1)
	require.NoError(t, err)
	require.Nil(t, <-results)
	var watches []<-chan bus.Entry
	for _, b := range []bus.Bus{actor, web, g.learner} {
		members, err := b.State().Watch(t.Context(), messages.MemberPrefix)
		require.NoError(t, err)
		require.Equal(t, bus.Entry{}, <-members)
		watches = append(watches, members)
	}
	// Without announcements each takes 5 to 10 s. One that is heard sooner was announced, however busy the machine is.
	fastest := [4]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}
	for i := range 10 {
		began := time.Now()
		heard := func(by int) { fastest[by] = min(fastest[by], time.Since(began)) }
		require.NoError(t, actor.Publish(t.Context(), bus.Results, fmt.Sprintf("m%d.actor-3", i), []byte("result")))
		require.NotNil(t, <-results)
		heard(0)
		began = time.Now()
		_, err = league.State().Put(t.Context(), messages.MemberKey("main", uint64(i+1)), []byte("member"))
		require.NoError(t, err)
		for by, members := range watches {
			require.NotEmpty(t, (<-members).Key)
			heard(by + 1)
		}
	}
	for _, took := range fastest {
		require.Less(t, took, 4*time.Second)
	}
}

// attacks lists what neither actors nor pages may do. A request to a subject must be
// refused, and change nothing.
func attacks() []attack {
	all := []attack{
		{"pointer", "$KV.CROUPIER_test_STATE.agent.main", "bad"},
		{"configuration", "$KV.CROUPIER_test_STATE.config", "bad"},
		{"ledger", "$KV.CROUPIER_test_STATE.ledger.actor-4", "bad"},
		{"member", "$KV.CROUPIER_test_STATE.population.main-9", "bad"},
		{"promotion", "$KV.CROUPIER_test_STATE.promotion.9", "bad"},
		{"ladder", "$KV.CROUPIER_test_STATE.ladder", "bad"},
		{"matchmaking", "$KV.CROUPIER_test_STATE.matchmaking", "bad"},
		{"ledger of another agent", "$KV.CROUPIER_test_STATE.ledger.exploiter.actor-4", "bad"},
		{"account of another agent", "$KV.CROUPIER_test_STATE.folded.exploiter", "bad"},
		{"matchmaking of another agent", "$KV.CROUPIER_test_STATE.matchmaking.exploiter", "bad"},
		{"reset", "$KV.CROUPIER_test_STATE.reset.exploiter", "bad"},
		{"datagrams to peers", "croupier.test.told.group.main.peers", "bad"},
		{"datagrams to actors", "croupier.test.told.backlog.main", "bad"},
		{"lease of another agent", "$KV.CROUPIER_test_ROLES.lease.learner.exploiter", "bad"},
		{"experience of another for another agent", "croupier.test.experience.actor-4.exploiter", "sequence 2^60"},
		{"curves of another agent", "croupier.test.curves.learner.exploiter", "bad"},
		{"fetch for the learner of another agent", "$JS.API.CONSUMER.MSG.NEXT.CROUPIER_test_EXPERIENCE.learner-exploiter",
			"1"},
		{"quarantined", "$KV.CROUPIER_test_STATE.aside.actor-4", "bad"},
		{"lift its own", "$KV.CROUPIER_test_STATE.aside.actor-3", ""},
		{"lease", "$KV.CROUPIER_test_ROLES.lease.learner", "bad"},
		{"heartbeat of another", "$KV.CROUPIER_test_ROLES.actor.actor-4", "bad"},
		{"heartbeat of the learner", "$KV.CROUPIER_test_ROLES.learner.learner-1", "bad"},
		{"experience of another", "croupier.test.experience.actor-4", "sequence 2^60"},
		{"game of another", "croupier.test.kept.actor-4", "bad"},
		{"result of another", "croupier.test.results.m1.actor-4", "bad"},
		{"match", "croupier.test.matches.m1", "bad"},
		{"curves", "croupier.test.curves.learner", "bad"},
		{"chunk of an object", "$O.CROUPIER_test_OBJECTS.C.x", "bad"},
		{"object", "$O.CROUPIER_test_OBJECTS.M.bGl2ZQ==", "bad"},
		{"other run", "croupier.other.experience.actor-3", "bad"},
		{"deliver elsewhere", "$JS.API.CONSUMER.CREATE.KV_CROUPIER_test_STATE.x",
			`{"stream_name":"KV_CROUPIER_test_STATE","config":{"deliver_subject":"croupier.test.curves.learner"}}`},
		{"new stream", "$JS.API.STREAM.CREATE.MINE", `{"name":"MINE","subjects":["croupier.test.results.x.*"]}`},
		{"list of streams", "$JS.API.STREAM.NAMES", ""},
		{"acknowledge for the learner", "$JS.ACK.CROUPIER_test_EXPERIENCE.learner.1.1.1.1.0", "+ACK"},
		{"fetch for the learner", "$JS.API.CONSUMER.MSG.NEXT.CROUPIER_test_EXPERIENCE.learner", "1"},
		{"inbox of another", "_INBOX_actor-4.x.y", "bad"},
		{"system", "$SYS.REQ.SERVER.PING", ""},
	}
	for _, stream := range []string{"EXPERIENCE", "RESULTS", "MATCHES", "CURVES", "KEPT"} {
		for _, what := range []string{"DELETE", "PURGE", "UPDATE", "MSG.DELETE"} {
			all = append(all, attack{what + " " + stream, "$JS.API.STREAM." + what + ".CROUPIER_test_" + stream, ""})
		}
	}
	for _, stream := range []string{"KV_CROUPIER_test_STATE", "KV_CROUPIER_test_ROLES", "OBJ_CROUPIER_test_OBJECTS"} {
		all = append(all, attack{"DELETE " + stream, "$JS.API.STREAM.DELETE." + stream, ""},
			attack{"PURGE " + stream, "$JS.API.STREAM.PURGE." + stream, ""})
	}
	return append(all, attack{"delete consumer", "$JS.API.CONSUMER.DELETE.CROUPIER_test_EXPERIENCE.learner", ""},
		attack{"delete arena", "$JS.API.CONSUMER.DELETE.CROUPIER_test_MATCHES.arena", ""},
		attack{"restore stream", "$JS.API.STREAM.RESTORE.CROUPIER_test_RESULTS", "{}"},
		attack{"step down", "$JS.API.STREAM.LEADER.STEPDOWN.CROUPIER_test_RESULTS", ""})
}

// raw connects with a key of the set, by NATS's own means.
func (g *guarded) raw(name string) *nats.Conn { return g.rawAt(g.server, name) }

func (g *guarded) rawAt(server *broker.Broker, name string) *nats.Conn {
	g.t.Helper()
	key, err := nats.NkeyOptionFromSeed(g.set.Seed(name))
	require.NoError(g.t, err)
	conn, err := nats.Connect(server.URL(), key, nats.CustomInboxPrefix("_INBOX_"+name),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(g.t, err)
	g.t.Cleanup(conn.Close)
	return conn
}

// mark stores a message in each stream and bucket, behind all that was on its way there: a stream stores what comes
// in its turn.
func (g *guarded) mark() {
	g.t.Helper()
	g.marks++
	js, err := jetstream.New(g.rawAt(g.streams, "operator"))
	require.NoError(g.t, err)
	subjects := []string{"$KV.CROUPIER_test_STATE.mark", "$KV.CROUPIER_test_ROLES.mark"}
	for _, s := range bus.Streams {
		subject := fmt.Sprintf("croupier.test.%s.mark-%d", s, g.marks)
		switch s {
		case bus.Results, bus.Contests:
			subject += ".operator"
		case bus.Outcomes:
			subject += ".mark.operator"
		}
		subjects = append(subjects, subject)
	}
	for _, subject := range subjects {
		_, err = js.Publish(g.t.Context(), subject, nil)
		require.NoError(g.t, err, subject)
	}
}

// state is what the streams of the run hold, without marks.
func (g *guarded) state() map[string]uint64 {
	g.t.Helper()
	g.mark()
	out := map[string]uint64{}
	for _, s := range bus.Streams {
		info, err := g.learner.Info(g.t.Context(), s)
		require.NoError(g.t, err)
		out[s.String()] = info.Last - uint64(g.marks)
	}
	entries := map[string]bus.KV{"state": g.learner.State(), "roles": g.learner.Roles()}
	for name, kv := range entries {
		ctx, cancel := context.WithCancel(g.t.Context())
		in, err := kv.Watch(ctx, "")
		require.NoError(g.t, err)
		for e := range in {
			if e.Key == "" {
				break
			}
			if e.Key != "mark" {
				out[name+"."+e.Key] = e.Revision
			}
		}
		cancel()
	}
	return out
}

// answered waits for answers to what every key may ask for. Requests before it are answered by then: the broker takes
// them in their turn, and the few at which it works at the same time are done before the last of these.
func (g *guarded) answered(conn *nats.Conn, prefix string) {
	g.t.Helper()
	for range 20 {
		for subject, data := range map[string]string{
			"$JS.API.STREAM.INFO.CROUPIER_test_RESULTS": "", "$JS.API.DIRECT.GET.KV_CROUPIER_test_STATE": `{"seq":1}`,
		} {
			_, err := conn.Request(prefix+subject, []byte(data), 30*time.Second)
			require.NoError(g.t, err, subject)
		}
	}
}

// A stranger with a key can do nothing but what the key is for: each attack is refused,
// counted under the key's name, and changes nothing.
func TestKeysRefuseAttacks(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx := t.Context()
	_, err := g.learner.State().Put(ctx, messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err)
	require.NoError(t, g.learner.PutObject(ctx, "live/main/1-ab", []byte("weights")))
	before := g.state()
	g.attack("actor-3", "friend", "web", "desk")
	for _, name := range []string{"actor-3", "friend", "web"} {
		conn, count := g.raw(name), g.refused(name)
		require.NoError(t, conn.PublishRequest("croupier.test.told.group.main.leader", conn.NewInbox(), []byte("bad")))
		require.NoError(t, conn.Flush())
		require.Greater(t, g.refused(name), count, "%s: words to a leader", name)
	}
	require.Equal(t, before, g.state())
	weights, err := g.learner.GetObject(ctx, "live/main/1-ab")
	require.NoError(t, err)
	require.Equal(t, "weights", string(weights))
}

// attack tries everything with keys that must not do it. Each attempt is refused and counted.
func (g *guarded) attack(names ...string) {
	t := g.t
	t.Helper()
	for _, name := range names {
		conn := g.raw(name)
		for _, a := range attacks() {
			count := g.refused(name)
			reply := conn.NewInbox()
			require.NoError(t, conn.PublishRequest(a.subject, reply, []byte(a.data)))
			require.NoError(t, conn.Flush())
			require.Greater(t, g.refused(name), count, "%s: %s", name, a.name)
		}
		for _, subject := range []string{"_INBOX_actor-4.>", "_INBOX.>", ">", "croupier.test.experience.>", "$JS.ACK.>",
			"$SYS.>"} {
			count := g.refused(name)
			_, err := conn.SubscribeSync(subject)
			require.NoError(t, err)
			require.NoError(t, conn.Flush())
			require.Greater(t, g.refused(name), count, "%s: listen to %s", name, subject)
		}
	}
}

// The broker sends an answer wherever a request wants it. That must not be a way to write.
func TestAnswersWriteNothing(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx := t.Context()
	_, err := g.learner.State().Put(ctx, messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err)
	before := g.state()
	g.misdirect("actor-3", "friend", "web", "league")
	require.Equal(t, before, g.state())
}

// misdirect has answers sent to where the keys must not write.
func (g *guarded) misdirect(names ...string) {
	t := g.t
	t.Helper()
	for _, name := range names {
		conn := g.raw(name)
		for _, target := range []string{
			"$KV.CROUPIER_test_STATE.agent.main", "$KV.CROUPIER_test_STATE.config", "croupier.test.experience.actor-4",
			"croupier.test.results.m1.actor-4", "$JS.API.STREAM.DELETE.CROUPIER_test_RESULTS",
			"$JS.API.STREAM.PURGE.CROUPIER_test_CURVES", "$KV.CROUPIER_test_ROLES.actor.actor-4",
		} {
			for subject, data := range map[string]string{
				"$JS.API.STREAM.INFO.CROUPIER_test_RESULTS":                                    "",
				"$JS.API.DIRECT.GET.KV_CROUPIER_test_STATE":                                    `{"seq":1,"batch":3}`,
				"$JS.API.DIRECT.GET.KV_CROUPIER_test_STATE.$KV.CROUPIER_test_STATE.agent.main": "",
				"$JS.API.STREAM.MSG.GET.KV_CROUPIER_test_STATE":                                `{"seq":1}`,
				"$JS.API.CONSUMER.MSG.NEXT.CROUPIER_test_MATCHES.arena":                        `{"batch":1,"no_wait":true}`,
			} {
				require.NoError(t, conn.PublishRequest(subject, target, []byte(data)))
			}
		}
		g.answered(conn, "")
	}
}

// A client whose key does not allow a call gets an error, and does not wait for ever.
func TestForbiddenCallsFail(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	actor := g.as("actor-3")
	_, err := actor.State().Put(ctx, messages.LadderKey, []byte("mine"))
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
	require.ErrorContains(t, err, "the key does not allow it")
	require.ErrorContains(t, err, "$KV.CROUPIER_test_STATE.ladder")
	require.NoError(t, ctx.Err())
	soon(t, "experience under another name fails", func() bool {
		err := actor.Publish(ctx, bus.Experience, "actor-4", []byte("x"))
		return errors.Is(err, nats.ErrPermissionViolation)
	})
	_, err = bus.Connect(ctx, bus.NATSOptions{
		URL: g.server.URL(), Run: "other", Credentials: g.set.Seed("actor-3"), Log: quiet,
	})
	require.ErrorContains(t, err, "is for the run test, not for other")
}

// A role that may not subscribe or send, as at a broker of an earlier version, receives nothing and is refused once.
func TestForbiddenWords(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	web, subject := g.as("web"), messages.BacklogSubject("main")
	received, err := web.Subscribe(ctx, subject)
	require.NoError(t, err)
	require.NoError(t, g.learner.Send(ctx, subject, []byte("nine")))
	soon(t, "telling fails", func() bool {
		return errors.Is(web.Send(ctx, subject, []byte("mine")), nats.ErrPermissionViolation)
	})
	refused := g.refused("web")
	for range 10 {
		require.ErrorIs(t, web.Send(ctx, subject, []byte("mine")), nats.ErrPermissionViolation)
	}
	_, err = web.State().Get(ctx, messages.ConfigKey) // the broker has answered whatever came before
	require.ErrorIs(t, err, bus.ErrNotFound)
	require.Equal(t, refused, g.refused("web"))
	require.Empty(t, received)
}

// What a publisher writes into the headers of a message is not taken for what the broker says.
func TestForgedHeaders(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	conn := g.raw("league")
	msg := nats.NewMsg("croupier.test.curves.league")
	msg.Header.Set("Nats-Sequence", "1152921504606846976")
	msg.Header.Set("Nats-Subject", "croupier.test.curves.learner")
	msg.Header.Set("Status", "404")
	_, err := conn.RequestMsg(msg, 5*time.Second)
	require.NoError(t, err)
	require.NoError(t, g.learner.Publish(t.Context(), bus.Curves, messages.LearnerRole, []byte("after")))
	in, err := g.learner.Read(t.Context(), bus.Curves, 1)
	require.NoError(t, err)
	forged := <-in
	require.Equal(t, messages.LeagueRole, forged.Subject())
	require.EqualValues(t, 1, forged.Sequence())
	require.Equal(t, "after", string((<-in).Data()))
}

// Keys come, change and go while the others work on.
func TestKeysChangeWithoutRestart(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	actor, other := g.as("actor-3"), g.as("actor-4")
	watched, err := actor.State().Watch(ctx, messages.MatchmakingKey(messages.LearningAgent))
	require.NoError(t, err)
	require.Equal(t, bus.Entry{}, <-watched)

	require.NoError(t, g.set.Add("actor-5", messages.ActorRole))
	require.NoError(t, g.server.Reload())
	require.True(t, g.as("actor-5").Connected())

	stolen := filepath.Join(t.TempDir(), "stolen.seed")
	seed, err := os.ReadFile(g.set.Seed("actor-4"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(stolen, seed, 0o600))
	require.NoError(t, g.set.Revoke("actor-4"))
	soon(t, "the broker sees the file change and cuts the client off", func() bool { return !other.Connected() })
	require.NoFileExists(t, g.set.Seed("actor-4"))
	require.ErrorContains(t, connectError(t, bus.NATSOptions{URL: g.server.URL(), Credentials: stolen}),
		"Authorization Violation (the broker does not know the key in "+stolen)
	require.Positive(t, g.refused("actor-4"), "a key that is gone is still named")

	require.NoError(t, g.set.Rotate("actor-3"))
	require.NoError(t, g.server.Reload())
	require.True(t, actor.Connected(), "the old key counts until it is retired")
	require.NoError(t, g.set.Retire("actor-3"))
	require.NoError(t, g.server.Reload())
	soon(t, "the actor takes its new key", func() bool {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := actor.Roles().Put(short, messages.RoleKey(messages.ActorRole, "actor-3"), []byte("alive"))
		return err == nil
	})
	league := g.as("league")
	_, err = league.State().Put(ctx, messages.MatchmakingKey(messages.LearningAgent), []byte("new"))
	require.NoError(t, err)
	require.Equal(t, "new", string((<-watched).Value))

	public := filepath.Join(g.set.Dir, broker.PublicFile)
	whole, err := os.ReadFile(public)
	require.NoError(t, err)
	require.NoError(t, g.server.Unread())
	require.NoError(t, os.WriteFile(public, []byte("keys: [nonsense]"), 0o600))
	require.Error(t, g.server.Reload())
	require.True(t, league.Connected(), "a file that cannot be read changes nothing")
	require.ErrorContains(t, g.server.Unread(), "the previous keys stay valid: ")
	require.NoError(t, os.WriteFile(public, whole, 0o600))
	soon(t, "the broker sees that the file is mended", func() bool { return g.server.Unread() == nil })
	require.NoError(t, os.Remove(public))
	soon(t, "the broker sees that the file is gone", func() bool { return g.server.Unread() != nil })
}

// A client with a new key may come sooner than the broker knows it.
func TestAKeyIsTriedUntilItIsKnown(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	ahead := filepath.Join(t.TempDir(), "set")
	require.NoError(t, os.CopyFS(ahead, os.DirFS(g.set.Dir)))
	set, err := broker.OpenSet(ahead)
	require.NoError(t, err)
	require.NoError(t, set.Add("actor-5", messages.ActorRole))
	o := bus.NATSOptions{URL: g.server.URL(), Run: "test", Credentials: set.Seed("actor-5"), Limits: bustest.Limits(),
		Log:       quiet,
		Admission: time.Millisecond}
	require.ErrorContains(t, connectError(t, o),
		"Authorization Violation (the broker does not know the key in "+o.Credentials)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	public, err := os.ReadFile(filepath.Join(ahead, broker.PublicFile))
	require.NoError(t, err)
	o.Admission = time.Minute
	o.Log = slog.New(logged(func(text string) { // is called before the key is tried again
		if strings.Contains(text, "does not know this key, or not yet") {
			assert.NoError(t, os.WriteFile(filepath.Join(g.set.Dir, broker.PublicFile), public, 0o600))
			assert.NoError(t, g.server.Reload())
		}
	}))
	b, err := bus.Connect(ctx, o)
	require.NoError(t, err)
	require.NoError(t, b.Close())
}

// logged is called with each message of a log.
type logged func(text string)

func (l logged) Enabled(context.Context, slog.Level) bool      { return true }
func (l logged) Handle(_ context.Context, r slog.Record) error { l(r.Message); return nil }
func (l logged) WithAttrs([]slog.Attr) slog.Handler            { return l }
func (l logged) WithGroup(string) slog.Handler                 { return l }

// Clients that subscribe while the broker reads its keys again do not end it.
func TestSubscribingWhileKeysAreRead(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for _, name := range []string{"actor-3", "actor-4", "league", "web"} {
		conn := g.raw(name)
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				var all []*nats.Subscription
				for range 50 {
					s, err := conn.SubscribeSync("stored.$KV.CROUPIER_test_STATE.matchmaking")
					if err != nil {
						return
					}
					all = append(all, s)
				}
				_ = conn.Flush()
				for _, s := range all {
					_ = s.Unsubscribe()
				}
			}
		})
	}
	// Without the imports from the account at work the broker ended in each of eight runs of 40.
	for range nightly.Cases(40, 200) {
		require.NoError(t, g.server.Reload())
	}
	close(stop)
	busy.Wait()
	require.True(t, g.as("actor-3").Connected())
}

// What one key may take of the broker is bounded: beyond that it is refused, also after the keys were read again, and
// others notice nothing.
func TestAKeyTakesItsShareOnly(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	require.NoError(t, g.server.Reload())
	key, err := nats.NkeyOptionFromSeed(g.set.Seed("actor-3"))
	require.NoError(t, err)
	connections, refused := 0, false
	for ; connections < 100 && !refused; connections++ {
		conn, err := nats.Connect(g.server.URL(), key, nats.NoReconnect())
		if refused = err != nil; refused {
			require.ErrorIs(t, err, nats.ErrMaxAccountConnectionsExceeded)
			continue
		}
		t.Cleanup(conn.Close)
	}
	require.Equal(t, 33, connections, "one more than the limit")
	o := bus.NATSOptions{URL: g.server.URL(), Credentials: g.set.Seed("actor-3")}
	require.ErrorIs(t, connectWithin(t, 300*time.Millisecond, o), context.DeadlineExceeded, "a role waits for its turn")

	conn := g.raw("friend")
	for range 1024 {
		_, err := conn.SubscribeSync("_INBOX_friend." + nats.NewInbox())
		require.NoError(t, err)
	}
	require.NoError(t, conn.Flush(), "that many are allowed")
	_, err = conn.SubscribeSync("_INBOX_friend.one.more")
	require.NoError(t, err)
	soon(t, "the connection is cut off", func() bool {
		return errors.Is(conn.LastError(), nats.ErrMaxSubscriptionsExceeded)
	})
	require.NoError(t, g.as("actor-4").Publish(t.Context(), bus.Experience, "actor-4", []byte("x")))
	require.Positive(t, refusedBy(t, g.server, "friend")+refusedBy(t, g.server, "none"))
}

// A key to which the broker's file gives another name, or another run, is reported as that.
func TestAKeyUnderAnotherNameIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, with, message string }{
		{"name: web", "name: wbe", "gives this key a name other than web"},
		{"run: test", "run: tset", "gives this key a run other than test"},
	} {
		set, err := broker.CreateSet(filepath.Join(t.TempDir(), "set"), "test")
		require.NoError(t, err)
		file := filepath.Join(set.Dir, broker.PublicFile)
		doc, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(doc), c.old, c.with, 1)), 0o600))
		server := startBroker(t, broker.Options{Listen: "127.0.0.1:0", Credentials: file})
		_, err = bus.Connect(t.Context(), bus.NATSOptions{
			URL: server.URL(), Run: "test", Credentials: set.Seed("web"), Log: quiet,
		})
		require.ErrorIs(t, err, nats.ErrPermissionViolation)
		require.ErrorContains(t, err, c.message)
	}
}
