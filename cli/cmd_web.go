package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
)

// webOptions are the flags of croupier web.
type webOptions struct {
	hubFlags
	role  roleFlags
	train bool
}

func newWebCommand(p program) *cobra.Command {
	o := webOptions{hubFlags: hubFlags{program: p}, role: roleFlags{program: p}}
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Show runs in the browser; play and ask for advice there",
		Long: `Web serves a page of all runs below a directory: their curves, ladders, populations and
settings, compared with one another, and pages to play and to ask for advice. Runs that
are training on this machine are shown live, others from their directories; no broker is
needed. The best version of a run can be downloaded. Deleting a run on the page is the
only thing that it changes, and only possible while nobody but this machine can open it.

With --train, people also begin, stop and resume trainings on the page, one at a time,
each in a process of its own. A training continues when the page is closed in the browser;
when this command ends, it ends as well, with everything saved. --train needs an address
of this machine, and a login if --allow-host names others.

With --nats it connects to a run's broker and serves that run, as a role of a cluster.

An address beyond this machine needs TLS (--https-cert, --https-key) and a login
(--token-file, or --users with lines that croupier web passwd writes), or --insecure;
with TLS and a terminal, a token is made and printed with the page's address. Names
under which the page is opened there, other than addresses, are given by --allow-host.`,
		Example: `  croupier web
  croupier web --runs elsewhere --listen 127.0.0.1:8081
  croupier web --train
  croupier web --nats nats://broker:4222 --run runs/evening`,
		Args: cobra.NoArgs,
	}
	o.hubFlags.add(cmd)
	o.role.add(cmd)
	cmd.Flags().BoolVar(&o.train, "train", false, "begin, stop and resume trainings on the page, on this machine")
	group(cmd.Flags(), pageGroup, "train")
	cmd.AddCommand(newPasswdCommand())
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if err := o.checkTrain(); err != nil {
			return err
		}
		if o.role.broker.URL != "" {
			return o.serveRun(cmd)
		}
		if err := o.role.broker.check(); err != nil {
			return err
		}
		if o.role.run != "" || cmd.Flags().Changed("metrics") {
			return usage("--run and --metrics are for the broker of --nats; without it, all runs below --runs are shown")
		}
		log, err := o.role.log.logger(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return o.serveHub(cmd.Context(), cmd, "/", log, cmd.OutOrStdout())
	})
	return cmd
}

// checkTrain refuses to let others train on this machine.
func (o *webOptions) checkTrain() error {
	if !o.train {
		return nil
	}
	if o.role.broker.URL != "" {
		return usage("--train is for the page of all runs; with --nats, a run of a broker is shown")
	}
	open, err := o.beyond()
	switch {
	case err != nil:
		return err
	case open:
		return usage("--train: --listen %s opens the page to other machines, and trainings are begun on this one alone",
			o.listen)
	case len(o.hosts) > 0 && !o.guarded():
		return usage("--train: --allow-host has others open the page: add --token-file or --users for a login")
	}
	o.trains = again()
	if o.trains == nil {
		return errors.New("--train: the file of this program cannot be found")
	}
	return nil
}

// again returns what makes commands of this program, nil where its file cannot be found.
func again() func(args ...string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return func(args ...string) *exec.Cmd { return exec.Command(program, args...) }
}

// serveRun shows the run of a broker.
func (o *webOptions) serveRun(cmd *cobra.Command) error {
	if o.role.run == "" {
		return usage("name the run on the broker with --run")
	}
	p, err := o.role.process(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	page, moved, err := o.open(cmd, cmd.OutOrStdout(), p.Log)
	if err != nil {
		return err
	}
	defer page.Listener.Close()
	if o.token != "" && isTerminal(cmd.OutOrStdout()) {
		fmt.Fprintf(cmd.OutOrStdout(), "Web page       %s\n", o.address(page, "/", cmd.OutOrStdout()))
	}
	if moved {
		p.Log.Warn("the default port is taken, using another", "taken", o.listen)
	}
	return p.ServeWeb(cmd.Context(), page)
}
