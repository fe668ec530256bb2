package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// contentPolicy lets a page load its own files and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// secureHeaders sets what tells browsers to be strict with every answer.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

func allowedHosts(names []string) map[string]bool {
	hosts := map[string]bool{"localhost": true}
	for _, name := range names {
		hosts[canonicalHost(name)] = true
	}
	return hosts
}

// canonicalHost is the host in lower case, without brackets and final dot.
func canonicalHost(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// checkHost refuses requests under a name that is not ours. Otherwise a foreign page
// whose name resolves to this machine (DNS rebinding) could read everything.
func (s *shell) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r)
		if !s.hosts[host] && !isLoopback(host) {
			http.Error(w, fmt.Sprintf("This server does not answer to the host name %q. "+
				"If it should, start it with --allow-host %s.", host, host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf returns the request's host without the port.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return canonicalHost(host)
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
