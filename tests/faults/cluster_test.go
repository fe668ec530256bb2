//go:build linux

package faults

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"croupier/cluster"
	"croupier/internal/certificate/certtest"
	"croupier/messages"
	"croupier/messages/bus"
)

// recoverWithin is how long a run may stand still after the end of a fault.
const recoverWithin = 30 * time.Second

// settings of the run: iterations and matches that are soon over, and no rating that is certain enough for the league
// to ask for nothing more, or no result would come until the next version is frozen.
var quick = []string{
	"--set", "learner.ppo.samples=8192", "--set", "learner.ppo.minibatch=2048", "--set", "learner.checkpoint_interval=1s",
	"--set", "league.reference_sets=100", "--set", "league.final_sets=100", "--set", "league.gate_sets=100",
	"--set", "league.match_sets=200", "--set", "league.outstanding=32", "--set", "league.money_precision=0.000001",
	"--set", "league.max_sets=8388608",
}

// run is a training run whose roles are processes on hosts of their own.
type run struct {
	*network
	brokers, actors      []*role
	learner, league, web *role
	peers                []*role // share the learner's work
	roles                []*role // all of them
	url                  string
	keys                 *cluster.CredentialSet // each role and actor has its own
	seed                 string                 // file with the key that may do everything
	bus                  bus.Bus
	results              *results
	spare                *host           // has no role
	damaged              map[string]bool // journals that a fault has changed
}

// newRun starts a run with that many brokers (1 or 3), and more arguments of the learner, and waits until it trains.
func newRun(t testing.TB, brokers int, seed uint64, args ...string) *run {
	t.Helper()
	r := &run{network: newNetwork(t, seed), damaged: map[string]bool{}}
	var err error
	r.keys, err = cluster.CreateCredentials(t.TempDir(), "run")
	require.NoError(t, err)
	for _, actor := range []string{"actor1", "actor2", stranger} {
		require.NoError(t, r.keys.Add(actor, messages.ActorRole))
	}
	for _, peer := range []string{"peer1", "peer2"} {
		require.NoError(t, r.keys.Add(peer, messages.PeerRole))
	}
	r.seed = r.keys.Seed("operator")
	r.addBrokers(brokers, "--credentials", filepath.Join(r.keys.Dir, "broker.yaml"))
	r.learner = r.addRole("learner", 256, slices.Concat([]string{"kuhn"}, quick, args)...)
	r.peers = []*role{r.addRole("peer1", 64), r.addRole("peer2", 64)}
	r.league = r.addRole("league", 256)
	r.actors = []*role{r.addRole("actor1", 64, "--actors", "1"), r.addRole("actor2", 64, "--actors", "1")}
	r.web = r.addRole("web", 64, "--listen", "127.0.0.1:8080")
	r.spare = r.addHost("spare", 256)
	for _, role := range r.roles {
		role.start()
	}
	t.Cleanup(r.tell)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	r.bus, err = bus.Connect(t.Context(), bus.NATSOptions{URL: r.url, Credentials: r.seed, Run: "run", Role: "test",
		Log: log})
	require.NoError(t, err)
	t.Cleanup(func() { r.bus.Close() })
	require.NoError(t, within(2*recoverWithin, r.allHealthy))
	r.results = follow(t, r.bus)
	require.NoError(t, r.goesOn(2*recoverWithin))
	return r
}

// addBrokers adds the hosts of the brokers, which are a cluster if there are several; admit are the
// arguments that say who may connect.
func (r *run) addBrokers(count int, admit ...string) {
	var urls, routes []string
	for i := range count {
		h := r.addHost(fmt.Sprintf("broker%d", i+1), 512)
		urls = append(urls, "nats://"+h.address()+":4222")
		routes = append(routes, "nats://"+h.address()+":6222")
		b := &role{host: h, name: h.name, metrics: h.address() + ":9400"}
		b.args = append([]string{"broker", "--dir", filepath.Join(h.disk, "store"), "--listen", h.address() + ":4222"},
			admit...)
		r.brokers = append(r.brokers, b)
	}
	if count > 1 {
		var hosts []net.IP
		for _, b := range r.brokers {
			hosts = append(hosts, net.ParseIP(b.host.address()))
		}
		authority := certtest.New(r.t)
		cert, key := authority.Issue(r.t, 1, 24*time.Hour, hosts...)
		for _, b := range r.brokers {
			b.args = append(b.args, "--name", b.name, "--cluster", "faults",
				"--cluster-listen", b.host.address()+":6222", "--routes", strings.Join(routes, ","),
				"--cluster-cert", cert, "--cluster-key", key, "--cluster-ca", authority.File)
		}
	}
	r.url = strings.Join(urls, ",")
	r.roles = append(r.roles, r.brokers...)
}

