package httpserve

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only the names that were given pass, however the host of a request is written.
func FuzzHosts(f *testing.F) {
	for _, host := range []string{
		"localhost", "LOCALHOST.:8080", "127.0.0.1:8080", "[::1]", "[::1]:80", "::1", "example.com", "localhost.evil.com",
		"0.0.0.0", "[fe80::1%25eth0]:1",
		"", ":", "[", "127.1", "2130706433", "[::ffff:127.0.0.1]:1", "named", "[named]",
	} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host := Host(&http.Request{Host: text})
		hosts := NewHosts([]string{"Named"}, "--allow-host")
		if !hosts.contains(host) {
			return
		}
		require.True(t, host == "localhost" || host == "named" || isLoopback(host), host)
	})
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
