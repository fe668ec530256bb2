package httpserve

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHosts(t *testing.T) {
	strict := NewHosts([]string{"Croupier.Example", "10.0.0.9"}, "--allow-host")
	addresses := strict.WithAddresses()
	roles := addresses.WithBareNames()
	for host, answered := range map[string][3]bool{ // by strict, addresses, roles
		"localhost:1": {true, true, true}, "127.9.9.9": {true, true, true}, "[::1]:8": {true, true, true},
		"croupier.example.": {true, true, true}, "10.0.0.9:80": {true, true, true},
		"10.0.0.8": {false, true, true}, "[2001:db8::1]:8080": {false, true, true},
		"learner": {false, false, true}, "learner:9400": {false, false, true},
		"evil.example": {}, "127.0.0.1.evil.example:80": {}, "localhost.evil.example": {}, "0.0.0.0": {}, "[::]": {}, "": {},
		"10.0.0.8.": {false, true, true},
	} {
		for i, hosts := range []Hosts{strict, addresses, roles} {
			r := httptest.NewRequest("GET", "/", nil)
			r.Host = host
			w := httptest.NewRecorder()
			hosts.Check(http.HandlerFunc(hello)).ServeHTTP(w, r)
			require.Equal(t, answered[i], w.Code == http.StatusOK, "%q %d: %s", host, i, w.Body)
			if !answered[i] {
				require.Equal(t, http.StatusMisdirectedRequest, w.Code)
				require.Contains(t, w.Body.String(), "start it with --allow-host")
			}
		}
	}
}
