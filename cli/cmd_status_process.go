package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"croupier/internal/reach"
)

// healthTimeout is how long a process may take to answer.
const healthTimeout = 4 * time.Second

// askHealth prints what the process at the address says of its health, which is an error when it is not well. Its
// certificate is that of its public name, so it is not checked on this machine's own addresses.
func askHealth(ctx context.Context, address string, out io.Writer) error {
	host, secure := strings.CutPrefix(address, "https://")
	url := "http://" + host
	if secure {
		url = address
	}
	elsewhere, err := beyond("--process", host)
	if err != nil || strings.ContainsAny(host, "/?#@") {
		return usage("%q is not HOST:PORT or https://HOST:PORT", address)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		return usage("%q is not HOST:PORT: %w", address, err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: !elsewhere}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", address, reach.Explain(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	said := strings.TrimSpace(string(text))
	if !secure && answer.StatusCode == http.StatusBadRequest && strings.Contains(said, "HTTPS server") {
		return fmt.Errorf("%s uses TLS: ask https://%s", address, address)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", address, answer.Status, said)
	}
	_, err = fmt.Fprintln(out, said)
	return err
}
