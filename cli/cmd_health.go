package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/internal/reach"
)

// healthTimeout is how long a process may take to answer.
const healthTimeout = 4 * time.Second

func newHealthCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "health [HOST:PORT]",
		Short: "Ask a process whether it is well",
		Long: `Health asks a process for its /healthz and prints the answer. If no address is named, it
asks ` + defaultListen + `, where train, web, play and serve listen unless --listen says
otherwise or another program has that port; then they say where. A role in a process of
its own (broker, learner, actor, league) answers at its --metrics, by default a free port
that its log names: name that address here. The exit status is 0 when the process is well
and 1 when it is not, or does not answer within 4 s: a check for containers and scripts
that need no other program for it.`,
		Example: `  croupier health
  croupier health 127.0.0.1:9402`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		address := defaultListen
		if len(args) > 0 {
			address = args[0]
		}
		return askHealth(cmd.Context(), address, cmd.OutOrStdout())
	})
	return cmd
}

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
