//go:build linux

package faults

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A network of hosts. Each host is a network namespace whose only interface is a TUN
// device; its other end is held by this process, which is the switch between them. So
// every packet passes here, where it can be dropped, delayed and held back, for each
// ordered pair of hosts by itself: tc's netem does less, and many kernels lack it.

// link is what happens to packets from one host to another. The zero value lets them pass.
type link struct {
	cut   bool
	loss  float64       // probability that a packet is dropped
	delay time.Duration // of each packet
	rate  float64       // bytes per second; 0: no limit
}

const (
	mtu = 9000
	// queueing is how long a packet waits at most for its turn on a link with a rate.
	queueing = 500 * time.Millisecond
	// observer is the number of the tests' own end of the network, which no fault reaches.
	observer = 254
)

// network is a set of hosts and the switch between them.
type network struct {
	t     testing.TB
	id    string                    // begins the names of its namespaces
	count int                       // of the networks of this process
	known [256]atomic.Pointer[host] // by number
	last  byte                      // number given
	links [256][256]atomic.Pointer[link]
	wires sync.Map // [2]byte → *wire, of links with delay or rate
	rng   struct {
		sync.Mutex
		*rand.Rand
	}
	passed, dropped atomic.Uint64
}

// host is one machine of the network: a namespace, a clock, a disk of its own.
type host struct {
	*network
	number byte
	name   string
	disk   string // where its tmpfs is mounted
	tun    *os.File
}

// networks counts those of this process.
var networks atomic.Int64

// newNetwork returns a network with the observer alone; it is gone when the test ends.
func newNetwork(t testing.TB, seed uint64) *network {
	t.Helper()
	sweep(t)
	n := &network{t: t, count: int(networks.Add(1))}
	n.id = fmt.Sprintf("cf%d-%d", os.Getpid(), n.count)
	n.rng.Rand = rand.New(rand.NewPCG(seed, 1))
	n.attach(&host{network: n, number: observer, name: "observer"})
	return n
}

// subnet begins the addresses, in all likelihood differently for networks of one machine.
func (n *network) subnet() string {
	h := uint32(os.Getpid())*2654435761 + uint32(n.count)*40503
	return fmt.Sprintf("10.%d.%d", 64+h>>16%128, h>>8%256)
}

func (h *host) address() string { return fmt.Sprintf("%s.%d", h.subnet(), h.number) }

// namespace is the name under /run/netns, "" for the observer.
func (h *host) namespace() string {
	if h.number == observer {
		return ""
	}
	return h.id + "-" + h.name
}

// addHost adds a host with a disk of that many MiB.
func (n *network) addHost(name string, megabytes int) *host {
	n.t.Helper()
	n.last++
	h := &host{network: n, number: n.last, name: name}
	h.disk = filepath.Join(n.t.TempDir(), name)
	require.NoError(n.t, os.Mkdir(h.disk, 0o755))
	shell(n.t, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes), "croupier-faults", h.disk)
	n.t.Cleanup(func() {
		if err := unix.Unmount(h.disk, unix.MNT_DETACH); err != nil {
			n.t.Errorf("unmount %s: %v", h.disk, err)
		}
	})
	shell(n.t, "ip", "netns", "add", h.namespace())
	n.t.Cleanup(func() { shell(n.t, "ip", "netns", "del", h.namespace()) })
	n.attach(h)
	return h
}

// attach makes the host's device and begins to forward what comes out of it.
func (n *network) attach(h *host) {
	n.t.Helper()
	device := fmt.Sprintf("cf%d-%x-%x", os.Getpid()%1e6, n.count, h.number)
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	require.NoError(n.t, err)
	request, err := unix.NewIfreq(device)
	require.NoError(n.t, err)
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	require.NoError(n.t, unix.IoctlIfreq(fd, unix.TUNSETIFF, request))
	h.tun = os.NewFile(uintptr(fd), "/dev/net/tun")
	n.t.Cleanup(func() { h.tun.Close() })
	ip := []string{"ip"}
	if ns := h.namespace(); ns != "" {
		shell(n.t, "ip", "link", "set", device, "netns", ns)
		shell(n.t, "ip", "-n", ns, "link", "set", "lo", "up")
		ip = append(ip, "-n", ns)
	}
	shell(n.t, append(ip, "addr", "add", h.address()+"/24", "dev", device)...)
	shell(n.t, append(ip, "link", "set", device, "mtu", strconv.Itoa(mtu), "up")...)
	n.known[h.number].Store(h)
	go n.forward(h)
}

