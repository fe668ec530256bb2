//go:build linux

// Package faults attacks whole clusters of real processes: it kills, freezes, cuts off,
// starves and corrupts them, and checks after each fault that the run is what it has to
// be. docs/lab/faults.md lists the faults and the tests.
package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testprogram"
	"croupier/tests/netns"
)

var (
	seedFlag = flag.Uint64("faults.seed", 0,
		"seed of the random faults; 0: the journal's if it is unfinished, else by the clock")
	countFlag   = flag.Int("faults.n", 0, "number of random faults; 0: the short form")
	firstFlag   = flag.Int("faults.first", 1, "number of the first random fault")
	onlyFlag    = flag.String("faults.only", "", "names of the only faults of the catalogue to be drawn, with \"; \" between")
	onFlag      = flag.String("faults.on", "", "names of the only roles that faults happen to, such as peer1,peer2")
	journalFlag = flag.String("faults.journal", "", "file with the faults that are done: they are not done again")
)

// seedGiven reports whether the seed is not from the clock.
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

// hosts skips a test that needs hosts of its own where they cannot be had, and reports why. A
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

// program is what the roles of all tests run, built once: the program with some files laid over its own (go build
// -overlay), which leaves the product without code for tests. They are files of package main alone, since every package
// that imports a changed one would be compiled again. Its wall clock can be moved, it can be that of the next
// schema version, and it can be held back.
var program = sync.OnceValues(func() (string, error) {
	overlay := map[string]string{}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	for file, by := range clock() {
		overlay[filepath.Join(root, file)] = filepath.Join(root, "tests/faults/testdata", by)
	}
	overlay[filepath.Join(root, "cmd/croupier/schema.go")] = filepath.Join(root, "tests/faults/testdata/schema.go.txt")
	doc, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return "", err
	}
	list := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(list, doc, 0o644); err != nil {
		return "", err
	}
	return testprogram.Variant{
		Name: "croupier-faults", Args: []string{"-overlay", list, "-ldflags", "-checklinkname=0 -s -w"},
	}.Build()
})

// clock is laid over the program so that its wall clock can be moved.
func clock() map[string]string {
	if runtime.GOARCH != "amd64" {
		fmt.Fprintln(os.Stderr, "LEFT OUT: jumps of wall clocks, and holding roles back, which are made on amd64 only")
		return nil
	}
	return map[string]string{
		"cmd/croupier/clock_amd64.go": "clock_amd64.go.txt", "cmd/croupier/clock_amd64.s": "clock_amd64.s.txt",
		"cmd/croupier/pace_amd64.go": "pace_amd64.go.txt",
	}
}

// newerSchema is the environment variable with which the program reads and writes one schema version more.
const newerSchema = "FAULTS_NEWER"

// croupier returns the program.
func croupier(t testing.TB) string {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	return path
}
