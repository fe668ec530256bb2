package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// limits are what a list of tests is held to.
type limits struct {
	Seconds  float64 `yaml:"seconds"`  // of a package
	Coverage float64 `yaml:"coverage"` // least share of a package's statements that its own tests run, in percent
	// Packages have limits of their own.
	Packages map[string]ofPackage `yaml:"packages"`
}

// ofPackage are those limits of a package that are not the others'.
type ofPackage struct {
	Seconds  *float64 `yaml:"seconds"`
	Coverage *float64 `yaml:"coverage"`
	Reason   string   `yaml:"reason"`
}

func readLimits(path string) (*limits, error) {
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l := &limits{}
	decoder := yaml.NewDecoder(bytes.NewReader(doc))
	decoder.KnownFields(true)
	if err := decoder.Decode(l); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for name, p := range l.Packages {
		if p.Reason == "" {
			return nil, fmt.Errorf("%s: %s has limits of its own without a reason", path, name)
		}
	}
	return l, nil
}

// of returns the limits of a package.
func (l *limits) of(pkg string) (seconds, coverage float64) {
	seconds, coverage = l.Seconds, l.Coverage
	p := l.Packages[pkg]
	if p.Seconds != nil {
		seconds = *p.Seconds
	}
	if p.Coverage != nil {
		coverage = *p.Coverage
	}
	return seconds, coverage
}

// checkTimes reports which packages took longer than they may, or why that is not known. others is the share of the
// processors that was not the list's own, if it is known; slower is how many times as long as the machine of the limits
// this one takes.
func (l *limits) checkTimes(out io.Writer, packages []timed, others float64, known bool, slower float64) []string {
	var problems []string
	switch {
	case !known:
		fmt.Fprintln(out, "The limits of time are not checked: what else this machine does is not known.")
	case others > quiet:
		fmt.Fprintf(out, "The limits of time are not checked: other programs had %.0f %% of the processors.\n", 100*others)
	case slower == 0:
		fmt.Fprintln(out, "The limits of time are not checked: how fast this machine is is not known.")
	case slower > within:
		fmt.Fprintf(out, "The limits of time are not checked: the same work takes %.1f times as long on this machine as on theirs.\n",
			slower)
	default:
		for _, p := range packages {
			if most, _ := l.of(p.name); p.seconds > most {
				problems = append(problems,
					fmt.Sprintf("%s took %.0f s; tests/limits.yaml allows %.0f", p.name, p.seconds, most))
			}
		}
	}
	return problems
}
