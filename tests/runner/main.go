// Command runner runs a list of tests with go test and holds it to the limits of a file.
//
//	go run ./tests/runner [-limits FILE] [-free] [go test flags] PACKAGE...
//
// It prints a line for each package as go test does and, of what failed, all output. At the end come the slowest
// packages and tests, the tests that skipped themselves with their reasons, and the statements that the packages' own
// tests run. It fails where a test fails, where a package has less coverage than the limits ask for, and where a
// package takes longer than they allow on a quiet machine (quiet.go) that is not much slower than theirs (pace.go).
// With -free it only reports the times and the coverage.
//
// It is to be run in the root of the module. The profile stays in bin/cover.out:
//
//	go tool cover -html bin/cover.out
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module  = "croupier/"
	profile = "bin/cover.out"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == pieceCall {
		piece()
		return
	}
	limits := flag.String("limits", "tests/limits.yaml", "`file` with the limits")
	free := flag.Bool("free", false, "report times and coverage without limits")
	tags := flag.String("tags", "", "build `tags`, as of go test")
	timeout := flag.String("timeout", "20m", "after which a package is ended, as of go test")
	count := flag.Int("count", 0, "as of go test: 1 runs tests whose result is cached")
	parallel := flag.Int("p", 0, "packages at the same time, as of go test")
	flag.Parse()
	l, err := readLimits(*limits)
	if err != nil {
		fail(err)
	}
	// Without symbols for debuggers, linking takes half as long.
	args := []string{"test", "-json", "-vet=off", "-ldflags=-s", "-cover", "-coverprofile=" + profile,
		"-timeout=" + *timeout, "-tags=" + *tags}
	if *count > 0 {
		args = append(args, fmt.Sprintf("-count=%d", *count))
	}
	if *parallel > 0 {
		args = append(args, fmt.Sprintf("-p=%d", *parallel))
	}
	if flag.NArg() == 0 {
		fail(fmt.Errorf("no packages are named"))
	}
	problems, err := run(os.Stdout, exec.Command("go", append(args, flag.Args()...)...), l, *free)
	if err != nil {
		fail(err)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "FAIL:", p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "runner:", err)
	os.Exit(2)
}

// run runs go test and returns what is wrong with its results.
func run(out io.Writer, test *exec.Cmd, l *limits, free bool) (problems []string, err error) {
	if err := os.MkdirAll(filepath.Dir(profile), 0o755); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(profile); err != nil { // an old one must not pass for this list's
		return nil, err
	}
	test.Stderr = os.Stderr
	events, err := test.StdoutPipe()
	if err != nil {
		return nil, err
	}
	machine := look()
	pace, err := watch()
	if err != nil {
		return nil, err
	}
	if err := test.Start(); err != nil {
		return nil, err
	}
	r := newResults(out)
	if err := r.read(events); err != nil {
		return nil, err
	}
	failure := test.Wait()
	others, known := machine.others(test.ProcessState)
	slower := pace.times()
	r.summary(out)
	problems = r.failed
	if failure != nil && len(problems) == 0 {
		problems = append(problems, "go test: "+failure.Error())
	}
	covered, err := readCoverage(profile)
	if err != nil {
		return append(problems, err.Error()), nil
	}
	problems = append(problems, l.coverage(out, covered, r.ran(), free)...)
	if !free {
		problems = append(problems, l.checkTimes(out, r.packages, others, known, slower)...)
	}
	return problems, nil
}

// short returns a package's name without the module.
func short(pkg string) string { return strings.TrimPrefix(pkg, module) }