// addRole adds a role on a host of its own. Its name without digits is the command, and with them that of its key.
func (r *run) addRole(name string, megabytes int, args ...string) *role {
	h := r.addHost(name, megabytes)
	command := strings.TrimRight(name, "0123456789")
	if command == messages.PeerRole {
		command, args = messages.LearnerRole, append(args, "--join")
	}
	x := &role{host: h, name: name, metrics: h.address() + ":9400"}
	x.args = append([]string{command}, args...)
	x.args = append(x.args, "--nats", r.url, "--creds", r.keys.Seed(name), "--run", filepath.Join(h.disk, "run"))
	if len(r.brokers) == 3 {
		x.args = append(x.args, "--replicas", "3")
	}
	r.roles = append(r.roles, x)
	return x
}

// tell shows the end of all logs when the test has failed, and keeps the whole of them. What each
// process was doing in the end is there, too.
func (r *run) tell() {
	if !r.t.Failed() {
		return
	}
	folder, err := os.MkdirTemp("", "croupier-failed-")
	require.NoError(r.t, err)
	for _, role := range r.roles {
		if role.process == nil {
			continue
		}
		role.explain()
		r.t.Logf("%s (%d starts):\n%s", role.name, role.starts, role.tail())
		require.NoError(r.t, os.WriteFile(filepath.Join(folder, role.name+".log"), []byte(role.output()), 0o644))
	}
	r.t.Logf("the logs are in %s", folder)
}

func (r *run) allHealthy() error {
	for _, role := range r.roles {
		if err := role.healthy(); err != nil {
			return err
		}
	}
	return nil
}

// state is how far a run is.
type state struct {
	version, results uint64
	played           []float64 // decisions of the actors
}

func (r *run) state() (s state, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	entry, err := r.bus.State().Get(ctx, messages.PointerKey("main"))
	if err != nil {
		return s, err
	}
	var pointer messages.Pointer
	if err := proto.Unmarshal(entry.Value, &pointer); err != nil { // of whatever schema
		return s, err
	}
	info, err := r.bus.Info(ctx, bus.Results)
	if err != nil {
		return s, err
	}
	s = state{version: pointer.Version, results: info.Last}
	for _, a := range r.actors {
		v, err := a.value("croupier_actor_decisions_total")
		if err != nil {
			return s, err
		}
		s.played = append(s.played, v)
	}
	return s, nil
}

// goesOn waits until the learner has published, results have come and both actors have played.
func (r *run) goesOn(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	var before state
	if err := within(limit, func() (err error) { before, err = r.state(); return err }); err != nil {
		return err
	}
	return within(time.Until(deadline), func() error {
		now, err := r.state()
		if err != nil {
			return err
		}
		if now.version < before.version+1 || now.results < before.results+1 {
			return fmt.Errorf("version %d and %d results, from %d and %d", now.version, now.results, before.version,
				before.results)
		}
		for i, decisions := range now.played {
			if decisions <= before.played[i] {
				return fmt.Errorf("%s does not play: %v decisions", r.actors[i].name, decisions)
			}
		}
		return nil
	})
}

// recovers is the oracle for the end of a fault: training continues within 30 s, and 10 s later
// at most all roles run and say that they are healthy.
func (r *run) recovers() error {
	for _, x := range r.roles {
		if !x.running() {
			return fmt.Errorf("%s ended: %v", x.name, x.cmd.ProcessState)
		}
	}
	if err := r.goesOn(recoverWithin); err != nil {
		return err
	}
	return within(10*time.Second, r.allHealthy)
}
