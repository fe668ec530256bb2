package broker

import (
	"cmp"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/certificate/certtest"
)

// every is an address of all interfaces.
const every = "0.0.0.0:0"

// Every port beyond this machine at which a broker trusts every connection needs a proof of identity, and nothing
// that is read on the way may give it away.
func TestPortsBeyondThisMachine(t *testing.T) {
	authority := certtest.New(t)
	cert, key := authority.Issue(t, 1, time.Hour)
	files := TLS{Cert: cert, Key: key}
	mutual := TLS{Cert: cert, Key: key, CA: authority.File}
	set, err := CreateSet(filepath.Join(t.TempDir(), "set"), "run")
	require.NoError(t, err)
	require.NoError(t, set.Add("there", LeafRole))
	keys := filepath.Join(set.Dir, PublicFile)
	cluster := func(listen, route string, tls TLS, password string) Cluster {
		c := Cluster{Name: "c", Listen: listen, Routes: []string{"nats://" + route}, TLS: tls}
		if password != "" {
			c.User, c.Password = "broker", password
		}
		return c
	}
	leaf := Leaf{Hub: "nats://192.0.2.1:7422", Key: set.Seed("there")}
	const here = "127.0.0.1:0"
	for name, test := range map[string]struct {
		opts Options
		want string // the error; empty: it starts
	}{
		"a cluster": {Options{Credentials: keys, Cluster: cluster(every, "127.0.0.1:1", TLS{}, "")},
			"--cluster-cert"},
		"a cluster with a password": {Options{Credentials: keys, Cluster: cluster(every, "127.0.0.1:1", TLS{}, "s")},
			"--cluster-cert"},
		"a cluster that is insecure": {Options{Insecure: true, Cluster: cluster(every, "127.0.0.1:1", TLS{}, "")},
			"--cluster-cert"},
		"a cluster, and TLS for roles": {Options{TLS: mutual, Cluster: cluster(every, "127.0.0.1:1", TLS{}, "")},
			"--cluster-cert"},
		"a cluster by name":            {Options{Cluster: cluster("broker1:0", "127.0.0.1:1", TLS{}, "")}, "--cluster-cert"},
		"a route to another machine":   {Options{Cluster: cluster(here, "192.0.2.1:1", TLS{}, "s")}, "192.0.2.1:1: a broker of the cluster may do everything"},
		"a cluster of any certificate": {Options{Cluster: cluster(every, "127.0.0.1:1", files, "")}, "the authority"},
		"a cluster of certificates":    {Options{Cluster: cluster(every, "127.0.0.1:1", mutual, "")}, ""},
		"leaves": {Options{LeafListen: every, Credentials: keys},
			"listen for leaves at 0.0.0.0:0: a machine on the way"},
		"leaves over TLS":  {Options{LeafListen: every, Credentials: keys, TLS: files}, ""},
		"leaves, insecure": {Options{LeafListen: every, Credentials: keys, Insecure: true}, ""},
		"a hub":            {Options{Credentials: keys, Leaf: leaf}, `the hub "nats://192.0.2.1:7422": a machine on the way`},
		"roles with a password": {Options{Listen: every, User: "u", Password: "s3cr3t"},
			"the password of --user could be read"},
		"roles with one over TLS": {Options{Listen: every, User: "u", Password: "s3cr3t", TLS: files}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := test.opts
			o.Log, o.Name, o.Listen = quiet, "n", cmp.Or(o.Listen, here)
			if o.Leaf.Hub == "" {
				o.Dir = t.TempDir()
			}
			b, err := Start(o)
			if test.want == "" {
				require.NoError(t, err)
				b.Shutdown()
				return
			}
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "s3cr3t")
		})
	}
}

// A broker joins a cluster with a certificate of the cluster's own authority, and with nothing else: no certificate,
// one of a stranger, or one that lets roles in.
func TestARogueBrokerCannotJoin(t *testing.T) {
	t.Parallel()
	authority, roles := certtest.New(t), certtest.New(t)
	cert, key := authority.Issue(t, 1, time.Hour)
	own := TLS{Cert: cert, Key: key, CA: authority.File}
	roleCert, roleKey := roles.Issue(t, 1, time.Hour)
	member := start(t, Options{Name: "member", Listen: "127.0.0.1:0",
		TLS: TLS{Cert: roleCert, Key: roleKey, CA: roles.File}, Cluster: Cluster{
			Name: "c", Listen: "127.0.0.1:0", Routes: []string{"nats://127.0.0.1:1"}, TLS: own,
		}})
	join := func(name string, tls TLS) *Broker {
		return start(t, Options{Name: name, Listen: "127.0.0.1:0", Cluster: Cluster{
			Name: "c", Listen: "127.0.0.1:0", Routes: []string{"nats://" + member.server.ClusterAddr().String()}, TLS: tls,
		}})
	}
	refused := func() (times uint64) {
		member.refusals.each(func(of refusal, count uint64) {
			if of.kind == refusedTLS {
				times += count
			}
		})
		return times
	}
	for name, tls := range map[string]TLS{
		"nothing": {}, "roles": {Cert: roleCert, Key: roleKey, CA: authority.File},
		"stranger": {Cert: roleCert, Key: roleKey, CA: roles.File},
	} {
		before := refused()
		rogue := join(name, tls)
		require.Eventually(t, func() bool { return refused() > before }, time.Minute, 5*time.Millisecond, name)
		rogue.Shutdown()
		require.Zero(t, member.server.NumRoutes(), name)
	}
	join("honest", own)
	require.Eventually(t, func() bool { return member.server.NumRoutes() > 0 }, time.Minute, 5*time.Millisecond)
}
