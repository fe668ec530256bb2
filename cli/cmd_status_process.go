package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"croupier/internal/reach"
)

// healthTimeout is how long a process may take to answer.
const healthTimeout = 4 * time.Second

// askHealth prints what the process at the address says of its health, which is an error when it is not well.
func askHealth(ctx context.Context, address string, out io.Writer) error {
	if strings.Contains(address, "/") {
		return usage("%q is not HOST:PORT", address)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return usage("%q is not HOST:PORT: %w", address, err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", address, reach.Explain(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	said := strings.TrimSpace(string(text))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", address, answer.Status, said)
	}
	_, err = fmt.Fprintln(out, said)
	return err
}
