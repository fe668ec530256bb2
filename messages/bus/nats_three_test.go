package bus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// three are brokers of one cluster, and with what they were started.
type three struct {
	servers [3]*broker.Broker
	opts    [3]broker.Options
}

// newThree starts three brokers that share a file with public keys, "" for none, and a certificate for one another, if
// there is one.
func newThree(t *testing.T, credentials string, tls broker.TLS) *three {
	t.Helper()
	c := &three{}
	var routes []string
	for range c.servers {
		routes = append(routes, "nats://"+testport.Free(t))
	}
	for i := range c.servers {
		c.opts[i] = broker.Options{
			Dir: t.TempDir(), Listen: testport.Free(t), Name: fmt.Sprint("broker-", i),
			Credentials: credentials, Log: quiet,
			Cluster: broker.Cluster{
				Name: "test", Listen: routes[i][len("nats://"):], Routes: routes, User: "route", Password: "x", TLS: tls,
			},
		}
		c.start(t, i)
		t.Cleanup(func() { c.servers[i].Shutdown() })
	}
	return c
}

func (c *three) start(t *testing.T, i int) {
	t.Helper()
	var err error
	c.servers[i], err = broker.Start(c.opts[i])
	require.NoError(t, err)
}

func (c *three) url() string {
	return "nats://" + c.opts[0].Listen + ",nats://" + c.opts[1].Listen + ",nats://" + c.opts[2].Listen
}

// TestThreeBrokers takes one of three brokers away for a while: what was
// acknowledged is there and publishing continues.
func TestThreeBrokers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newThree(t, "", broker.TLS{})
	ctxConnect, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	b, err := bus.Connect(ctxConnect, bus.NATSOptions{
		URL: c.url(), Run: "test", Create: true, Replicas: 3, Limits: bustest.Limits(), Log: quiet,
	})
	require.NoError(t, err)
	defer b.Close()
	published := 0
	publish := func() {
		require.NoError(t, b.Publish(ctx, bus.Results, fmt.Sprintf("m%d.a", published), []byte(fmt.Sprint(published))))
		published++
	}
	publish()
	c.servers[0].Shutdown()
	publish()
	c.start(t, 0)
	soon(t, "the broker is back", func() bool { return c.servers[0].Healthy() == nil })
	publish()
	in, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	for i := range published {
		require.Equal(t, fmt.Sprint(i), string((<-in).Data()))
	}
}

// Three brokers that share one file of public keys take its changes over while roles work: rotated keys replace one
// another without a loss, a revoked one is cut off from whichever broker it is connected to, and a broker that was away
// meanwhile accepts no key that was revoked.
func TestThreeBrokersShareTheirKeys(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	set, err := broker.CreateSet(filepath.Join(t.TempDir(), "set"), "test")
	require.NoError(t, err)
	for _, name := range []string{"actor-0", "actor-1", "actor-2", "anna-0", "anna-1", "anna-2"} {
		require.NoError(t, set.Add(name, messages.ActorRole))
	}
	c := newThree(t, filepath.Join(set.Dir, broker.PublicFile), broker.TLS{})
	as := func(url, name string) bus.Bus {
		b, err := bus.Connect(ctx, bus.NATSOptions{
			URL: url, Run: "test", Credentials: set.Seed(name), Create: name == "learner", Replicas: 3, Limits: bustest.Limits(),
			Log: quiet,
		})
		require.NoError(t, err, name)
		t.Cleanup(func() { b.Close() })
		return b
	}
	learner := as(c.url(), "learner")
	var actors, revoked [3]bus.Bus
	for i, o := range c.opts {
		actors[i], revoked[i] = as(c.url(), fmt.Sprint("actor-", i)), as("nats://"+o.Listen, fmt.Sprint("anna-", i))
	}
	results := 0
	play := func() {
		for i, actor := range actors {
			subject := fmt.Sprintf("m%d.actor-%d", results, i)
			require.NoError(t, actor.Publish(ctx, bus.Results, subject, []byte(subject)))
			results++
		}
	}
	play()
	for _, change := range []func(string) error{set.Rotate, set.Retire} {
		for i := range actors {
			require.NoError(t, change(fmt.Sprint("actor-", i)))
		}
		require.NoError(t, change("learner"))
		play()
		for _, server := range c.servers {
			require.NoError(t, server.Reload())
		}
		play()
	}
	_, err = learner.State().Put(ctx, messages.PointerKey("main"), []byte("1"))
	require.NoError(t, err, "the learner continues with its new key")

	c.servers[0].Shutdown()
	stolen := filepath.Join(t.TempDir(), "stolen.seed")
	seed, err := os.ReadFile(set.Seed("anna-0"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(stolen, seed, 0o600))
	for i := range revoked {
		require.NoError(t, set.Revoke(fmt.Sprint("anna-", i)))
	}
	for i := 1; i < 3; i++ {
		soon(t, "the client of a revoked key is cut off", func() bool { return !revoked[i].Connected() })
	}
	c.start(t, 0)
	for _, o := range c.opts {
		err := connectError(t, bus.NATSOptions{URL: "nats://" + o.Listen, Credentials: stolen})
		require.ErrorContains(t, err, "Authorization", o.Name)
	}
	require.False(t, revoked[0].Connected())
	play()
	in, err := learner.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	for range results {
		m := <-in
		require.NotNil(t, m)
		require.Equal(t, m.Subject(), string(m.Data()), "each result is there once, under its author's name")
	}
}
