package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealth(t *testing.T) {
	well := true
	role := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/healthz", r.URL.Path)
		if !well {
			http.Error(w, "the disk is full", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ok\n"))
	}))
	defer role.Close()
	address := strings.TrimPrefix(role.URL, "http://")
	require.Equal(t, "ok\n", succeed(t, "", "health", address))

	well = false
	said := refused(t, 1, "health", address)
	require.Contains(t, said, "503")
	require.Contains(t, said, "the disk is full")

	role.Close()
	require.Contains(t, refused(t, 1, "health", address), "connection refused")
	require.Contains(t, refused(t, 2, "health", "no address:at all"), "HOST:PORT")
	require.Contains(t, refused(t, 2, "health", role.URL), "is not HOST:PORT")
}
