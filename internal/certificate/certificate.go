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

// Certificate is that of two PEM files, which are followed. It may be shared by goroutines.
type Certificate struct {
	cert, key string // PEM files
	log       *slog.Logger

	mutex  sync.Mutex
	loaded *tls.Certificate
	read   [2]time.Time // when the files had changed
	looked time.Time
	unread error // why the files, as they are now, do not count
}

// Follow reads a certificate and its key. When their files change, new connections get what is in them then; while they
// do not belong together, or cannot be read, what was there before ([Certificate.Unread]).
func Follow(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	input.WarnOfReaders(log, key)
	return c, nil
}

// TLS returns how to speak TLS with the certificate. Where this side is the client of a connection, it shows the same
// certificate, if it is asked for one.
func (c *Certificate) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:           tls.VersionTLS12,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.get(), nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.get(), nil },
	}
}

// Unread reports why the files, as they are now, do not count; nil while they do.
func (c *Certificate) Unread() error {
	c.get()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.unread == nil {
		return nil
	}
	return fmt.Errorf("certificate not read; the previous one stays valid: %w", c.unread)
}

// load reads the files. The caller holds mutex, or no other goroutine knows the files yet.
func (c *Certificate) load() error {
	c.looked, c.read = time.Now(), c.changed()
	loaded, err := Pair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.loaded = &loaded
	if now, of := time.Now(), loaded.Leaf; of != nil && (now.Before(of.NotBefore) || now.After(of.NotAfter)) {
		c.log.Warn("the certificate is not valid now, and is refused by the other side: renew it, unless the clock of this "+
			"machine is wrong", "file", c.cert, "not_before", of.NotBefore, "not_after", of.NotAfter)
	}
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
func (c *Certificate) changed() (at [2]time.Time) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

// get returns the certificate, after a look at the files.
func (c *Certificate) get() *tls.Certificate {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if time.Since(c.looked) >= lookAgain {
		c.looked = time.Now()
		// What could not be read may be readable now, though it has not changed.
		if c.unread != nil || c.changed() != c.read {
			c.note(c.load())
		}
	}
	return c.loaded
}

// note logs what has come of reading the files again, unless that was said before. The caller holds mutex.
func (c *Certificate) note(err error) {
	switch {
	case err == nil:
		c.log.Info("certificate read again", "file", c.cert)
	case c.unread == nil || c.unread.Error() != err.Error():
		c.log.Error("certificate not read; the previous one stays valid", "error", err)
	}
	c.unread = err
}
