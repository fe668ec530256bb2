package main

import (
	"bytes"
	"fmt"
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

// times reports which packages took longer than they may.
func (l *limits) times(packages []timed) (problems []string) {
	for _, p := range packages {
		if most, _ := l.of(p.name); p.seconds > most {
			problems = append(problems, fmt.Sprintf("%s took %.0f s; tests/limits.yaml allows %.0f", p.name, p.seconds, most))
		}
	}
	return problems
}
