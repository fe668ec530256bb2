//go:build nightly && linux

// Package offline checks that the tests need no network once tests/needs.sh has been run. It stands alone, because
// package tests is in a network namespace of its own, and here something is fetched first.
package offline

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// called are the tests that run the go tool, or programs that can fetch what they miss.
const called = "^Test(PictureOfThePackages|ImportsPointDownwards|Kubernetes|AutoscalingRule|KernelsOfARM64|ReleaseIsReproducible|" +
	"TrainTakesAnotherPortThanTheDefault)$"

// A clean clone with empty caches: tests/needs.sh fetches all that the tests need. Then, without any network,
// everything compiles, and the tests pass that call what could fetch something.
func TestWithoutANetwork(t *testing.T) {
	if os.Geteuid() != 0 {
		require.Empty(t, os.Getenv("CI"), "it needs root")
		fmt.Fprintln(os.Stderr, "LEFT OUT:", t.Name(), "needs root, for a namespace without a network")
		t.Skip("needs root")
	}
	home := t.TempDir()
	clone := filepath.Join(home, "croupier")
	run(t, "", nil, "git", "clone", "--quiet", "--no-hardlinks", "../..", clone)
	// Else what is in the cache of modules could not be removed.
	env := []string{
		"GOFLAGS=-modcacherw", "GOMODCACHE=" + filepath.Join(home, "modules"), "GOCACHE=" + filepath.Join(home, "cache"),
		"CROUPIER_TEST_PROGRAMS=" + filepath.Join(home, "programs"),
	}
	run(t, clone, env, "tests/needs.sh")
	alone := func(args ...string) {
		t.Helper()
		shell := []string{"--net", "sh", "-c", `ip link set lo up && exec "$@"`, "sh"}
		run(t, clone, env, "unshare", append(shell, args...)...)
	}
	alone("go", "vet", "./...")
	alone("go", "test", "-tags", "nightly", "-count=1", "-run", called, "./tests")
	alone("go", "test", "-count=1", "./internal/testprogram")
}

// run runs a program that must succeed. Without a folder it is this package's.
func run(t *testing.T, dir string, env []string, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	if strings.Contains(program, "/") {
		cmd.Path = filepath.Join(dir, program)
	}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := testproc.CombinedOutput(cmd)
	require.NoError(t, err, "%s\n%s", cmd, out)
	t.Logf("%s\n%s", cmd, out)
}
