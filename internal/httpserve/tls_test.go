package httpserve

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/certificate"
	"croupier/internal/certificate/certtest"
)

// Connections are limited with TLS as without, those that never shake hands too.
func TestServeTLS(t *testing.T) {
	cert, key := certtest.New(t).Issue(t, 1, time.Hour)
	followed, err := certificate.Follow(cert, key, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, listener, 3, followed.TLS(), http.HandlerFunc(hello), slog.New(slog.DiscardHandler))
	}()
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
		require.Equal(t, "max-age=31536000", response.Header.Get("Strict-Transport-Security"))
	}
	cancel()
	require.NoError(t, <-done)
}
