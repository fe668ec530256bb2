// Package certtest makes certificates for tests.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Authority signs certificates.
type Authority struct {
	Dir  string // of the files
	File string // PEM file with its own certificate
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New makes an authority that keeps its files in a folder of its own.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{Dir: t.TempDir(), key: newKey(t), cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	a.File = a.write(t, "ca.pem", "CERTIFICATE", a.sign(t, a.cert, a.key))
	return a
}

// Issue writes a certificate for 127.0.0.1 and other addresses with a serial number, valid for so long, and its key,
// over those that it issued before.
func (a *Authority) Issue(t testing.TB, serial int64, valid time.Duration, others ...net.IP) (cert, key string) {
	t.Helper()
	own := newKey(t)
	der := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(valid),
		IPAddresses: append([]net.IP{net.IPv4(127, 0, 0, 1)}, others...), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, own)
	secret, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(t, err)
	cert, key = a.write(t, "cert.pem", "CERTIFICATE", der), a.write(t, "key.pem", "PRIVATE KEY", secret)
	for _, path := range []string{cert, key} { // two within one tick of the file system's clock differ all the same
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(serial)*time.Second)))
	}
	return cert, key
}

// sign returns the certificate for the owner of a key.
func (a *Authority) sign(t testing.TB, c *x509.Certificate, owner *ecdsa.PrivateKey) (der []byte) {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &owner.PublicKey, a.key)
	require.NoError(t, err)
	return der
}

func (a *Authority) write(t testing.TB, name, kind string, der []byte) (path string) {
	t.Helper()
	path = filepath.Join(a.Dir, name)
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return path
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}
