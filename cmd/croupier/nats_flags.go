package main

import (
	"log/slog"

	"github.com/spf13/pflag"

	"croupier/messages/bus"
)

// natsFlags say how a role reaches the broker.
type natsFlags struct {
	url string
}

func (n *natsFlags) add(f *pflag.FlagSet) {
	f.StringVar(&n.url, "nats", "", "URL of the broker, nats://[USER:PASSWORD@]HOST:PORT")
}

func (n *natsFlags) options(role, run string, log *slog.Logger) bus.NATSOptions {
	return bus.NATSOptions{URL: n.url, Run: run, Role: role, Log: log}
}
