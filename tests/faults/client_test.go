//go:build linux

package faults

// client is what this binary does instead of tests when FAULTS_CLIENT is set.
func client(work string) int { return 2 }
