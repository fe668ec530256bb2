package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/plural"
	"croupier/internal/texttable"
	"croupier/internal/visible"
	"croupier/league/rating"
	"croupier/messages"
)

func newStatusCommand(p program) *cobra.Command {
	o := &visitFlags{program: p}
	var asJSON bool
	var process string
	cmd := o.command("status", "Report the state of a run, or the health of a process",
		`Status reports the state of a run: its newest weights and its best version, the outcome of the
training games, the processes with their last reports, the holders of the roles that exist once, the
actors that play or are quarantined, and the problems that keep the run from its work. If the run is
running, status asks its broker, which the run directory or --nats names. Otherwise it reads the directory.

With --process it checks the health of one process instead, by its /healthz, which train, web,
play and serve have at their --listen (`+defaultListen+`, or where they say that they are), and
a role in a process of its own (broker, learner, actor, league) at its --metrics, by default a free
port that its log names. A page with a certificate is https://HOST:PORT; on a loopback address its
certificate is not checked, as it is for another name. The exit status is 0 if the process is
healthy, and 1 if it is not or does not answer within 4 s. Containers and scripts need no other
program for this check.

Of the games that were produced each is checkpointed, in flight (received, and in no checkpoint
yet), stale, refused or lost, and the numbers add up.`)
	cmd.Example = `  croupier status --run runs/evening
  croupier status --run evening --nats nats://10.0.0.1:4222 --json
  croupier status --process 127.0.0.1:9402`
	cmd.Args = cobra.NoArgs
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&process, "process", "", "HOST:PORT or https://HOST:PORT of a process whose health is checked, instead of a run")
	cmd.MarkFlagsOneRequired("run", "process")
	for _, ofRun := range []string{"run", "nats", "json"} {
		cmd.MarkFlagsMutuallyExclusive("process", ofRun)
	}
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("process") {
			return askHealth(cmd.Context(), process, cmd.OutOrStdout())
		}
		if err := o.broker.check(); err != nil {
			return err
		}
		overview, err := o.unreached().Overview(cmd.Context())
		if err != nil {
			return err
		}
		return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
			if asJSON {
				encoder := json.NewEncoder(w)
				encoder.SetIndent("", "  ")
				return encoder.Encode(overview)
			}
			return printOverview(w, overview)
		})
	})
	return cmd
}

func printOverview(w io.Writer, o *cluster.Overview) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s, %s", o.Run, o.Game, o.State)
	if o.Source == cluster.FromDirectory {
		text.WriteString("; what follows is in the directory")
	}
	fmt.Fprintf(&text, "\nversion %d after %s on %s in %v of training; %d frozen",
		o.Version, plural.Of(o.Updates, "update"), plural.Of(o.Samples, "decision"),
		time.Duration(o.Seconds*float64(time.Second)).Round(time.Second), o.Members)
	if o.Best != "" {
		fmt.Fprintf(&text, ", best %s", o.Best)
	}
	if o.HeldBack != nil {
		fmt.Fprintf(&text, "\n%s", o.HeldBack)
	}
	if o.NoExploitability != "" {
		fmt.Fprintf(&text, "\nthere is no curve of exploitability: %s", visible.Text(o.NoExploitability))
	}
	l := o.Ledger
	games := texttable.New(1, 2, 3, 4, 5, 6, 7, 8)
	games.AppendHeader([]any{"produced", "received", "trained", "checkpointed", "in flight", "stale", "refused", "lost"})
	games.AppendRow([]any{l.Produced, l.Received, l.Trained, l.Checkpointed, l.InFlight, l.Stale, l.Refused, l.Lost})
	fmt.Fprintf(&text, "\n\nTraining games\n%s\n", games.Render())
	if tables := rating.TablesText(&messages.Ladder{Tables: o.Tables}, 0); tables != "" {
		fmt.Fprintf(&text, "\nAt other tables, alone among copies of the strongest bot\n%s", tables)
	}
	if len(o.Roles) > 0 {
		roles := texttable.New(3)
		roles.AppendHeader([]any{"role", "id", "up", "state", "metrics"})
		for _, r := range o.Roles {
			roles.AppendRow([]any{r.Role, r.ID, time.Since(r.Started).Round(time.Second), visible.Text(r.State), r.Metrics})
		}
		fmt.Fprintf(&text, "\nRoles\n%s\n", roles.Render())
	}
	for _, l := range o.Leases {
		fmt.Fprintf(&text, "The %s is %s.\n", l.Role, visible.Text(l.Holder.String()))
	}
	if len(o.Actors) > 0 {
		text.WriteString("\nActors\n")
		if err := printActors(&text, o.Actors); err != nil {
			return err
		}
	}
	for _, p := range o.Problems {
		fmt.Fprintf(&text, "\nproblem: %s", visible.Text(p))
	}
	_, err := fmt.Fprintln(w, strings.TrimSuffix(text.String(), "\n"))
	return err
}
