package broker

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"croupier/internal/certificate"
	"croupier/internal/input"
	"croupier/messages"
)

// A leaf is at a site with many actors and has one link to the hub, the broker with the streams. It knows
// the actors' keys itself, and passes on what their roles may do; what the hub lets through is what the leaf's
// own key may do. What the hub announces to many of its actors crosses the link once, and so does each piece of
// an object (cache): NATS would carry an answer to each who asked.

// Leaf makes a broker a leaf of another one. The zero value is a broker with streams of its own.
type Leaf struct {
	Hub string // nats://HOST:PORT, or tls://, where the hub listens for leaves; several brokers of it: with commas
	Key string // file with the seed of the leaf's key
	CA  string // PEM file: who may sign the hub's certificate; empty: whom the system trusts

	CacheBytes int64 // most bytes of pieces of objects in memory, default 256 MiB

	seed string // what Key held when the broker started
}

const (
	defaultCacheBytes = 256 << 20
	maxSeed           = 64 << 10 // bytes of a file with a key
)

// prepare reads the leaf's key.
func (l *Leaf) prepare() error {
	if l.Hub == "" {
		if *l != (Leaf{CacheBytes: l.CacheBytes}) {
			return errors.New("a leaf needs the address of its hub")
		}
		return nil
	}
	if l.CacheBytes < 0 {
		return fmt.Errorf("cache: %d bytes is negative", l.CacheBytes)
	}
	l.CacheBytes = orElse(l.CacheBytes, defaultCacheBytes)
	if l.Key == "" {
		return errors.New("a leaf needs a key of its own (croupier broker credentials add makes it)")
	}
	data, err := input.ReadText(l.Key, maxSeed)
	if err != nil {
		return fmt.Errorf("the leaf's key: %w", err)
	}
	defer clear(data)
	pair, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return fmt.Errorf("%s: there is no seed of a user in it", l.Key)
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	if err != nil {
		return fmt.Errorf("%s: %w", l.Key, err)
	}
	l.seed = string(seed)
	return nil
}

// checkPlace reports what does not fit together for a leaf, and for a broker that takes leaves.
func (o *Options) checkPlace() error {
	leaf := o.Leaf.Hub != ""
	switch {
	case !leaf && o.Dir == "":
		return errors.New("no store directory")
	case leaf && (o.Dir != "" || o.Cluster.Listen != "" || o.LeafListen != ""):
		return errors.New("a leaf keeps no streams: it has no store directory, no cluster and no leaves")
	case leaf && (o.Credentials == "" || o.User != "" || len(o.NKeys) > 0):
		return errors.New("a leaf lets in the actors of a credential set, and nobody else: it needs its public file")
	case leaf && o.Listen == "":
		return errors.New("a leaf needs an address where actors connect")
	case o.Cluster.Listen != "" && o.Listen == "": // the server would wait for it before it lets brokers in
		return errors.New("a broker of a cluster needs an address where roles connect")
	case o.LeafListen != "" && o.Credentials == "":
		return errors.New("a broker that takes leaves needs a credential set, with a key for each of them")
	}
	return nil
}

// link sets up the hub's side of links, or the leaf's.
func (o *Options) link(opts *server.Options) (err error) {
	if o.LeafListen != "" {
		if opts.LeafNode.Host, opts.LeafNode.Port, err = splitAddress(o.LeafListen); err != nil {
			return fmt.Errorf("listen for leaves at %s: %w", o.LeafListen, err)
		}
		if beyond(o.LeafListen) && opts.TLSConfig == nil && !o.Insecure {
			return fmt.Errorf("listen for leaves at %s: a machine on the way could act for a whole site: "+
				"it needs --tls-cert and --tls-key, or --insecure", o.LeafListen)
		}
		if opts.TLSConfig != nil {
			opts.LeafNode.TLSConfig, opts.LeafNode.TLSTimeout = opts.TLSConfig.Clone(), tlsTimeout
			opts.LeafNode.TLSConfig.ClientAuth = tls.NoClientCert // its key says who a leaf is
		}
	}
	if o.Leaf.Hub == "" {
		return nil
	}
	remote := &server.RemoteLeafOpts{LocalAccount: globalAccount, Nkey: o.Leaf.seed, DialTimeout: dialTimeout}
	for _, address := range strings.Split(o.Leaf.Hub, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return fmt.Errorf("the hub %q is not like nats://HOST:PORT", hidden(address))
		}
		if u.User != nil {
			return fmt.Errorf("the hub %q: a leaf shows its key, not a user and a password", hidden(address))
		}
		remote.URLs = append(remote.URLs, u)
		if u.Scheme != "tls" && o.Leaf.CA == "" && beyond(u.Host) && !o.Insecure {
			return fmt.Errorf("the hub %q: a machine on the way could act for it: use an address like tls://HOST:PORT, "+
				"or --insecure", address)
		}
		remote.TLS = remote.TLS || u.Scheme == "tls"
	}
	opts.LeafNode.Remotes = []*server.RemoteLeafOpts{remote}
	if o.Leaf.CA == "" {
		return nil
	}
	roots, err := certificate.Authorities(o.Leaf.CA)
	if err != nil {
		return fmt.Errorf("the hub's authority: %w", err)
	}
	remote.TLS, remote.TLSTimeout = true, tlsTimeout
	remote.TLSConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return nil
}

// admitAtLeaf adds the keys of those who play to the options of a leaf; cache is whose account answers for them. live
// is described at admit.
func (k *Keys) admitAtLeaf(opts *server.Options, live *server.Account, cache user) error {
	site := server.NewAccount(globalAccount)
	if err := export(site, hubPrefix); err != nil {
		return err
	}
	if err := site.AddServiceExportWithResponse(cachePrefix+"*", server.Streamed, nil); err != nil {
		return err
	}
	opts.Accounts = append(opts.Accounts, site)
	opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: cache.public, Account: site})
	objects := names{k.Run}.objectStream()
	theirs := func(subject string) string {
		if subject == directGet+objects {
			return cachePrefix + objects
		}
		return throughLink(subject)
	}
	for _, key := range k.Keys {
		if key.Role != messages.ActorRole && key.Role != ContributorRole {
			continue
		}
		g := grantOf(k.Run, key)
		account, err := newAccount(k.account(key))
		if err != nil {
			return err
		}
		if err := g.imports(account, cmp.Or(live, site), unchanged, theirs); err != nil {
			return fmt.Errorf("key %s: %w", key.Name, err)
		}
		opts.Accounts = append(opts.Accounts, account)
		key.enter(opts, account, g.permissions())
	}
	return nil
}
