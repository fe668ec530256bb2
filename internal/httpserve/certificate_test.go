package httpserve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// certify writes a certificate for 127.0.0.1 with a serial number, and its key.
func certify(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(serial)*time.Second)))
	}
	return cert, key
}

// serial says which certificate the server at an address has.
func serial(t *testing.T, address string) int64 {
	t.Helper()
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// A certificate is read again when its files change, but not while they are wrong. Connections are limited with
// TLS as without, those that never shake hands too.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := certify(t, dir, 1)
	config, err := Certificate(cert, key, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, listener, 3, config, http.HandlerFunc(hello), slog.New(slog.DiscardHandler))
	}()
	require.EqualValues(t, 1, serial(t, address))
	for range 10 {
		dial(t, address)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}
	for range 10 { // connections that have ended make room
		response, err := client.Get("https://" + address)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, 1, response.ProtoMajor)
	}
	certify(t, dir, 2)
	require.Eventually(t, func() bool { return serial(t, address) == 2 }, 20*time.Second, 200*time.Millisecond)
	require.NoError(t, os.WriteFile(key, []byte("nonsense"), 0o600))
	time.Sleep(lookAgain + 100*time.Millisecond)
	require.EqualValues(t, 2, serial(t, address))
	cancel()
	require.NoError(t, <-done)
	_, err = Certificate(cert, key, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "the certificate "+cert)
}
