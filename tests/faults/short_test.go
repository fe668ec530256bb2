//go:build linux && !long

package faults

// long reports whether this is make long.
const long = false
