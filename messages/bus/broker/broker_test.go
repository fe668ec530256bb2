package broker

import (
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/internal/descriptors"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func start(t *testing.T, o Options) *Broker {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Log = quiet
	b, err := Start(o)
	require.NoError(t, err)
	t.Cleanup(b.Shutdown)
	return b
}

// client returns an in-process JetStream context.
func client(t *testing.T, b *Broker) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect("", nats.InProcessServer(b))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	return js
}

func TestInProcess(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	b := start(t, Options{})
	js := client(t, b)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "s", []byte("x"))
	require.NoError(t, err)
	require.NoError(t, b.Healthy())
	js.Conn().Close()
	b.Shutdown()
	b.Shutdown()
}

func TestStreamsOutliveTheBroker(t *testing.T) {
	dir := t.TempDir()
	b := start(t, Options{Dir: dir})
	js := client(t, b)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "s", []byte("x"))
	require.NoError(t, err)
	b.Shutdown()
	stream, err := client(t, start(t, Options{Dir: dir})).Stream(t.Context(), "S")
	require.NoError(t, err)
	require.EqualValues(t, 1, stream.CachedInfo().State.Msgs)
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	used := t.TempDir()
	start(t, Options{Dir: used})
	tests := []struct {
		name string
		opts Options
		want string
	}{
		{"no directory", Options{}, "no store directory"},
		{"a file", Options{Dir: file}, "not a directory"},
		{"used directory", Options{Dir: used}, "another process is its broker"},
		{"port in use", Options{Dir: t.TempDir(), Listen: taken.Addr().String()}, "address already in use"},
		{"cluster port in use", Options{Dir: t.TempDir(), Name: "n", Listen: "127.0.0.1:0",
			Cluster: Cluster{Name: "c", Listen: taken.Addr().String(), Routes: []string{"nats://127.0.0.1:1"}}},
			"address already in use"},
		{"no port", Options{Dir: t.TempDir(), Listen: "127.0.0.1"}, "it must look like HOST:PORT"},
		{"no such port", Options{Dir: t.TempDir(), Listen: "127.0.0.1:70000"}, "70000"},
		{"user without password", Options{Dir: t.TempDir(), User: "u"}, "password"},
		{"no nkey", Options{Dir: t.TempDir(), NKeys: []string{"hello"}}, "nkey"},
		{"certificate without key", Options{Dir: t.TempDir(), TLS: TLS{Cert: "c"}}, "TLS"},
		{"no such certificate", Options{Dir: t.TempDir(), TLS: TLS{Cert: "/nowhere", Key: "/nowhere"}}, "/nowhere"},
		{"endless keys", Options{Dir: t.TempDir(), Credentials: os.DevNull}, "it is not a regular file"},
		{"cluster without address", Options{Dir: t.TempDir(), Cluster: Cluster{Name: "c"}}, "no address"},
		{"cluster without roles", Options{Dir: t.TempDir(), Name: "n", Cluster: Cluster{Name: "c", Listen: "127.0.0.1:0"}},
			"where roles connect"},
		{"cluster without names", Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Cluster: Cluster{Listen: "127.0.0.1:0"}},
			"need a name"},
		{"cluster password without user", Options{Dir: t.TempDir(), Name: "n", Listen: "127.0.0.1:0",
			Cluster: Cluster{Name: "c", Listen: "127.0.0.1:0", Password: "p"}}, "cluster: a user needs"},
		{"cluster without routes", Options{Dir: t.TempDir(), Name: "n", Listen: "127.0.0.1:0",
			Cluster: Cluster{Name: "c", Listen: "127.0.0.1:0"}}, "no routes"},
		{"open to all", Options{Dir: t.TempDir(), Listen: "0.0.0.0:0"}, "or --insecure"},
		{"open to all by name", Options{Dir: t.TempDir(), Listen: "somewhere:0"}, "or --insecure"},
		{"no such credentials", Options{Dir: t.TempDir(), Credentials: "/nowhere"}, "/nowhere"},
		{"route with a secret", Options{Dir: t.TempDir(), Name: "n", Listen: "127.0.0.1:0",
			Cluster: Cluster{Name: "c", Listen: "127.0.0.1:0", Routes: []string{"me:s3cr3t@host"}}}, `route "…@host"`},
		{"route with a user", Options{Dir: t.TempDir(), Name: "n", Listen: "127.0.0.1:0",
			Cluster: Cluster{Name: "c", Listen: "127.0.0.1:0", Routes: []string{"nats://me:s3cr3t@127.0.0.1:1"}}},
			`route "…@127.0.0.1:1"`},
		{"bad route", Options{Dir: t.TempDir(), Name: "n", Listen: "127.0.0.1:0",
			Cluster: Cluster{Name: "c", Listen: "127.0.0.1:0", Routes: []string{"x"}}}, "route"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.opts.Log = quiet
			_, err := Start(test.opts)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}

