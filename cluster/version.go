package cluster

import (
	"runtime"
	"runtime/debug"

	"croupier/nn/kernel"
)

// commit and date are those of the commit that the program was built from. Makefile and deploy/release.sh
// set them (-ldflags -X); a plain `go build` leaves them empty.
var commit, date string

// Build is what a program was built from, and what it runs on.
type Build struct {
	Commit   string // in full; "-dirty" behind it: with changes that are not committed. Else the module's version
	Date     string // of the commit, 2026-11-22; "" where it is not known
	Go       string // release of Go
	Platform string // linux/amd64
	Kernels  string // instruction set of the kernels of networks, the fastest that this processor has
}

// ThisBuild returns what this program was built from.
func ThisBuild() Build {
	b := Build{
		Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: kernel.InstructionSet(),
	}
	if b.Commit != "" {
		return b
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		b.Commit = "unknown"
		return b
	}
	b.Commit = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time": // RFC 3339
			b.Date = s.Value[:len("2006-01-02")]
		}
	}
	return b
}

// String writes the build as one line: 6d7c7a3 (2026-11-22, go1.26.8, linux/amd64, kernels avx2).
func (b Build) String() string {
	line := b.Commit + " ("
	if b.Date != "" {
		line += b.Date + ", "
	}
	return line + b.Go + ", " + b.Platform + ", kernels " + b.Kernels + ")"
}

// Version identifies the program: the commit it was built from, or else the module's
// version.
func Version() string { return ThisBuild().Commit }
