package cli

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/cluster"
)

// brokerFlags say how a role reaches the broker.
type brokerFlags struct{ cluster.Broker }

// add adds the flags of roles that create streams there, or find them.
func (n *brokerFlags) add(f *pflag.FlagSet) {
	n.addReach(f)
	f.IntVar(&n.Replicas, "replicas", 0, "number of brokers that keep each stream, 1 or 3 (0: as it is, or 1)")
	group(f, networkFlags, "replicas")
}

// addReach adds the flags by which the broker is reached.
func (n *brokerFlags) addReach(f *pflag.FlagSet) {
	f.StringVar(&n.URL, "nats", "", "URL of the broker, nats://[USER:PASSWORD@]HOST:PORT; several are separated by commas")
	f.StringVar(&n.Credentials, "creds", "", "file with the credential for the broker: a .creds file or an nkey seed")
	f.StringVar(&n.CA, "tls-ca", "", "PEM file with the authority that signed the broker's certificate")
	f.StringVar(&n.Cert, "tls-cert", "", "PEM file with this client's certificate")
	f.StringVar(&n.Key, "tls-key", "", "PEM file with the key of --tls-cert")
	group(f, networkFlags, "nats", "creds", "tls-ca", "tls-cert", "tls-key")
}

// check refuses flags about a connection when there is none.
func (n *brokerFlags) check() error {
	if n.URL == "" && *n != (brokerFlags{}) {
		return usage("--creds, --replicas and --tls-... are for the broker of --nats, which is not given")
	}
	return nil
}

// roleFlags are the flags that every role in a process of its own has.
type roleFlags struct {
	program
	run     string
	metrics cluster.Port
	broker  brokerFlags
	log     logFlags
}

// newRoleCommand returns a command for one role in a process of its own.
func newRoleCommand(o *roleFlags, use, short, long string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long}
	o.add(cmd)
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("nats"))
	return cmd
}

func (o *roleFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run directory; its last element names the run on the broker")
	addPort(f, &o.metrics)
	o.broker.add(f)
	o.log.add(f)
}

// addPort adds the flags of the port that a role in a process of its own has.
func addPort(f *pflag.FlagSet, p *cluster.Port) {
	f.StringVar(&p.Address, "metrics", "127.0.0.1:0", "address for /metrics and /healthz; \"off\" for none")
	f.StringSliceVar(&p.Hosts, "metrics-host", nil,
		"further host names that requests for them may use, in addition to addresses and names without a dot")
}

// process returns the process that the flags describe.
func (o *roleFlags) process(errOut io.Writer) (cluster.Process, error) {
	log, err := o.log.logger(errOut)
	return cluster.Process{Catalog: o.catalog, Dir: o.run, Metrics: o.metrics, Broker: o.broker.Broker, Log: log}, err
}

// must panics: an error here is a mistake in the program itself.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
