package broker

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"github.com/nats-io/nats-server/v2/server"

	"croupier/internal/certificate"
	"croupier/internal/reach"
)

// TLS names PEM files. Certificate and key are read again when they change. With a CA, clients must show a
// certificate that it signed.
type TLS struct {
	Cert, Key, CA string

	certificate *certificate.Certificate // follows the files; nil without TLS
}

// unread reports why the certificate, as it is now, does not count; nil while it does, and without TLS.
func (t *TLS) unread() error {
	if t.certificate == nil {
		return nil
	}
	return t.certificate.Unread()
}

// Cluster makes the broker one of several that replicate streams. The zero value
// is a broker on its own.
type Cluster struct {
	Name           string   // the same in all its brokers
	Listen         string   // HOST:PORT for the other brokers
	Routes         []string // nats://HOST:PORT of the others (itself may be among them)
	User, Password string   // what brokers give each other, the same in all

	// TLS is for the connections between the brokers alone, each of which shows its certificate to the other: one
	// that is a broker of the cluster may do everything. It may be left out on loopback only.
	TLS TLS
}

// prepare reads the certificate. It is done once for a broker, so that options made again for what changed elsewhere
// do not depend on files that are being replaced.
func (t *TLS) prepare(log *slog.Logger) (err error) {
	if *t == (TLS{}) {
		return nil
	}
	if t.Cert == "" || t.Key == "" {
		return errors.New("TLS: a broker needs a certificate and its key")
	}
	if t.certificate, err = certificate.Follow(t.Cert, t.Key, log); err != nil {
		return fmt.Errorf("TLS: %w", err)
	}
	return nil
}

// prepare reads the certificate that the brokers of a cluster show one another.
func (c *Cluster) prepare(log *slog.Logger) error {
	if c.TLS != (TLS{}) && (c.TLS.Cert == "" || c.TLS.Key == "" || c.TLS.CA == "") {
		return errors.New("cluster: the brokers need a certificate, its key and the authority that signed those of the others")
	}
	if err := c.TLS.prepare(log); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

func (t *TLS) apply(opts *server.Options) error {
	if t.certificate == nil {
		return nil
	}
	opts.TLSConfig = t.certificate.TLS()
	opts.TLS, opts.TLSVerify, opts.TLSTimeout = true, t.CA != "", tlsTimeout
	if t.CA == "" {
		return nil
	}
	opts.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
	roots, err := certificate.Authorities(t.CA)
	opts.TLSConfig.ClientCAs = roots
	return err
}

func (c *Cluster) apply(opts *server.Options, name string) (err error) {
	if c.Listen == "" {
		if c.Name != "" || len(c.Routes) > 0 {
			return errors.New("no address to listen on for the other brokers")
		}
		return nil
	}
	if c.Name == "" || name == "" {
		return errors.New("both the cluster and this broker need a name")
	}
	if (c.User == "") != (c.Password == "") {
		return errors.New("a user needs a password, and a password a user")
	}
	opts.Cluster.Name, opts.Cluster.Username, opts.Cluster.Password = c.Name, c.User, c.Password
	if opts.Cluster.Host, opts.Cluster.Port, err = splitAddress(c.Listen); err != nil {
		return fmt.Errorf("listen %s: %w", c.Listen, err)
	}
	if len(c.Routes) == 0 {
		return errors.New("no routes to the other brokers")
	}
	if err := c.checkOpen(c.Listen); err != nil {
		return err
	}
	for _, route := range c.Routes {
		u, err := url.Parse(route)
		if err != nil || u.Host == "" || u.User != nil {
			return fmt.Errorf("route %q is not like nats://HOST:PORT", hidden(route))
		}
		if err := c.checkOpen(u.Host); err != nil {
			return err
		}
		if c.User != "" {
			u.User = url.UserPassword(c.User, c.Password)
		}
		opts.Routes = append(opts.Routes, u)
	}
	return c.TLS.mutual(&opts.Cluster)
}

// checkOpen refuses an address beyond this machine where brokers do not show one another certificates.
func (c *Cluster) checkOpen(address string) error {
	if c.TLS != (TLS{}) || !beyond(address) {
		return nil
	}
	return fmt.Errorf("%s: a broker of the cluster may do everything, and a password could be read on the way: "+
		"beyond this machine brokers need certificates (--cluster-cert, --cluster-key and --cluster-ca)", address)
}

// mutual has both sides of a connection between brokers check the certificate of the other.
func (t *TLS) mutual(opts *server.ClusterOpts) error {
	if t.certificate == nil {
		return nil
	}
	roots, err := certificate.Authorities(t.CA)
	if err != nil {
		return err
	}
	config := t.certificate.TLS()
	config.ClientAuth, config.ClientCAs, config.RootCAs = tls.RequireAndVerifyClientCert, roots, roots
	opts.TLSConfig, opts.TLSTimeout = config, tlsTimeout
	return nil
}

// beyond reports whether an address, HOST:PORT, is one beyond this machine. What is no address has its own error.
func beyond(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "localhost" {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}

// hidden is a URL as it may be shown, however wrong it is: without what may be a user and a
// password.
func hidden(url string) string {
	if at := strings.LastIndex(url, "@"); at >= 0 {
		return "…@" + url[at+1:]
	}
	return url
}

// splitAddress returns host and port, with port 0 as the server's "any".
func splitAddress(address string) (host string, port int, err error) {
	if host, port, err = reach.Split(address); err == nil && port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, err
}
