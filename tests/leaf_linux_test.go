package tests

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/messages/bus"
)

// farSite is a hub and a far site, each a network namespace, with one link between them. This process reaches the
// hub directly, and the site from within.
type farSite struct {
	t             *testing.T
	hub, site     string // the namespaces
	hubAt, leafAt string // addresses for this process
	hubFromSite   string // the hub's address through the site and its link
}

func newFarSite(t *testing.T) *farSite {
	asRoot(t)
	name, net := fmt.Sprintf("croupier-leaf-%d", os.Getpid()), fmt.Sprintf(
		"10.%d.%d", 64+os.Getpid()>>8%64, os.Getpid()%256)
	at := func(n int) string { return fmt.Sprintf("%s.%d", net, n) }
	s := &farSite{t: t, hub: name + "-hub", site: name + "-site", hubAt: at(2), leafAt: at(6), hubFromSite: at(10)}
	for _, ns := range []string{s.hub, s.site} {
		s.ip("netns", "add", ns)
		t.Cleanup(func() { s.ip("netns", "del", ns) })
		s.ip("-n", ns, "link", "set", "lo", "up")
	}
	id := strconv.Itoa(os.Getpid())
	s.ip("link", "add", "leafh"+id, "type", "veth", "peer", "name", "near", "netns", s.hub)
	s.ip("link", "add", "leafs"+id, "type", "veth", "peer", "name", "inside", "netns", s.site)
	// a namespace that is deleted gives them up a moment later
	for _, device := range []string{"leafh" + id, "leafs" + id} {
		t.Cleanup(func() { s.ip("link", "del", device) })
	}
	s.ip("-n", s.hub, "link", "add", "far", "type", "veth", "peer", "name", "far", "netns", s.site)
	for _, end := range []struct{ ns, device, address string }{
		{"", "leafh" + id, at(1)}, {s.hub, "near", at(2)}, {"", "leafs" + id, at(5)}, {s.site, "inside", at(6)},
		{s.hub, "far", at(10)}, {s.site, "far", at(9)},
	} {
		in := []string{}
		if end.ns != "" {
			in = []string{"-n", end.ns}
		}
		s.ip(append(in, "address", "add", end.address+"/30", "dev", end.device)...)
		s.ip(append(in, "link", "set", end.device, "up")...)
	}
	// The way from this process through the site to the hub, and back.
	s.ip("netns", "exec", s.site, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
	s.ip("route", "add", at(8)+"/30", "via", at(6))
	s.ip("-n", s.hub, "route", "add", at(4)+"/30", "via", at(9))
	return s
}

func (s *farSite) ip(args ...string) string {
	s.t.Helper()
	out, err := testproc.CombinedOutput(exec.Command(needs(s.t, "ip"), args...))
	require.NoError(s.t, err, "ip %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// crossed is how many bytes the link has carried from the hub to the site.
func (s *farSite) crossed() (count int) {
	s.t.Helper()
	count, err := strconv.Atoi(s.ip("netns", "exec", s.hub, "cat", "/sys/class/net/far/statistics/tx_bytes"))
	require.NoError(s.t, err)
	return count
}

// broker runs one in a namespace.
func (s *farSite) broker(ns string, args ...string) {
	s.t.Helper()
	start(s.t, ns, needs(s.t, "ip"), append([]string{"netns", "exec", ns, croupier(s.t), "broker", "--metrics", "off"},
		args...)...)
}

// New weights cross the link to a site once, however many actors are there; without a leaf, once for each. A link
// that was away does not end anything.
func TestWeightsCrossALinkOnce(t *testing.T) {
	t.Parallel()
	const actors, size = 6, 2 << 20
	s, set := newFarSite(t), filepath.Join(t.TempDir(), "set")
	shell := func(args ...string) {
		out, err := testproc.CombinedOutput(exec.Command(croupier(t), append([]string{"broker", "credentials"}, args...)...))
		require.NoError(t, err, "%s", out)
	}
	shell("create", set, "--run", "test", "--actors", strconv.Itoa(actors))
	shell("add", set, "there", "--leaf")
	public := filepath.Join(set, "broker.yaml")
	s.broker(s.hub, "--dir", t.TempDir(), "--listen", "0.0.0.0:4222", "--leaf-listen", "0.0.0.0:7422",
		"--credentials", public, "--insecure")
	s.broker(s.site, "--leaf-of", "nats://"+s.hubFromSite+":7422", "--leaf-key", filepath.Join(set, "there.seed"),
		"--listen", "0.0.0.0:4222", "--credentials", public, "--insecure")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	connect := func(address, name string) bus.Bus {
		b, err := bus.Connect(ctx, bus.NATSOptions{
			URL: "nats://" + address + ":4222", Run: "test", Role: name, Create: name == messages.LearnerRole,
			Credentials: filepath.Join(set, name+".seed"), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		require.NoError(t, err)
		t.Cleanup(func() { b.Close() })
		return b
	}
	learner := connect(s.hubAt, messages.LearnerRole)
	version := 0
	// publish has the given actors take new weights, and returns how many bytes crossed the link.
	publish := func(playing []*listener) int {
		t.Helper()
		before := s.crossed()
		version++
		weights := make([]byte, size) // like real ones, which do not become smaller where a slow link is compressed
		_, _ = rand.NewChaCha8([32]byte{byte(version)}).Read(weights)
		name := fmt.Sprintf("live/main/%d", version)
		require.NoError(t, learner.PutObject(ctx, name, weights))
		_, err := learner.State().Put(ctx, messages.PointerKey("main"), []byte(name))
		require.NoError(t, err)
		got := make(chan []byte)
		for _, l := range playing {
			go func() { got <- l.next(ctx, name) }()
		}
		for range playing {
			require.True(t, bytes.Equal(weights, <-got))
		}
		return s.crossed() - before
	}
	listen := func(address string, count int) (out []*listener) {
		for n := range count {
			out = append(out, newListener(t, ctx, connect(address, fmt.Sprintf("actor-%d", n+1))))
		}
		return out
	}
	alone, direct := publish(listen(s.leafAt, 1)), publish(listen(s.hubFromSite, actors))
	all := listen(s.leafAt, actors)
	together := publish(all)
	t.Logf("weights of %d bytes; across the link: one actor %d, %d actors %d, %d without a leaf %d",
		size, alone, actors, together, actors, direct)
	require.InDelta(t, size, alone, size/5)
	require.InDelta(t, size, together, size/5)
	require.Greater(t, direct, actors*size)

	s.ip("-n", s.hub, "link", "set", "far", "down")
	time.AfterFunc(3*time.Second, func() { s.ip("-n", s.hub, "link", "set", "far", "up") })
	require.Less(t, publish(all), 3*size, "after the link was away")
}

// listener is an actor as far as weights go.
type listener struct {
	bus      bus.Bus
	pointers <-chan bus.Entry
}

func newListener(t *testing.T, ctx context.Context, b bus.Bus) *listener {
	t.Helper()
	pointers, err := b.State().Watch(ctx, messages.PointerKey("main"))
	require.NoError(t, err)
	l := &listener{b, pointers}
	for e := range pointers {
		if e.Key == "" {
			break
		}
	}
	return l
}

// next returns the weights of an object once the pointer names it, nil if it never does.
func (l *listener) next(ctx context.Context, name string) []byte {
	for e := range l.pointers {
		if string(e.Value) == name {
			data, _ := l.bus.GetObject(ctx, name)
			return data
		}
	}
	return nil
}