// forward hands on the packets of one host until its device is closed.
func (n *network) forward(from *host) {
	buffer := make([]byte, mtu+64)
	for {
		size, err := from.tun.Read(buffer)
		if err != nil {
			return
		}
		packet := buffer[:size]
		if size < 20 || packet[0]>>4 != 4 {
			continue
		}
		to := n.known[packet[19]].Load()
		if to == nil || binary.BigEndian.Uint32(packet[12:])>>8 != binary.BigEndian.Uint32(packet[16:])>>8 {
			continue
		}
		n.send(from, to, packet)
	}
}

// send applies the link's faults to a packet.
func (n *network) send(from, to *host, packet []byte) {
	l := n.links[from.number][to.number].Load()
	switch {
	case l == nil:
		to.tun.Write(packet)
	case l.cut || l.loss > 0 && n.chance(l.loss):
		n.dropped.Add(1)
		return
	case l.delay > 0 || l.rate > 0:
		key := [2]byte{from.number, to.number}
		w, ok := n.wires.Load(key)
		if !ok {
			w, ok = n.wires.LoadOrStore(key, &wire{to: to})
			if !ok {
				w.(*wire).begin(n.t)
			}
		}
		w.(*wire).take(l, packet)
	default:
		to.tun.Write(packet)
	}
	n.passed.Add(1)
}

func (n *network) chance(p float64) bool {
	n.rng.Lock()
	defer n.rng.Unlock()
	return n.rng.Float64() < p
}

// wire keeps the packets that are under way, in order.
type wire struct {
	to      *host
	mutex   sync.Mutex
	free    time.Time // when the last packet has left
	packets chan inTransit
}

type inTransit struct {
	due    time.Time
	packet []byte
}

func (w *wire) begin(t testing.TB) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	packets := make(chan inTransit, 4096)
	w.packets = packets
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		for {
			select {
			case p := <-packets:
				time.Sleep(time.Until(p.due))
				w.to.tun.Write(p.packet)
			case <-done:
				return
			}
		}
	}()
}

// take puts a packet on the wire, or drops it where the queue is full.
func (w *wire) take(l *link, packet []byte) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	now := time.Now()
	if w.free.Before(now) {
		w.free = now
	}
	if w.free.Sub(now) > queueing || w.packets == nil {
		return
	}
	if l.rate > 0 {
		w.free = w.free.Add(time.Duration(float64(len(packet)) / l.rate * float64(time.Second)))
	}
	select {
	case w.packets <- inTransit{w.free.Add(l.delay), append([]byte(nil), packet...)}:
	default:
	}
}

// set makes the link from one host to another what l says; nil heals it.
func (n *network) set(from, to *host, l *link) { n.links[from.number][to.number].Store(l) }

// others calls do with every other host, except the observer.
func (h *host) others(do func(*host)) {
	for i := range h.known {
		if o := h.known[i].Load(); o != nil && o != h && o.number != observer {
			do(o)
		}
	}
}

// between sets the links between the host and all others, for each direction; it
// returns what heals them.
func (h *host) between(out, in *link) (heal func()) {
	h.others(func(o *host) { h.set(h, o, out); h.set(o, h, in) })
	return func() { h.others(func(o *host) { h.set(h, o, nil); h.set(o, h, nil) }) }
}

// shell runs a program of iproute2 or util-linux that must succeed.
func shell(t testing.TB, program ...string) {
	t.Helper()
	out, err := exec.Command(program[0], program[1:]...).CombinedOutput()
	require.NoError(t, err, "%s: %s", strings.Join(program, " "), out)
}

// sweep removes the namespaces that killed test processes have left.
func sweep(t testing.TB) {
	t.Helper()
	names, _ := filepath.Glob("/run/netns/cf*-*")
	for _, path := range names {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "cf"), "-")
		if p, err := strconv.Atoi(pid); err == nil && syscall.Kill(p, 0) == syscall.ESRCH {
			exec.Command("ip", "netns", "del", filepath.Base(path)).Run() // somebody else may be first
		}
	}
}

// missing reports what this machine lacks for the tests of this package, "" if nothing.
func missing() string {
	if os.Geteuid() != 0 {
		return "they need root, for network namespaces and disks of their own"
	}
	for _, program := range []string{"ip", "mount", "nsenter"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is missing (Debian: iproute2, mount, util-linux)"
		}
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR, 0)
	if err != nil {
		return "/dev/net/tun: " + err.Error()
	}
	defer unix.Close(fd)
	request, _ := unix.NewIfreq("cf-probe")
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return "a TUN device cannot be made: " + err.Error()
	}
	return ""
}