func TestMetrics(t *testing.T) {
	b := start(t, Options{})
	js := client(t, b)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "s", []byte("x"))
	require.NoError(t, err)

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewCollector(b))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, f := range families {
		m := f.GetMetric()[0]
		values[f.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	require.Equal(t, 1.0, values["croupier_broker_healthy"])
	require.Equal(t, 1.0, values["croupier_broker_connections"])
	require.Equal(t, 1.0, values["croupier_broker_jetstream_streams"])
	require.Equal(t, 1.0, values["croupier_broker_jetstream_messages"])
	require.Positive(t, values["croupier_broker_received_messages_total"])
	require.Positive(t, values["croupier_broker_jetstream_store_bytes"])
	require.EqualValues(t, defaultMaxStore, values["croupier_broker_jetstream_store_limit_bytes"])
}

// Clients may have half of what the process may have open; those that keep silent go.
func TestConnectionsAreLimited(t *testing.T) {
	varz, err := start(t, Options{}).server.Varz(nil)
	require.NoError(t, err)
	require.Equal(t, descriptors.Share(2, mostConnections), varz.MaxConn)
	require.Equal(t, pingEvery, varz.PingInterval)
	require.Equal(t, mostPings, varz.MaxPingsOut)
	varz, err = start(t, Options{MaxConnections: 7}).server.Varz(nil)
	require.NoError(t, err)
	require.Equal(t, 7, varz.MaxConn)
}

// BenchmarkPublish shows what the sync policy costs: one publisher that waits for
// each acknowledgement, a kilobyte each.
func BenchmarkPublish(b *testing.B) {
	for name, always := range map[string]bool{"sync": true, "lazy": false} {
		b.Run(name, func(b *testing.B) {
			server, err := Start(Options{Dir: b.TempDir(), SyncAlways: always, Log: quiet})
			require.NoError(b, err)
			defer server.Shutdown()
			conn, err := nats.Connect("", nats.InProcessServer(server))
			require.NoError(b, err)
			defer conn.Close()
			js, err := jetstream.New(conn)
			require.NoError(b, err)
			_, err = js.CreateStream(b.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
			require.NoError(b, err)
			data := make([]byte, 1<<10)
			for b.Loop() {
				if _, err := js.Publish(b.Context(), "s", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A server that had no time to look at its listeners is asked again; one that names a listener is not.
func TestHealthIsLookedFor(t *testing.T) {
	const late = "failed to be ready for connections after 1ms: "
	for _, answers := range [][]string{{""}, {late, late, ""}, {late, late + "route(ok=false)"}, {"no leader"}} {
		asked := 0
		h := looked(func() *server.HealthStatus {
			asked++
			return &server.HealthStatus{Error: answers[asked-1]}
		})
		require.Equal(t, answers[len(answers)-1], h.Error)
		require.Len(t, answers, asked)
	}
}
