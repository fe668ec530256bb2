// Package nightly lets a test have two lengths: the one of each change (make test) and the full one (make nightly,
// which sets the build tag nightly). Tests that run only in the nightly list are in files with that tag instead.
package nightly

// Cases returns how many cases a simulation takes: each in make test, full in make nightly. The test says, where it
// calls Cases, why the smaller number suffices for its tolerance.
func Cases(each, full int) int {
	if On {
		return full
	}
	return each
}
