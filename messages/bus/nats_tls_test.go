package bus_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/certificate/certtest"
	"croupier/internal/testport"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// certified returns a certificate for a broker.
func certified(t *testing.T, a *certtest.Authority) broker.TLS {
	cert, key := a.Issue(t, 1, time.Hour)
	return broker.TLS{Cert: cert, Key: key}
}

// With an authority, a broker wants certificates of its clients.
func TestTLS(t *testing.T) {
	t.Parallel()
	authority := certtest.New(t)
	files := certified(t, authority)
	files.CA = authority.File
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0", TLS: files})
	o := bus.NATSOptions{URL: server.URL(), CA: authority.File}
	require.Error(t, connectError(t, o), "the broker wants a certificate")
	o.Cert, o.Key = files.Cert, files.Key
	b := connect(t, o)
	require.NoError(t, b.Publish(t.Context(), bus.Results, "m.a-0", nil))
}

// What is wrong about a broker's certificate is reported at once, with what to do about it.
func TestTLSSaysWhatToDo(t *testing.T) {
	t.Parallel()
	authority, other, expired := certtest.New(t), certtest.New(t), certtest.New(t)
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0", TLS: certified(t, authority)})
	cert, key := expired.Issue(t, 1, -time.Minute)
	old := startBroker(t, broker.Options{Listen: "127.0.0.1:0", TLS: broker.TLS{Cert: cert, Key: key}})
	plain := startBroker(t, broker.Options{Listen: "127.0.0.1:0"})
	renamed := strings.Replace(server.URL(), "127.0.0.1", "localhost", 1)
	for name, test := range map[string]struct{ url, ca, want string }{
		"no authority":    {server.URL(), "", "--tls-ca FILE names the authority that signed the broker's certificate"},
		"another one":     {server.URL(), other.File, "the authority in " + other.File + " did not sign"},
		"another name":    {renamed, authority.File, "a name or address that is in"},
		"expired":         {old.URL(), expired.File, "the certificate of the broker must be renewed"},
		"a plain broker":  {"tls" + strings.TrimPrefix(plain.URL(), "nats"), "", "the broker has no TLS"},
		"no such file":    {server.URL(), "/nowhere", "/nowhere"},
		"no certificates": {server.URL(), key, "there is no certificate in it"},
	} {
		err := connectError(t, bus.NATSOptions{URL: test.url, CA: test.ca})
		require.ErrorContains(t, err, test.want, name)
		require.NotErrorIs(t, err, context.DeadlineExceeded, name)
	}
}

// shown returns the serial number of the certificate that a broker shows to new clients.
func shown(t *testing.T, address string) int64 {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	greeting := make([]byte, 64<<10)
	n, err := c.Read(greeting)
	require.NoError(t, err)
	require.Contains(t, string(greeting[:n]), `"tls_required":true`)
	secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, secure.Handshake())
	return secure.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// A broker takes up a renewed certificate without losing anybody, and reads its keys while the certificate is wrong.
func TestBrokersCertificateIsRenewed(t *testing.T) {
	t.Parallel()
	authority := certtest.New(t)
	set, err := broker.CreateSet(filepath.Join(t.TempDir(), "set"), "test")
	require.NoError(t, err)
	o := broker.Options{
		Listen: testport.Free(t), Credentials: filepath.Join(set.Dir, broker.PublicFile), TLS: certified(t, authority),
	}
	server := startBroker(t, o)
	b := connect(t, bus.NATSOptions{URL: server.URL(), CA: authority.File, Credentials: set.Seed("learner")})
	require.EqualValues(t, 1, shown(t, o.Listen))
	authority.Issue(t, 2, time.Hour)
	soon(t, "renewed certificate", func() bool { return shown(t, o.Listen) == 2 })
	require.NoError(t, os.WriteFile(o.TLS.Key, []byte("nonsense"), 0o600))
	require.NoError(t, set.Add("operator-2", broker.OperatorRole))
	require.NoError(t, server.Reload())
	connect(t, bus.NATSOptions{URL: server.URL(), CA: authority.File, Credentials: set.Seed("operator-2")})
	require.EqualValues(t, 2, shown(t, o.Listen))
	require.True(t, b.Connected())
}

// A role that comes back to a broker with a certificate of another authority says so, and is back with its file.
func TestReconnectNeedsTheAuthority(t *testing.T) {
	t.Parallel()
	before, after := certtest.New(t), certtest.New(t)
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	trust := func(a *certtest.Authority) {
		doc, err := os.ReadFile(a.File)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(trusted, doc, 0o600))
	}
	trust(before)
	o := broker.Options{Dir: t.TempDir(), Listen: testport.Free(t), TLS: certified(t, before)}
	server := startBroker(t, o)
	var logged lines
	b, err := bus.Connect(t.Context(), bus.NATSOptions{
		URL: server.URL(), Run: "test", Create: true, CA: trusted, Limits: bustest.Limits(),
		Log: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	require.NoError(t, err)
	defer b.Close()
	server.Shutdown()
	o.TLS = certified(t, after)
	startBroker(t, o)
	complaint := "the authority in " + trusted + " did not sign"
	soon(t, "complaint", func() bool { return strings.Contains(logged.String(), complaint) })
	require.False(t, b.Connected())
	trust(after)
	soon(t, "connection", b.Connected)
}

// Brokers of a cluster show one another their certificates.
func TestThreeBrokersWithTLS(t *testing.T) {
	t.Parallel()
	authority := certtest.New(t)
	files := certified(t, authority)
	files.CA = authority.File
	c := newThree(t, "", files)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b, err := bus.Connect(ctx, bus.NATSOptions{
		URL: c.url(), Run: "test", Create: true, Replicas: 3, Limits: bustest.Limits(), Log: quiet,
	})
	require.NoError(t, err)
	defer b.Close()
	require.NoError(t, b.Publish(ctx, bus.Results, "m.a-0", nil))
}

// A leaf reaches its hub over TLS, and knows it by its authority.
func TestLeafWithTLS(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	authority := certtest.New(t)
	s.hub.Shutdown()
	s.hubOptions.TLS = certified(t, authority)
	startBroker(t, s.hubOptions)
	linked := func(ca string) func() bool {
		o := s.leafOptions()
		o.Leaf.Hub, o.Leaf.CA, o.Log = "tls://"+s.hubOptions.LeafListen, ca, quiet
		leaf, err := broker.Start(o)
		require.NoError(t, err)
		t.Cleanup(leaf.Shutdown)
		return func() bool { return leaf.Healthy() == nil }
	}
	stranger := linked(certtest.New(t).File)
	soon(t, "link", linked(authority.File))
	require.False(t, stranger())
}
