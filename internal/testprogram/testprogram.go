// Package testprogram builds the program for tests that start it as a process, each variant of it once for all
// packages.
//
// The folder CROUPIER_TEST_PROGRAMS holds what is built, one file for a variant. What lies there is taken as it is, so
// a list of tests names a new folder each time; the first package that needs a variant builds it there. Without that
// variable the folder is bin/test-programs, and the go tool sees what is still current there.
package testprogram

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// Folder is the name of the environment variable.
const Folder = "CROUPIER_TEST_PROGRAMS"

// Variant is a way to build the program.
type Variant struct {
	Name string   // of its file; different for different variants
	Args []string // further arguments of go build
	Of   string   // package to build; empty: the program
}

// Path returns the file of the program, without what only debuggers read.
func Path(t testing.TB) string {
	t.Helper()
	return Variant{Name: "croupier", Args: []string{"-ldflags=-s -w"}}.Path(t) // quicker to link
}

// Path returns the variant's file. It stays as it is as long as the test runs, whatever is built meanwhile.
func (v Variant) Path(t testing.TB) string {
	t.Helper()
	path, err := v.Build()
	require.NoError(t, err)
	return path
}

// done holds what this process has built, by name of the variant.
var done sync.Map

// Build is Path for callers without a test.
func (v Variant) Build() (string, error) {
	once, _ := done.LoadOrStore(v.Name, sync.OnceValues(v.build))
	return once.(func() (string, error))()
}

func (v Variant) build() (string, error) {
	folder, given := os.LookupEnv(Folder)
	if !given {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(root, "bin", "test-programs")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(folder, v.Name)
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer lock.Unlock() // which cannot fail in a way that anybody could do something about
	if given {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		return path, v.compile(path)
	}
	if err := v.compile(path); err != nil {
		return "", err
	}
	return keep(path)
}

// compile has the go tool build the file, of which it leaves none that is not whole.
func (v Variant) compile(path string) error {
	of := v.Of
	if of == "" {
		of = "croupier/cmd/croupier"
	}
	// Without the commit, with which every commit would be built again.
	args := append([]string{"build", "-buildvcs=false", "-o", path}, v.Args...)
	out, err := testproc.CombinedOutput(exec.Command("go", append(args, of)...))
	if err != nil {
		return fmt.Errorf("go build of the program %s: %w\n%s", v.Name, err, out)
	}
	return nil
}

// keep gives the file a second name, which a later build does not take away: the go tool makes a new file, unless this
// one is current. Names of yesterday are removed.
func keep(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	kept := ""
	others, err := filepath.Glob(path + "-*")
	for _, other := range others {
		switch was, err := os.Stat(other); {
		case err != nil:
		case os.SameFile(was, info):
			kept = other
		case time.Since(was.ModTime()) > 24*time.Hour:
			_ = os.Remove(other) // on Windows it may be running
		}
	}
	if kept == "" && err == nil {
		kept = path + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36)
		err = os.Link(path, kept)
	}
	return kept, err
}

// moduleRoot returns the folder of go.mod. Tests run in the folder of their package.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	return "", fmt.Errorf("no folder with a go.mod above this one: %w", err)
}
