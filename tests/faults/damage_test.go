//go:build linux

package faults

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"croupier/messages/presence"
)

// flipped changes one byte of a file of a role that was killed.
func flipped(r *run, rng *rand.Rand) (string, func() error, error) {
	return damage(r, rng, func(data []byte) []byte {
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		return data
	})
}

func truncated(r *run, rng *rand.Rand) (string, func() error, error) {
	return damage(r, rng, func(data []byte) []byte { return data[:rng.IntN(len(data))] })
}

// damage changes a file of a role that was killed and starts it again.
func damage(r *run, rng *rand.Rand, change func([]byte) []byte) (string, func() error, error) {
	x := r.victim(rng)
	path, below, err := anyFile(x, rng)
	if path == "" {
		return x.name + " has no file", nil, err
	}
	x.kill()
	what := x.name + ": " + below
	good, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || len(good) == 0 { // deleted meanwhile
		return what, func() error { x.start(); return nil }, nil
	}
	if err != nil {
		return what, nil, err
	}
	if err := os.WriteFile(path, change(append([]byte(nil), good...)), 0o644); err != nil {
		return what, nil, err
	}
	r.damaged[path] = true
	return what, r.restartDamaged(x, below, func() error { return os.WriteFile(path, good, 0o644) }), nil
}

// flippedRunning changes one byte of a file of a role that runs. It continues until somebody starts it again.
func flippedRunning(r *run, rng *rand.Rand) (string, func() error, error) {
	x := r.victim(rng)
	path, below, err := anyFile(x, rng)
	if path == "" {
		return x.name + " has no file", nil, err
	}
	what := x.name + ": " + below
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 { // deleted meanwhile
		return what, nil, nil
	}
	if err != nil {
		return what, nil, err
	}
	at, bit := rng.Int64N(info.Size()), byte(1)<<rng.IntN(8)
	r.damaged[path] = true
	if err := flip(path, at, bit); err != nil {
		return what, nil, err
	}
	time.Sleep(while(rng, 200*time.Millisecond, 4*time.Second))
	if !x.running() {
		return what, nil, fmt.Errorf("%s ended with %v when %s was damaged", x.name, x.cmd.ProcessState, below)
	}
	x.kill()
	return what, r.restartDamaged(x, below, func() error { return flip(path, at, bit) }), nil
}

// leaseWithin is more than a role waits for the lease of one that was killed.
const leaseWithin = 2 * presence.Lifetime

// flip changes a bit of a file, if that is still there and as long.
func flip(path string, at int64, bit byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	one := make([]byte, 1)
	if _, err := f.ReadAt(one, at); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return err
	}
	one[0] ^= bit
	_, err = f.WriteAt(one, at)
	return err
}

// restartDamaged starts a role of which a file is damaged. It continues, or it ends and names the file, perhaps only
// after it has waited for the lease of the one that was killed: then somebody restores it, and it must continue.
func (r *run) restartDamaged(x *role, below string, restore func() error) (end func() error) {
	before := len(x.output())
	x.start()
	time.Sleep(1500 * time.Millisecond)
	return func() error {
		for deadline := time.Now().Add(leaseWithin); x.running(); {
			if r.goesOn(time.Second) == nil || time.Now().After(deadline) {
				return nil
			}
		}
		said := x.output()[before:]
		code := x.cmd.ProcessState.ExitCode()
		err := restore()
		if name := filepath.Base(below); code < 1 || code > 2 || !strings.Contains(said, name) &&
			!strings.Contains(said, filepath.Dir(below)) {
			err = errors.Join(err, fmt.Errorf("%s ended with %v after damage to %s, which it does not name: %q", x.name,
				x.cmd.ProcessState, below, said))
		}
		x.start()
		return err
	}
}

// anyFile returns one of a role's files, "" without any; below is its path below the role's disk.
func anyFile(x *role, rng *rand.Rand) (path, below string, err error) {
	files, err := filesOf(x.host.disk)
	if err != nil || len(files) == 0 {
		return "", "", err
	}
	path = files[rng.IntN(len(files))]
	return path, strings.TrimPrefix(path, x.host.disk+"/"), nil
}

// filesOf returns all regular files below a folder.
func filesOf(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}
