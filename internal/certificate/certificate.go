// Package certificate reads the files of TLS: authorities, and certificates with their keys, which it follows, so that
// a server's is renewed without a restart.
package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"croupier/internal/input"
)

// lookAgain is how often the files of a certificate are looked at, when connections come.
const lookAgain = time.Second

// files are those of a certificate, with what was last in them.
type files struct {
	cert, key string // PEM files
	log       *slog.Logger

	mutex  sync.Mutex
	loaded *tls.Certificate
	read   [2]time.Time // when the files had changed
	looked time.Time
}

// Follow returns how to speak TLS with the certificate and the key of two PEM files. When they change, new
// connections get what is in them then; while they do not belong together, or cannot be read, what was there before.
// Where this side is the client of a connection, it shows the same certificate, if it is asked for one.
func Follow(cert, key string, log *slog.Logger) (*tls.Config, error) {
	c := &files{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	input.WarnOfReaders(log, key)
	return &tls.Config{
		MinVersion:           tls.VersionTLS12,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.get(), nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.get(), nil },
	}, nil
}

// load reads the files. The caller holds mutex, or nobody else knows the files yet.
func (c *files) load() error {
	c.looked, c.read = time.Now(), c.changed()
	loaded, err := Pair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.loaded = &loaded
	return nil
}

// maxPEM bounds a PEM file in bytes: those of the authorities of a whole system have some hundred thousand.
const maxPEM = 4 << 20

// Pair reads a certificate and its key from two PEM files.
func Pair(cert, key string) (tls.Certificate, error) {
	var pair tls.Certificate
	public, err := input.ReadText(cert, maxPEM)
	if err != nil {
		return pair, fmt.Errorf("the certificate: %w", err)
	}
	secret, err := input.ReadText(key, maxPEM)
	if err != nil {
		return pair, fmt.Errorf("the certificate's key: %w", err)
	}
	defer clear(secret)
	if pair, err = tls.X509KeyPair(public, secret); err != nil {
		return pair, fmt.Errorf("the certificate %s with the key %s: %w", cert, key, err)
	}
	return pair, nil
}

// Authorities reads who may sign certificates from a PEM file.
func Authorities(file string) (*x509.CertPool, error) {
	pem, err := input.ReadText(file, maxPEM)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: there is no certificate in it", file)
	}
	return roots, nil
}

// changed returns when the files have changed, zero times for those that are not there.
func (c *files) changed() (at [2]time.Time) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

// get returns the certificate, after a look at the files.
func (c *files) get() *tls.Certificate {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if time.Since(c.looked) >= lookAgain {
		c.looked = time.Now()
		if c.changed() != c.read {
			if err := c.load(); err != nil {
				c.log.Error("the certificate stays as it was", "error", err)
			} else {
				c.log.Info("certificate read again", "file", c.cert)
			}
		}
	}
	return c.loaded
}
