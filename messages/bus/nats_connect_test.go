package bus_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// connectError tries to connect for a while and returns why it did not work.
func connectError(t *testing.T, o bus.NATSOptions) error {
	t.Helper()
	return connectWithin(t, time.Minute, o)
}

// connectWithin is connectError for brokers that may never answer.
func connectWithin(t *testing.T, patience time.Duration, o bus.NATSOptions) error {
	t.Helper()
	o.Log, o.Create = quiet, true
	if o.Run == "" {
		o.Run = "test"
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b, err := bus.Connect(ctx, o)
	if err == nil {
		b.Close()
	}
	require.Error(t, err)
	return err
}

func TestConnectSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts bus.NATSOptions
		want string
	}{
		{"no URL", bus.NATSOptions{}, "no URL"},
		{"the page's address", bus.NATSOptions{URL: "http://127.0.0.1:8080"}, "not like nats://HOST:PORT"},
		{"no scheme", bus.NATSOptions{URL: "localhost:4222"}, "not like nats://HOST:PORT"},
		{"secret without a scheme", bus.NATSOptions{URL: "me:s3cr3t@host"}, `"…@host" is not like nats://HOST:PORT`},
		{"secret in a bad URL", bus.NATSOptions{URL: "nats://me:s3%cr3t@host"}, "…@host"},
		{"run with a dot", bus.NATSOptions{URL: "nats://x", Run: "a.b"}, "run: name"},
		{"two replicas", bus.NATSOptions{URL: "nats://x", Replicas: 2}, "2 replicas"},
		{"key without certificate", bus.NATSOptions{URL: "nats://x", Key: "k"}, "client certificate"},
		{"no such credentials", bus.NATSOptions{URL: "nats://x", Credentials: "/nowhere"}, "credentials"},
		{"endless credentials", bus.NATSOptions{URL: "nats://x", Credentials: os.DevNull}, "it is not a regular file"},
		{"no such CA", bus.NATSOptions{URL: "nats://127.0.0.1:1", CA: "/nowhere"}, "/nowhere"},
		{"negative limit", bus.NATSOptions{URL: "nats://x", Limits: bus.Options{Sizes: bus.Sizes{MatchBytes: -1}}},
			"match_bytes"},
		{"short heartbeat", bus.NATSOptions{URL: "nats://x", Limits: bus.Options{RoleTTL: time.Millisecond}}, "role_ttl"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := connectError(t, test.opts)
			require.ErrorContains(t, err, test.want)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "it must not be tried again")
			require.NotContains(t, err.Error(), "s3")
		})
	}
}

func TestConnectTriesAgain(t *testing.T) {
	t.Parallel()
	address := testport.Free(t)
	err := connectWithin(t, 2*time.Second, bus.NATSOptions{URL: "nats://me:secret@" + address})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, address)
	require.ErrorContains(t, err, "nothing listens there")
	require.NotContains(t, err.Error(), "secret")

	started := make(chan *broker.Broker, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		b, err := broker.Start(broker.Options{Dir: t.TempDir(), Listen: address, Log: quiet})
		if err != nil {
			t.Error(err)
		}
		started <- b
	}()
	b := connect(t, bus.NATSOptions{URL: "nats://" + address})
	require.True(t, b.Connected())
	require.NoError(t, b.Close())
	(<-started).Shutdown()
}

func TestUserAndPassword(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0", User: "actor", Password: "right"})
	address := server.URL()[len("nats://"):]
	for _, bad := range []string{"nats://" + address, "nats://actor:wrong@" + address} {
		err := connectError(t, bus.NATSOptions{URL: bad})
		require.ErrorContains(t, err, "Authorization Violation (the broker needs a key, or a user and a password")
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	}
	require.True(t, connect(t, bus.NATSOptions{URL: "nats://actor:right@" + address}).Connected())
	require.True(t, connect(t, bus.NATSOptions{URL: "nats://actor:right@here", InProcess: server}).Connected())
}

func TestNKey(t *testing.T) {
	t.Parallel()
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	seed, err := pair.Seed()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "actor.nk")
	require.NoError(t, os.WriteFile(file, seed, 0o600))
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0", User: "admin", Password: "x", NKeys: []string{public}})
	require.ErrorContains(t, connectError(t, bus.NATSOptions{URL: server.URL()}), "Authorization")
	require.True(t, connect(t, bus.NATSOptions{URL: server.URL(), Credentials: file}).Connected())
}

