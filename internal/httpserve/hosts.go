package httpserve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Hosts are the names under which a server answers: localhost, addresses of loopback, and those that are added.
// Without them, a foreign page whose name is made to resolve to this machine (DNS rebinding) could read all that the
// server says.
type Hosts struct {
	names     map[string]bool
	flag      string // that adds a name, for the refusal
	addresses bool
	bare      bool
}

// NewHosts returns hosts with these names, without ports. A flag adds more.
func NewHosts(names []string, flag string) Hosts {
	h := Hosts{names: map[string]bool{"localhost": true}, flag: flag}
	for _, name := range names {
		h.names[canonical(name)] = true
	}
	return h
}

// WithAddresses adds all addresses of machines: an address cannot be made to resolve to another.
func (h Hosts) WithAddresses() Hosts {
	h.addresses = true
	return h
}

// WithBareNames adds all names without a dot: services of a private network are called so ("learner"), and no one
// can register one.
func (h Hosts) WithBareNames() Hosts {
	h.bare = true
	return h
}

// Check refuses requests under other names.
func (h Hosts) Check(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := Host(r); !h.contains(host) {
			http.Error(w, fmt.Sprintf("This server does not answer to the host name %.100q. "+
				"If it should, start it with %s %.100s.", host, h.flag, host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h Hosts) contains(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback() || h.names[host] || h.addresses && !address.IsUnspecified()
	}
	return h.names[host] || h.bare && host != "" && !strings.Contains(host, ".")
}

// Host returns the host that a request names: in lower case, without port, brackets and final dot.
func Host(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return canonical(host)
}

func canonical(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
