package httpserve

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// lookAgain is how often the files of a certificate are looked at, when connections come.
const lookAgain = time.Second

// certificate is one of two files, and follows their changes.
type certificate struct {
	cert, key string // PEM files
	log       *slog.Logger

	mutex  sync.Mutex
	loaded *tls.Certificate
	read   [2]time.Time // when the files had changed
	looked time.Time
}

// Certificate returns how to speak TLS with the certificate and the key of two PEM files. When they change, new
// connections get what is in them then; while they do not belong together, or cannot be read, what was there before.
func Certificate(cert, key string, log *slog.Logger) (*tls.Config, error) {
	c := &certificate{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

// load reads the files. The caller holds mutex, or nobody else knows the certificate yet.
func (c *certificate) load() error {
	c.looked, c.read = time.Now(), c.changed()
	loaded, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("the certificate %s with the key %s: %w", c.cert, c.key, err)
	}
	c.loaded = &loaded
	return nil
}

// changed returns when the files have changed, zero times for those that are not there.
func (c *certificate) changed() (at [2]time.Time) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
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
	return c.loaded, nil
}