// TestKeyIsGone deletes the key of a role that is connected: it says so and keeps trying, and is back with the file.
func TestKeyIsGone(t *testing.T) {
	t.Parallel()
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	seed, err := pair.Seed()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "actor.nk")
	require.NoError(t, os.WriteFile(file, seed, 0o600))
	o := broker.Options{Dir: t.TempDir(), Listen: testport.Free(t), NKeys: []string{public}, Log: quiet}
	server, err := broker.Start(o)
	require.NoError(t, err)
	var logged lines
	b, err := bus.Connect(t.Context(), bus.NATSOptions{
		URL: server.URL(), Run: "test", Create: true, Credentials: file, Limits: bustest.Limits(),
		Log: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	require.NoError(t, err)
	defer b.Close()

	require.NoError(t, os.Remove(file))
	server.Shutdown()
	server, err = broker.Start(o)
	require.NoError(t, err)
	defer server.Shutdown()
	soon(t, "complaint", func() bool { return strings.Contains(logged.String(), "no key to reconnect with") })
	require.Contains(t, logged.String(), file)
	require.False(t, b.Connected())
	require.NoError(t, os.WriteFile(file, seed, 0o600))
	soon(t, "connection", b.Connected)
}

// lines is a log that may be read while it is written.
type lines struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

func TestLimitsOfExistingStreams(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{})
	ctx := t.Context()
	small := bustest.Limits()
	first := connect(t, bus.NATSOptions{InProcess: server, Limits: small})
	var err error
	for i := 0; err == nil; i++ {
		err = first.Publish(ctx, bus.Matches, fmt.Sprintf("m%d", i), make([]byte, 8<<10))
	}
	large := small
	large.MatchBytes *= 2
	connect(t, bus.NATSOptions{InProcess: server, Limits: large})
	require.NoError(t, first.Publish(ctx, bus.Matches, "more", make([]byte, 8<<10)))
	require.ErrorContains(t, connectError(t, bus.NATSOptions{InProcess: server, Limits: small, Replicas: 3}), "replicas")
}

func TestMoreThanTheBrokerHas(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{MaxStore: 1 << 20, MaxMemory: 1 << 20})
	err := connectError(t, bus.NATSOptions{InProcess: server})
	require.ErrorContains(t, err, "insufficient")
	require.ErrorContains(t, err, "EXPERIENCE")
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}

func TestRunsAreApart(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{})
	ctx := t.Context()
	one := connect(t, bus.NATSOptions{InProcess: server, Run: "one"})
	other := connect(t, bus.NATSOptions{InProcess: server, Run: "other"})
	require.NoError(t, one.Publish(ctx, bus.Results, "m.a-0", []byte("one")))
	require.NoError(t, other.Publish(ctx, bus.Results, "m.a-0", []byte("other")))
	_, err := one.State().Put(ctx, "k", nil)
	require.NoError(t, err)
	_, err = other.State().Get(ctx, "k")
	require.ErrorIs(t, err, bus.ErrNotFound)
}

func TestBusMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	b := connect(t, bus.NATSOptions{InProcess: startBroker(t, broker.Options{}), Registerer: registry})
	require.NoError(t, b.Publish(t.Context(), bus.Experience, "actor", make([]byte, 100)))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP croupier_bus_published_messages_total Messages sent to the broker.
# TYPE croupier_bus_published_messages_total counter
croupier_bus_published_messages_total{stream="contests"} 0
croupier_bus_published_messages_total{stream="curves"} 0
croupier_bus_published_messages_total{stream="experience"} 1
croupier_bus_published_messages_total{stream="kept"} 0
croupier_bus_published_messages_total{stream="matches"} 0
croupier_bus_published_messages_total{stream="outcomes"} 0
croupier_bus_published_messages_total{stream="results"} 0
`), "croupier_bus_published_messages_total"))
}

// answers reports whether the broker has let a client in: it closes the others.
func answers(c net.Conn) bool {
	_, _ = io.WriteString(c, "CONNECT {}\r\nPING\r\n") // an error is that of reading
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		if lines.Text() == "PONG" {
			return true
		}
	}
	return false
}

// A broker that has all the clients that it takes is waited for, like one that is away.
func TestFullBrokerIsWaitedFor(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0", MaxConnections: 3})
	var idle []net.Conn
	// The broker greets before it counts, so only an answer says who was let in.
	for full := false; !full; {
		c, err := net.Dial("tcp", strings.TrimPrefix(server.URL(), "nats://"))
		require.NoError(t, err)
		defer c.Close()
		if full = !answers(c); !full {
			idle = append(idle, c)
		}
	}
	require.Len(t, idle, 3)
	require.ErrorIs(t, connectWithin(t, time.Second, bus.NATSOptions{URL: server.URL()}), context.DeadlineExceeded)
	time.AfterFunc(time.Second, func() { idle[0].Close() })
	require.NoError(t, connect(t, bus.NATSOptions{URL: server.URL()}).Close())
}

// A role that does not create waits for the one that does, also when what was in memory is gone.
func TestRolesWaitForTheCreator(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{})
	o := bus.NATSOptions{InProcess: server, Run: "test", Limits: bustest.Limits(), Log: quiet}
	early, cancel := context.WithTimeout(t.Context(), 3*time.Second) // so that it gets to the broker in time
	defer cancel()
	_, err := bus.Connect(early, o)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "wait for the run's learner to create its streams")

	connected := make(chan bus.Bus, 1)
	go func() {
		b, err := bus.Connect(t.Context(), o)
		if err != nil {
			t.Error(err)
		}
		connected <- b
	}()
	creator := connect(t, o)
	waiting := <-connected
	defer waiting.Close()
	require.NoError(t, creator.Publish(t.Context(), bus.Matches, "m", []byte("x")))
	arena, err := waiting.Consume(t.Context(), bus.Matches, messages.ArenaConsumer, "")
	require.NoError(t, err)
	got, err := arena.Fetch(t.Context(), 1, time.Minute)
	require.NoError(t, err)
	require.Len(t, got, 1)
	nowhere, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = waiting.Consume(nowhere, bus.Results, "new", "")
	require.ErrorIs(t, err, context.DeadlineExceeded, "it makes no consumer either")
}
