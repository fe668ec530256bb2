package cluster

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only a commit with the tag of a release is called by its version; everything else says that it is a development
// build.
func TestBuildsAreNamed(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "6d7c7a3"}
	day := debug.BuildSetting{Key: "vcs.time", Value: "2026-11-22T10:00:00Z"}
	clean, changed := debug.BuildSetting{Key: "vcs.modified", Value: "false"},
		debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.1.0", []debug.BuildSetting{revision, day, clean}, "0.1.0 (commit 6d7c7a3, 2026-11-22, "},
		{"v1.0.0-rc.2", []debug.BuildSetting{revision, day, clean}, "1.0.0-rc.2 (commit 6d7c7a3, 2026-11-22, "},
		{"v0.1.0", nil, "0.1.0 ("},
		{"v0.1.0+dirty", []debug.BuildSetting{revision, day, changed}, "devel (commit 6d7c7a3-dirty, 2026-11-22, "},
		{"v0.1.1-0.20261122100000-6d7c7a3b1f00", []debug.BuildSetting{revision, day, clean},
			"devel (commit 6d7c7a3, 2026-11-22, "},
		{"v0.1.0-beta", []debug.BuildSetting{revision, clean}, "devel (commit 6d7c7a3, "},
		{"(devel)", nil, "devel ("},
		{"", nil, "devel ("},
	} {
		b := noted(&debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings})
		b.Go, b.Platform, b.Kernels = "go1.26.8", "linux/amd64", "avx2"
		require.Equal(t, c.want+"go1.26.8, linux/amd64, kernels avx2)", b.String())
	}
}

// What is set when it is linked counts before what Go has noted, and identifies what the program writes.
func TestBuildsAreIdentified(t *testing.T) {
	t.Cleanup(func() { version, commit, date = "", "", "" })
	version, commit, date = "0.1.0", "6d7c7a3", "2026-11-22"
	require.Contains(t, ThisBuild().String(), "0.1.0 (commit 6d7c7a3, 2026-11-22, go1.")
	require.Equal(t, "0.1.0+6d7c7a3", Version())
	version = ""
	require.Equal(t, "6d7c7a3", Version())
	commit = ""
	require.NotEmpty(t, Version())
	require.NotRegexp(t, `^\d+\.`, Version(), "a test is no release")
}
