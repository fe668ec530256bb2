//go:build !nightly

package nightly

// On reports whether the tests run in full length.
const On = false
