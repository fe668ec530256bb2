//go:build nightly

package tests

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// The tests of the kernels pass on an emulated arm64 processor, where the fastest set is
// NEON's, and its results have the bits of AVX2's.
func TestKernelsOfARM64(t *testing.T) {
	emulator, binary := needs(t, "qemu-aarch64-static"), filepath.Join(t.TempDir(), "kernel.test")
	build := exec.Command("env", "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0",
		"go", "test", "-c", "-o", binary, "croupier/nn/kernel")
	out, err := testproc.CombinedOutput(build)
	require.NoError(t, err, "%s", out)
	run := exec.Command(emulator, binary, "-test.v", "-rapid.checks=10", "-test.skip=/portable|Scalar")
	run.Dir = "../nn/kernel"
	out, err = testproc.CombinedOutput(run)
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestFusedSetsGiveTheSameBitsOnEveryArchitecture")
	require.Contains(t, string(out), "--- PASS: TestProductAgainstReference/neon")
}
