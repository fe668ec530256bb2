package cluster

import (
	"cmp"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"croupier/nn/kernel"
)

// version, commit and date are the release's version, the commit that the program was built from and that commit's
// date.
// deploy/build.sh sets them (-ldflags -X), version only for a commit with the tag of a release. A plain `go build`
// leaves them empty; then what Go itself has noted counts.
var version, commit, date string

// Build is what a program was built from, and what it runs on.
type Build struct {
	Version  string // of the release, 0.1.0; "" for a development build
	Commit   string // in full; "-dirty" behind it: with changes that are not committed; "" where it is not known
	Date     string // of the commit, 2026-11-22; "" where it is not known
	Go       string // release of Go
	Platform string // linux/amd64
	Kernels  string // instruction set of the kernels of networks, the fastest that this processor has
}

// ThisBuild returns what this program was built from.
func ThisBuild() Build {
	b := Build{Version: version, Commit: commit, Date: date}
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		b = noted(info)
	}
	b.Go, b.Platform, b.Kernels = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, kernel.InstructionSet()
	return b
}

// releaseTag is the tag of a release or of a candidate for one. deploy/version.sh has the same form. Go's own versions
// of commits without a tag (v0.1.1-0.20261128…) and of changed trees (v0.1.0+dirty) are not of it.
var releaseTag = regexp.MustCompile(`^v(\d+\.\d+\.\d+(?:-rc\.\d+)?)$`)

// noted returns what Go has noted of a build in a clone: the tag, and the commit.
func noted(info *debug.BuildInfo) (b Build) {
	if tag := releaseTag.FindStringSubmatch(info.Main.Version); tag != nil {
		b.Version = tag[1]
	}
	changed := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time": // RFC 3339
			b.Date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	if changed {
		b.Version, b.Commit = "", b.Commit+"-dirty"
	}
	return b
}

// String writes the build as one line: 0.1.0 (commit 6d7c7a3, 2026-11-22, go1.26.8, linux/amd64, kernels avx2). A
// development build has devel in the place of the version.
func (b Build) String() string {
	var about []string
	if b.Commit != "" {
		about = append(about, "commit "+b.Commit)
	}
	if b.Date != "" {
		about = append(about, b.Date)
	}
	about = append(about, b.Go, b.Platform, "kernels "+b.Kernels)
	return cmp.Or(b.Version, "devel") + " (" + strings.Join(about, ", ") + ")"
}

// Version identifies the program in what it writes: the version of a release with its commit (0.1.0+6d7c7a3), the
// commit of a development build, or devel where neither is known.
func Version() string {
	b := ThisBuild()
	if b.Version != "" && b.Commit != "" {
		return b.Version + "+" + b.Commit
	}
	return cmp.Or(b.Version, b.Commit, "devel")
}
