package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"croupier/cluster"
)

func newContributeCommand() *cobra.Command {
	c := cluster.Contributor{}
	c.Metrics.Address = "off"
	var log logFlags
	cmd := &cobra.Command{
		Use:   "contribute URL",
		Short: "Lend this machine to somebody's run",
		Long: `Contribute plays training games for a run whose operator gave you a key. It takes the
run's settings and the weights of its networks, whose SHA-256 it checks, sends the games that it
plays, and keeps nothing on this machine. It plays no arena matches. Ctrl-C ends it at any time
without losing a game.

The run plays a random share of the games again. Whoever invents games is found out and set
aside; docs/trust.md says what a contributor can do and what not.`,
		Example: "  croupier contribute nats://broker:4222 --key anna.seed --name \"Anna's laptop\" --cores 2",
		Args:    cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&c.Broker.Credentials, "key", "", "file with the contributor's key, from the run's operator")
	f.StringVar(&c.Dir, "run", "", "name of the run (default: that of the key)")
	f.StringVar(&c.Name, "name", "", "what the Cluster page calls this machine, beside the name of its key")
	f.IntVar(&c.Workers, "cores", max(1, runtime.GOMAXPROCS(0)-1), "cores that play")
	f.StringVar(&c.Broker.CA, "tls-ca", "", "PEM file with the authority that signed the broker's certificate")
	log.add(f)
	must(cmd.MarkFlagRequired("key"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) (err error) {
		if c.Workers < 1 {
			return usage("--cores %d: at least one is needed", c.Workers)
		}
		c.Broker.URL = args[0]
		if c.Log, err = log.logger(cmd.ErrOrStderr()); err != nil {
			return err
		}
		return c.Serve(cmd.Context())
	})
	return cmd
}
