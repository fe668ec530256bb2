package cluster

import (
	"errors"
	"fmt"
	"path/filepath"

	"croupier/internal/descriptors"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/messages/bus/broker"
)

// Embedded reports who reaches the broker in the process of a cluster. The zero value: processes of this machine
// that can read the run directory.
type Embedded struct {
	Listen string // HOST:PORT where roles with a key of the run connect, also from other machines; "": none do
	Keys   string // public file of the credential set; "": the set in the run directory, which is made if need be
	// TLS is what they speak; processes of this machine that can read the run directory do without.
	TLS broker.TLS
}

// keysFolder holds the credential set of a run that made one, below the run directory.
const keysFolder = "credentials"

// startBroker starts a broker in this process, unless an existing one is to be used, and says how the roles reach it.
func (c *Cluster) startBroker() (err error) {
	if c.broker = c.o.Broker; c.broker.URL != "" {
		return nil
	}
	public, seed, err := NewUser()
	if err != nil {
		return fmt.Errorf("embedded broker: %w", err)
	}
	defer clear(seed)
	o := broker.Options{
		Dir: filepath.Join(c.dir, rundir.BrokerFolder), Listen: "127.0.0.1:0", NKeys: []string{public}, SyncAlways: true,
		Space: c.config.Disk, Log: c.log,
		MaxConnections: descriptors.Share(4, 1024), // the page and the run have the other files
	}
	if c.o.Embedded.Listen != "" {
		o.Listen, o.TLS, o.Local = c.o.Embedded.Listen, c.o.Embedded.TLS, true
		if o.Credentials, err = c.keys(); err != nil {
			return err
		}
	}
	if c.embedded, err = broker.Start(o); err != nil {
		return fmt.Errorf("embedded %w", err)
	}
	c.broker = Broker{URL: c.embedded.LocalURL(), Credentials: filepath.Join(c.dir, rundir.KeyFile)}
	if err := durable.WriteSecret(c.broker.Credentials, seed); err != nil {
		return fmt.Errorf("embedded broker: %w", err)
	}
	c.unread = append(c.unread, c.embedded.Unread)
	c.registry.MustRegister(broker.NewCollector(c.embedded))
	return nil
}

// keys returns the public file of the credential set, after making the set where the run has none.
func (c *Cluster) keys() (path string, err error) {
	path = c.o.Embedded.Keys
	if path == "" {
		dir := filepath.Join(c.dir, keysFolder)
		path = filepath.Join(dir, broker.PublicFile)
		if _, err := broker.OpenSet(dir); errors.Is(err, broker.ErrNoSet) {
			_, err := broker.CreateSet(dir, c.config.Run)
			return path, err
		}
	}
	doc, err := broker.ReadPublic(path)
	if err != nil {
		return "", fmt.Errorf("--credentials: %w", err)
	}
	keys, err := broker.ParseKeys(doc)
	if err != nil {
		return "", fmt.Errorf("--credentials: %s: %w", path, err)
	}
	if keys.Run != c.config.Run {
		return "", invalid("--credentials: %s is for the run %s, not for %s", path, keys.Run, c.config.Run)
	}
	return path, nil
}

// Listening reports where roles of other machines connect, and the folder of their keys; "" where none can.
func (c *Cluster) Listening() (url, keys string) {
	if c.embedded == nil || c.o.Embedded.Listen == "" {
		return "", ""
	}
	if c.o.Embedded.Keys != "" {
		return c.embedded.URL(), filepath.Dir(c.o.Embedded.Keys)
	}
	return c.embedded.URL(), filepath.Join(c.dir, keysFolder)
}
