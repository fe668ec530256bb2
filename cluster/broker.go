package cluster

import (
	"context"
	"errors"
	"os"

	"croupier/messages/bus/broker"
)

// BrokerOptions configure a broker in a process of its own.
type BrokerOptions = broker.Options

// NewUser makes the keys of a broker's client: the public key is for BrokerOptions.NKeys,
// the seed for the file Broker.Credentials.
func NewUser() (public string, seed []byte, err error) { return broker.NewUser() }

// CredentialSet is a folder with the keys of a run's roles.
type CredentialSet = broker.Set

// Roles of keys that are no processes of their own.
const (
	OperatorRole    = broker.OperatorRole
	ContributorRole = broker.ContributorRole
	LeafRole        = broker.LeafRole
)

// CreateCredentials makes a credential set for a run in a folder.
func CreateCredentials(dir, run string, actors ...string) (*CredentialSet, error) {
	return broker.CreateSet(dir, run, actors...)
}

// OpenCredentials reads a credential set.
func OpenCredentials(dir string) (*CredentialSet, error) { return broker.OpenSet(dir) }

// ServeBroker runs a broker in this process until ctx ends. It reads its credentials again at each value of reload,
// which may be nil.
func ServeBroker(ctx context.Context, o BrokerOptions, metrics Port, reload <-chan os.Signal) error {
	b, err := broker.Start(o)
	if err != nil {
		return err
	}
	defer b.Shutdown()
	if metrics.Address != "off" {
		registry := newRegistry()
		registry.MustRegister(broker.NewCollector(b))
		address, stop, err := metrics.serve(ctx, registry, func() (string, error) {
			if err := b.Healthy(); err != nil {
				return "", err
			}
			warning, err := roomLeft(b.Room())
			return lines(warning, warningsOf(b.Unread)), err
		}, b.Stopped, o.Log)
		if err != nil {
			return err
		}
		defer stop()
		o.Log.Info("metrics", "url", "http://"+address+"/metrics")
	}
	o.Log.Info("broker ready", "url", b.URL(), "dir", o.Dir, "sync_always", o.SyncAlways, "leaf_of", o.Leaf.Hub)
	for {
		select {
		case <-reload:
			if err := b.Reload(); err != nil {
				o.Log.Error("credentials not read; the previous keys stay valid", "error", errors.Unwrap(err))
			}
		case <-ctx.Done():
			o.Log.Info("broker stops")
			return nil
		}
	}
}
