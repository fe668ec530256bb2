// Package broker runs the NATS server with JetStream inside this program: for one
// process (no port at all), for a machine, as one of three servers of a cluster, or,
// without streams, as a leaf of another one at the site of many actors.
//
// What its owner must do: call Shutdown, which waits until the store is closed.
// The store directory belongs to one broker at a time.
package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"croupier/internal/descriptors"
	"croupier/internal/durable"
	"croupier/internal/rundir"
	"croupier/internal/space"
	"croupier/messages"
)

// Options say what a broker keeps where, and who may talk to it.
type Options struct {
	Dir    string // store directory; is created; none for a leaf
	Listen string // HOST:PORT for clients, port 0: any free one; empty: in-process only
	Local  bool   // let programs of this machine in at another port too, without TLS: LocalURL
	Name   string // the server's name, unique in a cluster; default "croupier", a leaf's one of its own

	// SyncAlways makes the broker fsync a stream's file before it acknowledges a
	// message, so that what is acknowledged survives the loss of power. Without it
	// files are synced every two minutes: what is acknowledged survives the death of
	// the process, not that of the machine. docs/reference/messages.md has the cost.
	SyncAlways bool

	MaxMemory int64 // most bytes of all streams in memory, default 1 GiB
	MaxStore  int64 // most bytes of all streams on disk, default 64 GiB

	MaxConnections int // most clients, default half of the files that the process may have open

	// Who may talk to it; the zero value is everybody. User and NKeys may do everything.
	User, Password string   // clients must give these
	NKeys          []string // or prove that they have the seed of one of these public keys
	// Credentials is the public file of a credential set (PublicFile), whose keys may do what
	// their roles need. It is read again when it changes.
	Credentials string
	Insecure    bool // let everybody in also from other machines, and let links of leaves be read on the way

	TLS     TLS
	Cluster Cluster

	LeafListen string // HOST:PORT for leaf brokers with a key of the credential set; empty: none
	Leaf       Leaf

	// Space says below which room on the disk the broker is nearly full. Below half of that it refuses what
	// is to be stored on disk: a stream that meets a full disk is frozen until the broker is restarted, but one that
	// was refused continues by itself once there is room.
	Space space.Config

	Log *slog.Logger // default slog.Default()

	own         user            // whom the broker connects as with itself
	quarantined map[string]bool // actors whose keys do not count; guarded by Broker.reloading
}

const (
	defaultMaxMemory = 1 << 30
	defaultMaxStore  = 64 << 30

	// maxPayload leaves room for headers and for the requests of the server's API.
	maxPayload = messages.MaxMessage + 64<<10

	startTimeout = 30 * time.Second
	dialTimeout  = 5 * time.Second // of a link
	tlsTimeout   = 5               // seconds, of a handshake

	// mostConnections is the server's own limit of clients.
	mostConnections = 64 << 10
	// pingEvery is how often a client that says nothing is asked whether it is there; it
	// is cut off when it has not answered twice. One that did not even introduce itself
	// gives no answer.
	pingEvery = 15 * time.Second
	mostPings = 2
)

// Broker is a running server. It serves in-process connections (bus.NATSOptions).
type Broker struct {
	opts     Options
	server   *server.Server
	lock     io.Closer
	space    *space.Watch
	stop     func() // watching the disk
	refusals *refusals
	cache    *cache // empty but of a leaf
	local    local
	unread   atomic.Pointer[error] // why the file with the public keys does not count

	reloading sync.Mutex        // guards what follows
	doc       []byte            // the file with the public keys, as it was last read
	leaves    map[string]string // accounts of leaves by public key, as they last counted
	unfollow  context.CancelFunc
	following sync.WaitGroup
}

// Start runs a broker and returns when it accepts connections. It fails when the
// directory belongs to another broker or an address is in use.
func Start(o Options) (*Broker, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if err := errors.Join(o.Leaf.prepare(), o.TLS.prepare(o.Log), o.Cluster.prepare(o.Log)); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	var doc []byte
	if o.Credentials != "" { // an error is that of the next lines
		doc, _ = ReadPublic(o.Credentials)
	}
	public, seed, err := NewUser()
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	o.own = user{public, string(seed)}
	opts, keys, err := o.server(nil)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	b := &Broker{doc: doc, opts: o, stop: func() {}, refusals: newRefusals(o.Log), cache: &cache{}, leaves: keys.leaves()}
	if err := b.openStore(); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	if b.server, err = server.NewServer(opts); err != nil {
		b.closeStore()
		return nil, fmt.Errorf("broker: %w", err)
	}
	b.refusals.know(keys)
	log := &logger{log: o.Log, refused: b.refusals.take}
	b.server.SetLoggerV2(log, false, false, false)
	b.server.Start()
	err = b.await(log)
	if err == nil && o.Leaf.Hub != "" {
		err = b.cache.start(b, keys.Run)
	}
	if err == nil && o.Local {
		err = b.local.listen(b)
	}
	var ctx context.Context
	ctx, b.unfollow = context.WithCancel(context.Background())
	if err == nil && o.Credentials != "" && o.Leaf.Hub == "" {
		err = b.startFollowingQuarantined(ctx, keys.Run)
	}
	if err != nil {
		b.Shutdown()
		return nil, fmt.Errorf("broker: %w", err)
	}
	b.watchSpace(o.Log)
	if o.Credentials != "" {
		b.following.Go(func() { b.follow(ctx) })
	}
	return b, nil
}

