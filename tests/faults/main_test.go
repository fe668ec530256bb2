//go:build linux

// Package faults attacks whole clusters of real processes: it kills, freezes, cuts off,
// starves and corrupts them, and checks after each fault that the run is what it has to
// be. docs/faults.md lists the faults and the tests.
package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/tests/netns"
)

var (
	seedFlag    = flag.Uint64("faults.seed", 0, "seed of the random faults; 0: the journal's if it is unfinished, else by the clock")
	countFlag   = flag.Int("faults.n", 0, "number of random faults; 0: the short form")
	firstFlag   = flag.Int("faults.first", 1, "number of the first random fault")
	onlyFlag    = flag.String("faults.only", "", "name of the only fault of the catalogue to be drawn")
	journalFlag = flag.String("faults.journal", "", "file with the faults that are done: they are not done again")
)

// seedGiven says whether the seed is not from the clock.
var seedGiven bool

// scratch holds what all tests of this package share.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	if work := os.Getenv("FAULTS_CLIENT"); work != "" {
		os.Exit(client(work))
	}
	must(netns.Own())
	must(flag.Set("test.parallel", "8")) // they mostly wait
	if seedGiven = *seedFlag != 0; !seedGiven {
		*seedFlag = uint64(time.Now().UnixNano())
	}
	var err error
	if scratch, err = os.MkdirTemp("", "croupier-faults-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// hosts skips a test that needs hosts of its own where they cannot be had, and says why. A
// machine that checks changes must have them.
func hosts(t testing.TB) {
	t.Helper()
	why := missing()
	if why == "" {
		return
	}
	require.Empty(t, os.Getenv("CI"), "the fault tests cannot run: %s", why)
	fmt.Fprintln(os.Stderr, "LEFT OUT:", t.Name(), "and other tests of faults between hosts:", why)
	t.Skip(why)
}

// build compiles the program with some files laid over its own (go build -overlay), which
// leaves the product without code for tests. Keys are paths below the module.
func build(name string, overlay map[string]string) (string, error) {
	path := filepath.Join(scratch, "croupier-"+name)
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, by := range overlay {
		if replace[filepath.Join(root, file)], err = filepath.Abs(by); err != nil {
			return "", err
		}
	}
	doc, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := path + ".json"
	if err := os.WriteFile(list, doc, 0o644); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", path, "-overlay", list, "-ldflags", "-checklinkname=0", "croupier/cmd/croupier")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// clock is laid over the program so that its wall clock can be moved.
func clock() map[string]string {
	if runtime.GOARCH != "amd64" {
		fmt.Fprintln(os.Stderr, "LEFT OUT: jumps of wall clocks, which are made on amd64 only")
		return nil
	}
	return map[string]string{
		"cmd/croupier/clock_amd64.go": "testdata/clock_amd64.go.txt",
		"cmd/croupier/clock_amd64.s":  "testdata/clock_amd64.s.txt",
	}
}

var built = sync.OnceValues(func() (string, error) { return build("present", clock()) })

// croupier returns the program, built once.
func croupier(t testing.TB) string {
	t.Helper()
	path, err := built()
	require.NoError(t, err)
	return path
}
