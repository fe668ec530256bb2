package broker

import (
	"crypto/tls"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/internal/certificate/certtest"
)

// Programs of this machine need a key, but no certificate; all others need both. A client that reads nothing does
// not keep a program from ending.
func TestLocal(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cert, key := certtest.New(t).Issue(t, 1, time.Hour)
	public, seed, err := NewUser()
	require.NoError(t, err)
	pair, err := nkeys.FromSeed(seed)
	require.NoError(t, err)
	b := start(t, Options{Listen: "127.0.0.1:0", NKeys: []string{public}, TLS: TLS{Cert: cert, Key: key}, Local: true})
	own := nats.Nkey(public, pair.Sign)
	require.NotEqual(t, b.URL(), b.LocalURL())

	_, err = nats.Connect(b.LocalURL())
	require.ErrorIs(t, err, nats.ErrAuthorization)
	_, err = nats.Connect(b.URL(), own)
	require.ErrorIs(t, err, nats.ErrTLS)
	there, err := nats.Connect(b.URL(), own, nats.Secure(&tls.Config{InsecureSkipVerify: true}))
	require.NoError(t, err)
	defer there.Close()
	here, err := nats.Connect(b.LocalURL(), own)
	require.NoError(t, err)
	got, err := here.SubscribeSync("news")
	require.NoError(t, err)
	require.NoError(t, here.Flush())
	big := make([]byte, 500<<10)
	require.NoError(t, there.Publish("news", big))
	msg, err := got.NextMsg(10 * time.Second)
	require.NoError(t, err)
	require.Equal(t, big, msg.Data)
	here.Close()
	require.Eventually(t, func() bool { return b.server.NumClients() == 1 }, time.Minute, 10*time.Millisecond)

	deaf, err := net.Dial("tcp", strings.TrimPrefix(b.LocalURL(), "nats://"))
	require.NoError(t, err)
	defer deaf.Close()
	there.Close()
	b.Shutdown()
	_, err = net.Dial("tcp", strings.TrimPrefix(b.LocalURL(), "nats://"))
	require.Error(t, err)
}

// What is not encrypted is refused where TLS is spoken, before anything of it is read.
func TestPlaintextIsRefused(t *testing.T) {
	cert, key := certtest.New(t).Issue(t, 1, time.Hour)
	b := start(t, Options{Listen: "127.0.0.1:0", TLS: TLS{Cert: cert, Key: key}})
	c, err := net.Dial("tcp", strings.TrimPrefix(b.URL(), "tls://"))
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte("CONNECT {\"verbose\":false}\r\nPING\r\n"))
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	var all strings.Builder
	buffer := make([]byte, 4<<10)
	for err == nil {
		var n int
		n, err = c.Read(buffer)
		all.Write(buffer[:n])
	}
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the broker has closed the connection")
	require.Contains(t, all.String(), "INFO")
	require.NotContains(t, all.String(), "PONG")
	require.Zero(t, b.server.NumClients())
}