// openStore takes the store directory. A leaf has none.
func (b *Broker) openStore() (err error) {
	if b.opts.Dir == "" {
		return nil
	}
	if err = durable.MkdirAll(b.opts.Dir, 0o755); err == nil {
		b.lock, err = rundir.Lock(b.opts.Dir, messages.BrokerRole)
	}
	if err != nil {
		return err
	}
	b.space = space.New(b.opts.Dir, b.opts.Space)
	if b.opts.Cluster.Name != "" {
		return nil // its log, which the brokers have in common, says what consumers there are
	}
	if err = dropDamagedConsumers(b.opts.Dir, b.opts.Log); err == nil {
		err = dropDamagedMessages(b.opts.Dir, b.opts.Log)
	}
	if err != nil {
		b.closeStore()
	}
	return err
}

func (b *Broker) closeStore() {
	if b.lock != nil {
		b.lock.Close()
	}
}

// await returns when the server accepts connections or has given up.
func (b *Broker) await(log *logger) error {
	deadline := time.Now().Add(startTimeout)
	for {
		if err := log.fatal(); err != nil {
			return err
		}
		if b.server.ReadyForConnections(20 * time.Millisecond) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready after %v", startTimeout)
		}
	}
}

// Shutdown closes connections and store, and waits for both. It can be repeated.
func (b *Broker) Shutdown() {
	b.stop()
	b.unfollow()
	b.following.Wait()
	b.cache.close()
	b.server.Shutdown()
	b.server.WaitForShutdown()
	b.local.close()
	b.closeStore()
}

// URL is where clients connect.
func (b *Broker) URL() string { return b.server.ClientURL() }

// LocalURL is where programs of this machine connect, without TLS.
func (b *Broker) LocalURL() string {
	if b.local.listener == nil {
		return b.URL()
	}
	return "nats://" + b.local.listener.Addr().String()
}

// InProcessConn opens a connection without a port.
func (b *Broker) InProcessConn() (net.Conn, error) { return b.server.InProcessConn() }

// server translates the options for the NATS server, with the keys of the credential set. For a server that is at
// work, live is its account with the streams; nil for a new one.
func (o *Options) server(live *server.Account) (*server.Options, *Keys, error) {
	opts := &server.Options{
		ServerName: o.Name,
		NoSigs:     true,
		JetStream:  o.Leaf.Hub == "", DisableJetStreamBanner: true,
		StoreDir: o.Dir, SyncAlways: o.SyncAlways,
		JetStreamMaxMemory: orElse(o.MaxMemory, defaultMaxMemory),
		JetStreamMaxStore:  orElse(o.MaxStore, defaultMaxStore),
		MaxPayload:         maxPayload,
		DontListen:         o.Listen == "",
		MaxConn:            orElse(o.MaxConnections, descriptors.Share(2, mostConnections)),
		MaxSubs:            mostOfAll,
		MaxPending:         mostPending,
		PingInterval:       pingEvery, MaxPingsOut: mostPings,
	}
	if err := o.checkPlace(); err != nil {
		return nil, nil, err
	}
	if o.Leaf.Hub == "" {
		opts.ServerName = orElse(o.Name, "croupier")
	}
	keys, err := o.admit(opts, live)
	if err != nil {
		return nil, nil, err
	}
	if o.Listen != "" {
		if err := o.checkOpen(); err != nil {
			return nil, nil, err
		}
		if opts.Host, opts.Port, err = splitAddress(o.Listen); err != nil {
			return nil, nil, fmt.Errorf("listen %s: %w", o.Listen, err)
		}
	}
	if err := o.TLS.apply(opts); err != nil {
		return nil, nil, fmt.Errorf("TLS: %w", err)
	}
	if err := o.link(opts); err != nil {
		return nil, nil, err
	}
	if err := o.Cluster.apply(opts, o.Name); err != nil {
		return nil, nil, fmt.Errorf("cluster: %w", err)
	}
	return opts, keys, nil
}

// checkOpen refuses a broker that everybody in the network could use, or whose password everybody there could read.
func (o *Options) checkOpen() error {
	if o.Insecure || !beyond(o.Listen) {
		return nil
	}
	if o.User == "" && len(o.NKeys) == 0 && o.Credentials == "" && o.TLS.CA == "" {
		return fmt.Errorf("listen %s: everybody in the network could use this broker: it needs credentials "+
			"(croupier broker credentials create makes them), or --insecure", o.Listen)
	}
	if o.User != "" && o.TLS == (TLS{}) {
		return fmt.Errorf("listen %s: the password of --user could be read on the way: it needs --tls-cert and --tls-key, "+
			"or keys instead (croupier broker credentials create makes them), or --insecure", o.Listen)
	}
	return nil
}

func (o *Options) admitKeys(k *Keys, opts *server.Options, live *server.Account) error {
	if o.Leaf.Hub != "" {
		return k.admitAtLeaf(opts, live, o.own)
	}
	return k.admit(opts, live, o.own)
}

// admit reports who may connect, and returns the keys of the credential set.
func (o *Options) admit(opts *server.Options, live *server.Account) (*Keys, error) {
	if (o.User == "") != (o.Password == "") {
		return nil, errors.New("a user needs a password, and a password a user")
	}
	keys := &Keys{}
	if o.Credentials != "" {
		doc, err := ReadPublic(o.Credentials)
		if err != nil {
			return nil, err
		}
		if keys, err = ParseKeys(doc); err == nil {
			keys.Keys = slices.DeleteFunc(keys.Keys, func(k Key) bool { return !k.counts(o.quarantined) })
			err = o.admitKeys(keys, opts, live)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Credentials, err)
		}
	}
	for _, key := range o.NKeys {
		if !isUserKey(key) {
			return nil, fmt.Errorf("%.80q is not the public nkey of a user", key)
		}
		opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: key})
	}
	switch {
	case o.User == "":
	case len(opts.Nkeys) > 0:
		opts.Users = []*server.User{{Username: o.User, Password: o.Password}}
	default:
		opts.Username, opts.Password = o.User, o.Password
	}
	return keys, nil
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
