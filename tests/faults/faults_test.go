//go:build linux

package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// fault is something that happens to a run. It begins, lasts a while, and is ended; after
// that the run must recover.
type fault struct {
	name   string
	rows   []int // of docs/lab/faults.md
	weight int   // how often it is drawn
	// do has it happen. It returns what it happened to, for the journal, and what ends it
	// (nil if it is over), whose errors are failures of the run.
	do func(r *run, rng *rand.Rand) (what string, end func() error, err error)
}

// anyOf returns one of the roles.
func anyOf(rng *rand.Rand, roles []*role) *role { return roles[rng.IntN(len(roles))] }

// victim returns the role that a fault happens to: any, or any of those that -faults.on names.
func (r *run) victim(rng *rand.Rand) *role {
	if *onFlag == "" {
		return anyOf(rng, r.roles)
	}
	named := strings.Split(*onFlag, ",")
	return anyOf(rng, slices.DeleteFunc(slices.Clone(r.roles), func(x *role) bool {
		return !slices.Contains(named, x.name)
	}))
}

// a while, drawn so that short ones are common.
func while(rng *rand.Rand, least, most time.Duration) time.Duration {
	f := rng.Float64()
	return least + time.Duration(f*f*float64(most-least))
}

// catalogue lists all faults of the random campaign.
var catalogue = []fault{
	{"kill", []int{1, 2, 3, 4, 5}, 12, killed},
	{"kill again and again", []int{1, 2, 3, 5}, 4, killedOften},
	{"SIGTERM", []int{6}, 8, terminated},
	{"SIGSTOP", []int{10}, 8, frozen},
	{"cut off", []int{9}, 8, cutOff},
	{"cut off one way", []int{9}, 6, cutOffOneWay},
	{"two hosts apart", []int{9}, 6, twoApart},
	{"slow, lossy link", []int{9, 11}, 6, slowLink},
	{"host vanishes", []int{1, 2, 5, 9}, 6, vanished},
	{"full disk", []int{8}, 4, fullDisk},
	{"read-only disk", []int{8}, 3, readOnlyDisk},
	{"wall clock jumps", []int{12}, 6, clockJump},
	{"flipped byte", []int{15}, 5, flipped},
	{"flipped byte while running", []int{15}, 4, flippedRunning},
	{"truncated file", []int{15}, 4, truncated},
	{"leftover temporary file", []int{2}, 2, leftover},
	{"idle connections", []int{32}, 2, idle},
	{"forged messages", []int{14, 18, 20, 28}, 3, forged},
	{"second of a role", []int{36}, 3, second},
	{"actor's key in wrong hands", []int{31}, 3, trespass},
}

func killed(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	x.kill()
	return x.name, func() error { x.start(); return nil }, nil
}

// killedOften kills a role at any point of its start.
func killedOften(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	for range 2 + rng.IntN(3) {
		x.kill()
		x.start()
		time.Sleep(while(rng, 0, 700*time.Millisecond))
	}
	x.kill()
	return x.name, func() error { x.start(); return nil }, nil
}

func terminated(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	if err := x.stop(); err != nil {
		return x.name, nil, err
	}
	return x.name, func() error { x.start(); return nil }, nil
}

// frozen stops a process, now and then for longer than a lease of the broker.
func frozen(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	pause := while(rng, 200*time.Millisecond, 5*time.Second)
	if rng.IntN(12) == 0 {
		pause = 33 * time.Second
	}
	x.signal(syscall.SIGSTOP)
	time.Sleep(pause)
	return fmt.Sprintf("%s for %v", x.name, pause.Round(time.Millisecond)),
		func() error { x.signal(syscall.SIGCONT); return nil }, nil
}

func cutOff(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	heal := x.host.between(&link{cut: true}, &link{cut: true})
	time.Sleep(while(rng, 0, 6*time.Second))
	return x.name, func() error { heal(); return nil }, nil
}

func cutOffOneWay(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	out, in, what := &link{cut: true}, (*link)(nil), x.name+" cannot send"
	if rng.IntN(2) == 0 {
		out, in, what = nil, &link{cut: true}, x.name+" hears nothing"
	}
	heal := x.host.between(out, in)
	time.Sleep(while(rng, 0, 6*time.Second))
	return what, func() error { heal(); return nil }, nil
}

// twoApart cuts the link between two hosts, of which one is a broker's.
func twoApart(r *run, rng *rand.Rand) (string, func() error, error) {
	x, y := anyOf(rng, r.brokers), r.victim(rng)
	for x == y {
		y = r.victim(rng)
	}
	r.set(x.host, y.host, &link{cut: true})
	if rng.IntN(3) > 0 {
		r.set(y.host, x.host, &link{cut: true})
	}
	time.Sleep(while(rng, 0, 6*time.Second))
	return x.name + " and " + y.name, func() error {
		r.set(x.host, y.host, nil)
		r.set(y.host, x.host, nil)
		return nil
	}, nil
}

