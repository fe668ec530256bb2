//go:build linux && long

package faults

// long says whether this is make long.
const long = true
