package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/cluster"
	"croupier/internal/input"
)

// brokerOptions are the flags of croupier broker.
type brokerOptions struct {
	dir, run  string
	lazySync  bool
	password  string // file
	cluster   string // file with the password between brokers
	metrics   cluster.Port
	maxMemory int64 // MiB
	maxStore  int64 // MiB
	minFree   int64 // MiB
	cache     int64 // MiB
	broker    cluster.BrokerOptions
	log       logFlags
}

func newBrokerCommand() *cobra.Command {
	o := &brokerOptions{}
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Run the message broker as a process of its own",
		Long: `Broker runs the NATS server through which the roles of a run talk to each other.
One broker can serve many runs. Three of them, each with --name, --cluster,
--cluster-listen and --routes, keep copies of the streams on three machines if the roles have
--replicas 3, so that any one of them can fail. A broker of the cluster may do
everything, so beyond one machine brokers need --cluster-cert, --cluster-key and --cluster-ca
and check one another's certificates.

With --leaf-of it is a leaf: it keeps nothing, and runs next to many actors that are far from
the broker, its hub (which has --leaf-listen). The actors connect to the leaf with their own
keys; new weights cross the link to the hub once for all of them. A leaf has a key of its own
(croupier broker credentials add --leaf) and lets actors and contributors in, no other role.

Results, weights and states are on disk before they are acknowledged, unless
--lazy-sync is given. An address beyond this machine needs credentials or --insecure: best
a credential set (croupier broker credentials create), which gives each role a key of its own; it is
read again when it changes and at SIGHUP. A client with the --user or an --nkey may do everything.
SIGINT and SIGTERM stop the broker cleanly, and so does SIGHUP without credentials.`,
		Example: `  croupier broker --dir /var/lib/croupier --listen 0.0.0.0:4222 --credentials credentials/broker.yaml
  croupier broker --run runs/evening --user croupier --password-file password
  croupier broker --dir broker --leaf-listen 0.0.0.0:7422 --credentials broker.yaml --tls-cert broker.pem --tls-key broker.key
  croupier broker --leaf-of tls://hub:7422 --leaf-ca broker.pem --leaf-key there.seed --credentials broker.yaml`,
		Args: cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			return o.serve(cmd.Context(), cmd.ErrOrStderr())
		}),
	}
	cmd.AddCommand(newBrokerCredentialsCommand())
	o.add(cmd.Flags())
	cmd.MarkFlagsOneRequired("dir", "run", "leaf-of")
	cmd.MarkFlagsMutuallyExclusive("dir", "run", "leaf-of")
	return cmd
}

