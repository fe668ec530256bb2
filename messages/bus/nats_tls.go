package bus

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"croupier/internal/certificate"
)

// secure has a connection trust the authority, and show the certificate. NATS reads the files again at every attempt to
// connect.
func (o *NATSOptions) secure(n *nats.Options) error {
	if o.CA == "" && o.Cert == "" {
		return nil
	}
	n.Secure, n.TLSConfig = true, &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		n.RootCAsCB = func() (*x509.CertPool, error) { return certificate.Authorities(o.CA) }
		if _, err := n.RootCAsCB(); err != nil {
			return fmt.Errorf("the broker's authority: %w", err)
		}
	}
	if o.Cert != "" {
		n.TLSCertCB = func() (tls.Certificate, error) { return certificate.Pair(o.Cert, o.Key) }
		if _, err := n.TLSCertCB(); err != nil {
			return err
		}
	}
	return nil
}

// remedy reports what to do about an error of TLS, "" about another error.
func (o *NATSOptions) remedy(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the broker has no TLS: its URL begins with nats://, and --tls-ca is left out"
	case errors.As(err, &unknown) && o.CA == "":
		return "--tls-ca FILE names the authority that signed the broker's certificate; " +
			"the operator of the broker has the file"
	case errors.As(err, &unknown):
		return "the authority in " + o.CA + " did not sign the broker's certificate: " +
			"--tls-ca must name the one that did; the operator of the broker has the file"
	case errors.As(err, &name):
		return "the URL of the broker must have a name or address that is in its certificate"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the broker must be renewed, unless the clock of this machine is wrong"
	}
	return ""
}

// unknown reports what to do about a broker that lets this client not in, "" about another error. NATS gives such an
// error no type while it connects.
func (o *NATSOptions) unknown(err error) string {
	switch {
	case !strings.Contains(strings.ToLower(err.Error()), nats.AUTHORIZATION_ERR):
		return ""
	case o.Credentials == "":
		return "the broker needs a key, or a user and a password in its URL: --creds FILE names the key, " +
			"which the operator of the broker makes"
	}
	return "the broker does not know the key in " + o.Credentials + ", or no longer: the operator of the broker makes another"
}

// Codes of errors of JetStream that have no names in its client.
const (
	resourceLimits      jetstream.ErrorCode = 10002 // the broker accepts nothing more for its disk
	insufficientStorage jetstream.ErrorCode = 10047 // its disk has no room for a stream
)

// full says what is wrong where a broker has no room for what it is to keep, "" of another error.
func full(err error) string {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == resourceLimits || api.ErrorCode == insufficientStorage) {
		return "the disk of the broker is full, or nearly; its log says how full"
	}
	return ""
}

// absent says what is wrong where no broker answers, "" of another error. NATS reports a refused connection as no
// servers.
func absent(err error) string {
	var network *net.OpError
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return "nothing listens there: the broker is not started, or has another address or port"
	case errors.As(err, &network) && network.Op == "read" && network.Timeout():
		return "what listens there does not greet as a broker does: is it the port of a page or of metrics?"
	}
	return ""
}

// explained adds to an error of TLS, of permission to connect, of a broker's full disk, or of an address without a
// broker, what to do about it.
func (o *NATSOptions) explained(err error) error {
	if what := cmp.Or(o.remedy(err), o.unknown(err), full(err), absent(err)); what != "" {
		return fmt.Errorf("%w (%s)", err, what)
	}
	return err
}

// tellAgain spaces the complaints of what keeps a role from reconnecting: a key that is gone, a certificate that it
// does not trust.
const tellAgain = 10 * time.Second

// reconnectDelay is how long to wait before the next attempt. NATS calls it where it reconnects, and does not report
// that a broker was there whose certificate is wrong. The broker's may be renewed, and the authority's file replaced.
func (b *natsBus) reconnectDelay(int) time.Duration {
	if b.conn != nil {
		if b.conn.Opts.Nkey != "" {
			b.renewKey()
		}
		if err := b.conn.LastError(); b.opts.remedy(err) != "" && time.Since(b.toldTLS) >= tellAgain {
			b.toldTLS = time.Now()
			err = b.opts.explained(err)
			b.log.Error("no secure connection to NATS; trying again", "url", b.opts.address(), "error", err)
		}
	}
	return reconnectWait + jitter(reconnectJitter)
}
