package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/internal/descriptors"
	"croupier/internal/httpserve"
	"croupier/serve"
)

// serveOptions are the flags of croupier serve.
type serveOptions struct {
	pageFlags
	rules       arenaOptions // of which: game, rules and run
	rate        float64
	connections int
	log         logFlags
}

func newServeCommand(p program) *cobra.Command {
	o := serveOptions{rules: arenaOptions{program: p}}
	cmd := &cobra.Command{
		Use:   "serve AGENT",
		Short: "Answer with an agent's decisions over HTTP",
		Long: `Serve answers questions of other programs with an agent's decisions: POST /api/decide takes
a position as croupier advise reads it, which holds what the player to move knows and
nothing else, and answers the action by number and name, the probabilities and what the
agent knows of values. POST /api/agent speaks the messages of "croupier help
guide/add-an-agent", so that another croupier plays with this agent as
http://HOST:PORT/api/agent. /openapi.json describes both, /healthz reports that the server answers,
and /metrics has its counters.

AGENT is any agent ("croupier help reference/agents"): main@12 of --run, file:PATH,
trained, solver:NAME, a bot, search:…. A network answers waiting questions in batches.
"croupier help guide/serve" describes answers, limits and speed.

An address beyond this machine needs TLS (--https-cert, --https-key) and a login
(--token-file or --users), or --insecure. Programs send the token as
"Authorization: Bearer TOKEN".`,
		Example: `  croupier serve trained --game leduc
  croupier serve main@12 --run runs/evening --listen 127.0.0.1:9000 --rate 100`,
		Args: cobra.ExactArgs(1),
	}
	o.pageFlags.add(cmd, "server", "")
	f := cmd.Flags()
	f.StringVar(&o.rules.game, "game", "", "the game (default: that of --run)")
	f.StringVar(&o.rules.rules, "rules", "",
		"YAML or JSON file with the game's rules (default: those of --run, else the game's)")
	f.StringVar(&o.rules.run, "run", "", "run directory with versions like main@12")
	f.Float64Var(&o.rate, "rate", 0, "questions a second from one address, beyond which they are refused; 0: no limit")
	f.IntVar(&o.connections, "connections", descriptors.Share(4, 1024), "open connections at most")
	o.log.add(f)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if !(o.rate >= 0) || o.connections < 1 {
			return usage("--rate must be at least 0 and --connections at least 1")
		}
		return o.serve(cmd, args[0], cmd.OutOrStdout())
	})
	return cmd
}

// server returns what answers for the agent until ctx ends.
func (o *serveOptions) server(ctx context.Context, name string) (*serve.Server, error) {
	config, err := o.rules.config(ctx)
	if err != nil {
		return nil, err
	}
	game, err := config.NewGame()
	if err != nil {
		return nil, usage("%w", err)
	}
	player, err := o.rules.agentsOf(game, o.rules.run).Player(ctx, name)
	if err != nil {
		return nil, err
	}
	return serve.New(ctx, game, player, o.rate), nil
}

// serve answers until the command's context ends.
func (o *serveOptions) serve(cmd *cobra.Command, name string, out io.Writer) error {
	log, err := o.log.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := o.check(out); err != nil {
		return err
	}
	server, err := o.server(cmd.Context(), name)
	if err != nil {
		return err
	}
	page, moved, err := o.open(cmd, out, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s answers at %s/api/decide", name, page.URL())
	if moved {
		fmt.Fprintf(out, " (%s is taken)", o.listen)
	}
	fmt.Fprintf(out, "\nTo other croupiers it is the agent %s/api/agent\n", page.URL())
	if o.token != "" && isTerminal(out) {
		fmt.Fprintf(out, "Token %s\n", o.token)
	}
	answers := server.Handler(page.Door, page.Unread)
	handler := httpserve.NewHosts(page.AllowedHosts, "--allow-host").WithAddresses().Check(answers)
	return httpserve.Serve(cmd.Context(), page.Listener, o.connections, page.TLS(), handler, log)
}