func (o *brokerOptions) add(f *pflag.FlagSet) {
	b := &o.broker
	f.StringVar(&o.dir, "dir", "", "directory for the broker's store")
	f.StringVar(&o.run, "run", "", "run directory; the store is its folder nats")
	f.StringVar(&b.Listen, "listen", "127.0.0.1:4222", "address where roles connect")
	f.StringVar(&b.Name, "name", "", "name of this broker, unique in its cluster")
	f.BoolVar(&o.lazySync, "lazy-sync", false, "sync files every two minutes instead of before each acknowledgement")
	f.Int64Var(&o.maxMemory, "max-memory", 1024, "limit on streams in memory, in MiB")
	f.Int64Var(&o.maxStore, "max-store", 65536, "limit on streams on disk, in MiB")
	f.Int64Var(&o.minFree, "min-free", 0,
		"room on the disk, in MiB, below which it is nearly full (0: 5 % of it, at most 1024)")
	f.StringVar(&b.User, "user", "", "user name that roles must give")
	f.StringVar(&o.password, "password-file", "", "file with the password for --user")
	f.StringSliceVar(&b.NKeys, "nkey", nil, "public nkey of a user who may connect; may be repeated")
	f.StringVar(&b.Credentials, "credentials", "",
		"public file of a credential set (broker.yaml), whose keys may do what their roles need; read again when it changes")
	f.BoolVar(&b.Insecure, "insecure", false,
		"listen, and be a leaf, beyond this machine without credentials or TLS")
	f.StringVar(&b.TLS.Cert, "tls-cert", "", "PEM file with the broker's certificate")
	f.StringVar(&b.TLS.Key, "tls-key", "", "PEM file with the key of --tls-cert")
	f.StringVar(&b.TLS.CA, "tls-ca", "",
		"PEM file with the authority that must have signed the certificates of roles")
	f.StringVar(&b.Cluster.Name, "cluster", "", "name of the cluster, the same for all its brokers")
	f.StringVar(&b.Cluster.Listen, "cluster-listen", "", "address where other brokers connect")
	f.StringSliceVar(&b.Cluster.Routes, "routes", nil, "nats://HOST:PORT of the other brokers")
	f.StringVar(&b.Cluster.User, "cluster-user", "", "user name between brokers")
	f.StringVar(&o.cluster, "cluster-password-file", "", "file with the password for --cluster-user")
	f.StringVar(&b.Cluster.TLS.Cert, "cluster-cert", "", "PEM file with the certificate that this broker shows the others")
	f.StringVar(&b.Cluster.TLS.Key, "cluster-key", "", "PEM file with the key of --cluster-cert")
	f.StringVar(&b.Cluster.TLS.CA, "cluster-ca", "",
		"PEM file with the authority that must have signed the others' certificates")
	f.StringVar(&b.LeafListen, "leaf-listen", "",
		"address where leaf brokers connect; needs --credentials, and TLS beyond this machine")
	f.StringVar(&b.Leaf.Hub, "leaf-of", "",
		"be a leaf of the broker that listens for leaves at nats://HOST:PORT (tls:// for TLS)")
	f.StringVar(&b.Leaf.Key, "leaf-key", "", "file with the leaf's secret key")
	f.StringVar(&b.Leaf.CA, "leaf-ca", "", "PEM file with the authority that signed the hub's certificate")
	f.Int64Var(&o.cache, "leaf-cache", 256, "maximum of weights that a leaf keeps in memory, in MiB")
	group(f, "Store", "dir", "run", "lazy-sync", "max-memory", "max-store", "min-free")
	group(f, "Access", "listen", "user", "password-file", "nkey", "credentials", "insecure", "tls-cert", "tls-key", "tls-ca")
	group(f, "Cluster of brokers", "name", "cluster", "cluster-listen", "routes", "cluster-user", "cluster-password-file",
		"cluster-cert", "cluster-key", "cluster-ca")
	group(f, "Leaves", "leaf-listen", "leaf-of", "leaf-key", "leaf-ca", "leaf-cache")
	addPort(f, &o.metrics)
	o.log.add(f)
}

// options completes the broker's options.
func (o *brokerOptions) options(ctx context.Context, log *slog.Logger) (cluster.BrokerOptions, error) {
	b := o.broker
	b.Log, b.SyncAlways = log, !o.lazySync
	b.Dir = o.dir
	if o.run != "" {
		b.Dir = filepath.Join(o.run, "nats")
	}
	if o.maxMemory <= 0 || o.maxStore <= 0 {
		return b, usage("--max-memory and --max-store must be positive")
	}
	if o.minFree < 0 {
		return b, usage("--min-free must not be negative")
	}
	if o.cache <= 0 {
		return b, usage("--leaf-cache must be positive")
	}
	b.Space.MinFreeBytes, b.Leaf.CacheBytes = o.minFree<<20, o.cache<<20
	b.MaxMemory, b.MaxStore = o.maxMemory<<20, o.maxStore<<20
	var err error
	if b.Password, err = readPassword(ctx, o.password); err != nil {
		return b, fmt.Errorf("--password-file: %w", err)
	}
	if b.Cluster.Password, err = readPassword(ctx, o.cluster); err != nil {
		return b, fmt.Errorf("--cluster-password-file: %w", err)
	}
	return b, nil
}

// maxPassword bounds what is read of a file with a password, in bytes.
const maxPassword = 64 << 10

// readPassword returns the first line of a file, which may be a pipe, "" if path is "".
func readPassword(ctx context.Context, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	in, err := input.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(input.TextReader(in), maxPassword+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if len(data) > maxPassword {
		return "", fmt.Errorf("%s is longer than %d KiB", path, maxPassword>>10)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return line, nil
}

// serve runs the broker until ctx ends.
func (o *brokerOptions) serve(ctx context.Context, errOut io.Writer) error {
	log, err := o.log.logger(errOut)
	if err != nil {
		return err
	}
	log = log.With("role", "broker")
	opts, err := o.options(ctx, log)
	if err != nil {
		return err
	}
	var reload <-chan os.Signal
	if opts.Credentials != "" {
		reload = takeHangups(ctx)
	}
	return cluster.ServeBroker(ctx, opts, o.metrics, reload)
}
