package main

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"croupier/messages/bus"
)

// natsFlags say how a role reaches the broker.
type natsFlags struct {
	url         string
	credentials string
	ca          string
	cert, key   string
	replicas    int
}

func (n *natsFlags) add(f *pflag.FlagSet) {
	f.StringVar(&n.url, "nats", "", "URL of the broker, nats://[USER:PASSWORD@]HOST:PORT; several are separated by commas")
	f.StringVar(&n.credentials, "creds", "", "file with the credentials for the broker: a .creds file or an nkey seed")
	f.StringVar(&n.ca, "tls-ca", "", "PEM file with the authority that signed the broker's certificate")
	f.StringVar(&n.cert, "tls-cert", "", "PEM file with this client's certificate")
	f.StringVar(&n.key, "tls-key", "", "PEM file with the key of --tls-cert")
	f.IntVar(&n.replicas, "replicas", 0, "on how many brokers to keep each stream, 1 or 3 (0: as it is, or 1)")
}

// check finds flags about a connection that is not made.
func (n *natsFlags) check() error {
	if n.url == "" && *n != (natsFlags{}) {
		return usage("--creds, --replicas and --tls-... are for the broker of --nats, which is not given")
	}
	return nil
}

func (n *natsFlags) options(role, run string, registry prometheus.Registerer, log *slog.Logger) bus.NATSOptions {
	return bus.NATSOptions{
		URL: n.url, Run: run, Role: role,
		Credentials: n.credentials, CA: n.ca, Cert: n.cert, Key: n.key,
		Replicas: n.replicas, Registerer: registry, Log: log,
	}
}
