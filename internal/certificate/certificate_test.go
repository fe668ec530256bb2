package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/certificate/certtest"
)

var quiet = slog.New(slog.DiscardHandler)

// serve greets everybody over TLS, and returns where.
func serve(t *testing.T, config *tls.Config) (address string) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			c.(*tls.Conn).Handshake()
			c.Close()
		}
	}()
	return listener.Addr().String()
}

// serial reports which certificate the server at an address has.
func serial(t *testing.T, address string) int64 {
	t.Helper()
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// errorHandler notes whether an error was logged.
type errorHandler struct {
	slog.Handler
	told *atomic.Bool
}

func (errorHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (h errorHandler) Handle(context.Context, slog.Record) error { h.told.Store(true); return nil }

// A certificate is read again when its files change, but not while they are wrong.
func TestFollow(t *testing.T) {
	authority := certtest.New(t)
	cert, key := authority.Issue(t, 1, time.Hour)
	var told atomic.Bool
	followed, err := Follow(cert, key, slog.New(errorHandler{slog.DiscardHandler, &told}))
	require.NoError(t, err)
	address := serve(t, followed.TLS())
	require.EqualValues(t, 1, serial(t, address))
	require.NoError(t, followed.Unread())
	authority.Issue(t, 2, time.Hour)
	require.Eventually(t, func() bool { return serial(t, address) == 2 }, time.Minute, 200*time.Millisecond)
	require.NoError(t, os.WriteFile(key, []byte("nonsense"), 0o600))
	require.Eventually(t, func() bool { return serial(t, address) == 2 && told.Load() }, time.Minute,
		100*time.Millisecond,
		"the wrong file is read, and changes nothing")
	require.EqualValues(t, 2, serial(t, address))
	require.ErrorContains(t, followed.Unread(), "certificate not read; the previous one stays valid: the certificate "+cert)
	_, err = Follow(cert, key, quiet)
	require.ErrorContains(t, err, "the certificate "+cert)
	authority.Issue(t, 3, time.Hour)
	require.Eventually(t, func() bool { return followed.Unread() == nil }, time.Minute, 100*time.Millisecond,
		"nobody has to connect for the files to be read again")
	require.EqualValues(t, 3, serial(t, address))
}

// The certificate is also what a server shows where it is the client of another one, as brokers of a cluster are.
func TestFollowAsAClient(t *testing.T) {
	cert, key := certtest.New(t).Issue(t, 7, time.Hour)
	followed, err := Follow(cert, key, quiet)
	require.NoError(t, err)
	config := followed.TLS()
	server := config.Clone()
	server.ClientAuth = tls.RequireAnyClientCert
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	shown := make(chan int64, 1)
	go func() {
		defer close(shown)
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		secure := tls.Server(c, server)
		if secure.Handshake() == nil {
			shown <- secure.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
		}
	}()
	client := config.Clone()
	client.InsecureSkipVerify = true
	c, err := tls.Dial("tcp", listener.Addr().String(), client)
	require.NoError(t, err)
	defer c.Close()
	require.EqualValues(t, 7, <-shown)
}

// Whatever file is named is read only as far as a certificate may go, and no pipe or device is waited for.
func TestFilesThatAreNoCertificates(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	sparse := file("sparse", "")
	require.NoError(t, os.Truncate(sparse, 10<<30))
	for _, path := range []string{sparse, dir, file("empty", ""), file("text", "hello\n"), filepath.Join(dir, "missing"),
		os.DevNull} {
		_, err := Authorities(path)
		require.ErrorContains(t, err, path)
		_, err = Pair(path, path)
		require.ErrorContains(t, err, path)
		_, err = Follow(path, path, quiet)
		require.ErrorContains(t, err, path)
	}
}

// An expired certificate is used, since only the clock may be wrong, and the log says so.
func TestExpiredCertificateIsReported(t *testing.T) {
	authority := certtest.New(t)
	var log bytes.Buffer
	said := slog.New(slog.NewTextHandler(&log, nil))
	cert, key := authority.Issue(t, 1, time.Hour)
	_, err := Follow(cert, key, said)
	require.NoError(t, err)
	require.NotContains(t, log.String(), "not valid now")
	cert, key = authority.Issue(t, 2, -time.Hour)
	_, err = Follow(cert, key, said)
	require.NoError(t, err)
	require.Contains(t, log.String(), "the certificate is not valid now")
	require.Contains(t, log.String(), cert)
}