func slowLink(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	l := &link{delay: while(rng, 0, 300*time.Millisecond)}
	if rng.IntN(2) == 0 {
		l.loss = 0.2 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		l.rate = 20e3 + 500e3*rng.Float64()
	}
	heal := x.host.between(l, l)
	time.Sleep(while(rng, time.Second, 5*time.Second))
	return fmt.Sprintf("%s: %v late, %.0f %% lost, %.0f kB/s", x.name, l.delay.Round(time.Millisecond), 100*l.loss,
			l.rate/1000),
		func() error { heal(); return nil }, nil
}

// vanished is a machine without power: no process learns that its connections are gone.
func vanished(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	heal := x.host.between(&link{cut: true}, &link{cut: true})
	x.kill()
	time.Sleep(while(rng, 0, 4*time.Second))
	return x.name, func() error { heal(); x.start(); return nil }, nil
}

// fullDisk leaves a host without free space. Once there is room again, a role that gave up
// is started again, and so is a broker that says it is ill: docs/reference/messages.md says
// operators to.
func fullDisk(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	fill := filepath.Join(x.host.disk, "fill")
	if err := fillDisk(fill); err != nil {
		return x.name, nil, err
	}
	for range 10 + rng.IntN(30) { // what is freed meanwhile is taken, too
		if err := fillDisk(fill); err != nil {
			return x.name, nil, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return x.name, func() error {
		err := os.Remove(fill)
		if x.running() && x.healthy() != nil {
			err = errors.Join(err, x.stop())
		}
		if !x.running() {
			if code := x.cmd.ProcessState.ExitCode(); code > 1 {
				err = errors.Join(err, fmt.Errorf("%s ended with %v on a full disk", x.name, x.cmd.ProcessState))
			}
			x.start()
		}
		return err
	}, nil
}

func fillDisk(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size >= 1; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, unix.ENOSPC) {
			size /= 16
		} else if err != nil {
			return err
		}
	}
	return nil
}

// cannotWrite is how roles say that they may not write to their disk.
var cannotWrite = regexp.MustCompile(`croupier: .*(read-only file system|not writable)`)

// readOnlyDisk starts a role on a disk to which it cannot write: it waits or says so and
// ends with 1.
func readOnlyDisk(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	x.kill()
	remount := func(flags uintptr) error { return unix.Mount("", x.host.disk, "", unix.MS_REMOUNT|flags, "") }
	if err := remount(unix.MS_RDONLY); err != nil {
		return x.name, nil, err
	}
	before := len(x.output())
	x.start()
	time.Sleep(while(rng, time.Second, 3*time.Second))
	return x.name, func() error {
		var wrong error
		if said := x.output()[before:]; !x.running() {
			if code := x.cmd.ProcessState.ExitCode(); code != 1 || !cannotWrite.MatchString(said) {
				wrong = fmt.Errorf("%s on a read-only disk: %v, and says %q", x.name, x.cmd.ProcessState, said)
			}
		}
		x.kill()
		wrong = errors.Join(wrong, remount(0))
		x.start()
		return wrong
	}, nil
}

// clockJump moves a host's wall clock, and now and then leaves it there.
func clockJump(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	by := []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour,
		3650 * 24 * time.Hour}[rng.IntN(6)]
	if rng.IntN(2) == 0 {
		by = -by
	}
	if err := x.host.setClock(by); err != nil {
		return x.name, nil, err
	}
	time.Sleep(while(rng, 200*time.Millisecond, 4*time.Second))
	what := fmt.Sprintf("%s by %v", x.name, by)
	if rng.IntN(2) == 0 {
		return what + ", for good", nil, nil
	}
	return what, func() error { return x.host.setClock(0) }, nil
}

// leftover is what a kill between writing a file and renaming it leaves.
func leftover(r *run, rng *rand.Rand) (string, func() error, error) {
	x, name := r.learner, "checkpoints/.manifest.json.%d.tmp"
	if rng.IntN(2) == 0 {
		x, name = r.league, []string{".ladder.json.%d.tmp", ".league.json.%d.tmp",
			"population/.main@1.safetensors.%d.tmp"}[rng.IntN(3)]
	}
	x.kill()
	path := filepath.Join(x.host.disk, "run", fmt.Sprintf(name, rng.Uint32()))
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		if err := os.WriteFile(path, []byte("half of it"), 0o644); err != nil {
			return x.name, nil, err
		}
	}
	return x.name + ": " + filepath.Base(path), func() error { x.start(); return nil }, nil
}
