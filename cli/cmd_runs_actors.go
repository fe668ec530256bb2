package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/texttable"
	"croupier/internal/visible"
	"croupier/messages/conduct"
)

func newRunsActorsCommand(p program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "actors",
		Short: "List the actors of a run and the outcome of their games",
		Long: `Actors lists the actors that have played training games for a run, by the names of their
keys, with the outcome of their games. An actor is quarantined if too many of its games are refused:
its games are ignored until the quarantine is lifted.`,
		Example: `  croupier runs actors list --run runs/evening
  croupier runs actors lift anna --run runs/evening`,
		Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRunsActorsListCommand(p), newRunsActorsLiftCommand(p))
	return cmd
}

// visitFlags say which run is meant, and how its broker is reached.
type visitFlags struct {
	program
	run    string
	broker brokerFlags
}

func (o *visitFlags) command(use, short, long string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long}
	cmd.Flags().StringVar(&o.run, "run", "", "run directory, or with --nats the name of the run")
	o.broker.addReach(cmd.Flags())
	return cmd
}

// unreached returns what reaches the run, but for where its directory says that the broker is.
func (o *visitFlags) unreached() cluster.Process {
	return cluster.Process{Catalog: o.catalog, Dir: o.run, Broker: o.broker.Broker, Log: slog.New(slog.DiscardHandler)}
}

// process returns what reaches the run: by --nats, or else as the run directory says.
func (o *visitFlags) process() (cluster.Process, error) {
	p := o.unreached()
	if err := o.broker.check(); err != nil {
		return p, err
	}
	if p.Broker.URL == "" {
		return p.Reach()
	}
	return p, nil
}

func newRunsActorsListCommand(p program) *cobra.Command {
	o := &visitFlags{program: p}
	var asJSON bool
	cmd := o.command("list", "List the actors of a run",
		`List names the actors that have played training games for the run, by the names of their keys: how many
games the learner received in time, how many came too late, were refused or were lost on the
way, who is there, and who is quarantined, with the reason.`)
	must(cmd.MarkFlagRequired("run"))
	cmd.Example = "  croupier runs actors list --run runs/evening"
	cmd.Args = cobra.NoArgs
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		p, err := o.process()
		if err != nil {
			return err
		}
		list, err := p.Actors(cmd.Context())
		if err != nil {
			return err
		}
		return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
			if asJSON {
				return json.NewEncoder(w).Encode(list)
			}
			return printActors(w, list)
		})
	})
	return cmd
}

func printActors(w io.Writer, list []conduct.Contribution) error {
	table := texttable.New(2, 3, 4, 5)
	table.AppendHeader([]any{"actor", "name", "received", "stale", "refused", "lost", "state"})
	for _, c := range list {
		state := "gone"
		switch {
		case c.Quarantine != nil:
			state = fmt.Sprintf("quarantined by the %s after %d offences: %s", c.Quarantine.By, c.Quarantine.Offences,
				c.Quarantine.Detail)
		case c.Present:
			state = "present"
		}
		table.AppendRow([]any{c.Actor, visible.Text(c.Name), c.Consumed, c.Stale, c.Refused, c.Lost, visible.Text(state)})
	}
	_, err := fmt.Fprintln(w, table.Render())
	return err
}

func newRunsActorsLiftCommand(p program) *cobra.Command {
	o := &visitFlags{program: p}
	cmd := o.command("lift ACTOR", "Lift the quarantine of an actor",
		`Lift ends the quarantine of an actor: its games are read from now on. An actor that is still
running need not be started again. A contributor ends when it is quarantined: start it again.`)
	must(cmd.MarkFlagRequired("run"))
	cmd.Example = "  croupier runs actors lift anna --run runs/evening"
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		p, err := o.process()
		if err != nil {
			return err
		}
		if err := p.Lift(cmd.Context(), args[0]); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is no longer quarantined\n", args[0])
		return err
	})
	return cmd
}
