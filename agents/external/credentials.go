package external

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"croupier/internal/input"
)

// CredentialsVariable is the variable of the environment that names a file with the tokens of servers. Names of agents
// contain no secrets, since ladders, logs and archives contain the names.
const CredentialsVariable = "CROUPIER_CREDENTIALS"

// maxCredentials bounds the file, in bytes.
const maxCredentials = 1 << 20

// tokenFor returns the token for the server of a URL, "" if there is none. A token is sent to its own server only, and
// beyond this machine only if it cannot be read on the way.
func tokenFor(server string) (string, error) {
	path := os.Getenv(CredentialsVariable)
	if path == "" {
		return "", nil
	}
	doc, err := input.ReadText(path, maxCredentials)
	if err != nil {
		return "", fmt.Errorf("%s: %w", CredentialsVariable, err)
	}
	wanted, err := originOf(server)
	if err != nil {
		return "", err
	}
	for i, line := range strings.Split(string(doc), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		origin, err := originOf(fields[0])
		if err != nil || len(fields) != 2 { // a line may be a token and nothing else: it is not printed
			return "", fmt.Errorf("%s: line %d must look like https://HOST:PORT TOKEN", path, i+1)
		}
		if origin != wanted {
			continue
		}
		if !private(origin) {
			return "", fmt.Errorf("%s: line %d: the token would travel in the clear: use https", path, i+1)
		}
		return fields[1], nil
	}
	return "", nil
}

// origin is what a token belongs to.
type origin struct{ scheme, host, port string }

// originOf is the origin of a URL.
func originOf(text string) (origin, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != kindHTTP && u.Scheme != kindHTTPS || u.Hostname() == "" {
		return origin{}, errors.New("it is not the URL of a server")
	}
	o := origin{u.Scheme, strings.ToLower(u.Hostname()), u.Port()}
	if o.port == "" {
		o.port = map[string]string{kindHTTP: "80", kindHTTPS: "443"}[o.scheme]
	}
	return o, nil
}

// private reports whether no third party can read what is sent there.
func private(o origin) bool {
	address, err := netip.ParseAddr(o.host)
	return o.scheme == kindHTTPS || o.host == "localhost" || err == nil && address.IsLoopback()
}
