package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is a line of go test -json (cmd/internal/test2json; go help buildjson).
type event struct {
	Action     string
	Package    string
	ImportPath string // of builds
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// timed is something with the seconds that it took.
type timed struct {
	name    string
	seconds float64
}

// results collects events.
type results struct {
	out      io.Writer
	output   map[string]map[string]*strings.Builder // by package and test; "" is the package's own
	builds   map[string]*strings.Builder            // by package
	failed   []string                               // packages and tests, parts of tests among them
	skipped  map[string]int                         // tests with their reasons, by the number of parts
	counts   map[string]int                         // of tests, by their last action
	packages []timed
	tests    []timed
	cached   map[string]bool // packages
}

func newResults(out io.Writer) *results {
	return &results{
		out: out, output: map[string]map[string]*strings.Builder{}, builds: map[string]*strings.Builder{},
		skipped: map[string]int{}, counts: map[string]int{}, cached: map[string]bool{},
	}
}

// read takes events until there are no more. Lines that are none are printed as they are.
func (r *results) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.out, "%s", line)
			} else {
				r.take(e)
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

func (r *results) take(e event) {
	switch e.Action {
	case "build-output":
		text(r.builds, e.ImportPath).WriteString(e.Output)
	case "build-fail":
		fmt.Fprint(r.out, text(r.builds, e.ImportPath).String())
	case "output":
		if r.output[e.Package] == nil {
			r.output[e.Package] = map[string]*strings.Builder{}
		}
		text(r.output[e.Package], e.Test).WriteString(e.Output)
		if e.Test == "" && strings.Contains(e.Output, "(cached)") {
			r.cached[e.Package] = true
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
		} else {
			r.endTest(e)
		}
	}
}

func text(of map[string]*strings.Builder, key string) *strings.Builder {
	b := of[key]
	if b == nil {
		b = &strings.Builder{}
		of[key] = b
	}
	return b
}

// endTest prints a test that failed, and drops the output of others.
func (r *results) endTest(e event) {
	said := text(r.output[e.Package], e.Test).String()
	delete(r.output[e.Package], e.Test)
	name := short(e.Package) + " " + e.Test
	if !strings.Contains(e.Test, "/") {
		r.tests = append(r.tests, timed{name, e.Elapsed})
		r.counts[e.Action]++
	}
	switch e.Action {
	case "fail":
		fmt.Fprint(r.out, said)
		r.failed = append(r.failed, name)
	case "skip":
		test, _, _ := strings.Cut(e.Test, "/")
		r.skipped[short(e.Package)+" "+test+": "+reason(said)]++
	}
}

// reason returns the words with which a test skipped itself.
func reason(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			words = append(words, line)
		}
	}
	return strings.Join(words, " ")
}

// endPackage prints the package's line and, where it failed outside of a test that has ended, all that it said.
func (r *results) endPackage(e event) {
	r.packages = append(r.packages, timed{short(e.Package), e.Elapsed})
	note := ""
	if r.cached[e.Package] {
		note = "  (cached)"
	}
	switch e.Action {
	case "fail":
		for _, name := range slices.Sorted(maps.Keys(r.output[e.Package])) {
			fmt.Fprint(r.out, r.output[e.Package][name].String())
		}
		r.failed = append(r.failed, short(e.Package))
		fmt.Fprintf(r.out, "FAIL  %7.1f s  %s\n", e.Elapsed, short(e.Package))
	case "pass":
		fmt.Fprintf(r.out, "ok    %7.1f s  %s%s\n", e.Elapsed, short(e.Package), note)
	}
	delete(r.output, e.Package)
}

const slowest = 10

// summary prints the slowest packages and tests, and what was skipped.
func (r *results) summary(out io.Writer) {
	print := func(title string, list []timed) {
		list = slices.SortedFunc(slices.Values(list), func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
		fmt.Fprintf(out, "\n%s\n", title)
		for _, t := range list[:min(slowest, len(list))] {
			fmt.Fprintf(out, "%9.1f s  %s\n", t.seconds, t.name)
		}
	}
	print("The slowest packages", r.packages)
	print("The slowest tests", r.tests)
	if len(r.skipped) > 0 {
		fmt.Fprintln(out, "\nSkipped")
	}
	for _, name := range slices.Sorted(maps.Keys(r.skipped)) {
		parts := ""
		if n := r.skipped[name]; n > 1 {
			parts = fmt.Sprintf(" (%d parts)", n)
		}
		fmt.Fprintln(out, "  "+name+parts)
	}
	fmt.Fprintf(out, "\n%d passed, %d failed, %d skipped\n", r.counts["pass"], r.counts["fail"], r.counts["skip"])
}

// ran returns the packages whose tests ran.
func (r *results) ran() map[string]bool {
	names := map[string]bool{}
	for _, p := range r.packages {
		names[p.name] = true
	}
	return names
}
