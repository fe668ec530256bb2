//go:build long

package tests

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// A release has a program for each platform, licences of all that is in them, and right checksums. Made again without
// anything that was compiled before, every byte is the same; and the program for arm64 trains.
func TestRelease(t *testing.T) {
	first := copied(t, "..")
	again, version := copied(t, first), newestRelease(t)
	for _, dir := range []string{first, again} {
		inGit(t, dir, "tag", "--force", "v"+version)
		lend(t, dir)
	}
	for dir, cache := range map[string][]string{first: nil, again: {"GOCACHE=" + t.TempDir()}} {
		release := exec.Command(filepath.Join(dir, "deploy/release.sh"), "build")
		release.Env = append(append(os.Environ(), "VERSION="+version), cache...)
		out, err := testproc.CombinedOutput(release)
		require.NoError(t, err, "%s", out)
	}
	sums, err := os.ReadFile(filepath.Join(first, "dist/SHA256SUMS"))
	require.NoError(t, err)
	repeated, err := os.ReadFile(filepath.Join(again, "dist/SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, string(sums), string(repeated))

	var files []string
	for _, line := range strings.Split(strings.TrimSpace(string(sums)), "\n") {
		digest, file, _ := strings.Cut(line, "  ")
		require.Equal(t, sum(t, filepath.Join(first, "dist", file)), digest, file)
		files = append(files, file)
	}
	programs := []string{"croupier-darwin-amd64", "croupier-darwin-arm64", "croupier-linux-amd64", "croupier-linux-arm64",
		"croupier-windows-amd64.exe", "croupier-windows-arm64.exe"}
	wanted := []string{"LICENSES.txt"}
	for _, p := range programs {
		if p == "croupier-windows-amd64.exe" {
			wanted = append(wanted, "croupier-man.tar")
		}
		wanted = append(wanted, p, p+".cdx.json")
	}
	require.Equal(t, wanted, files)
	licences, err := os.ReadFile(filepath.Join(first, "dist/LICENSES.txt"))
	require.NoError(t, err)
	for _, file := range programs {
		checkInventory(t, filepath.Join(first, "dist", file), "v"+version)
		info, err := buildinfo.ReadFile(filepath.Join(first, "dist", file))
		require.NoError(t, err, file)
		for _, module := range info.Deps {
			require.Contains(t, string(licences), "\n==== "+module.Path+" "+module.Version+": ", file)
		}
	}

	emulator, arm64 := needs(t, "qemu-aarch64-static"), filepath.Join(first, "dist/croupier-linux-arm64")
	out, err := testproc.CombinedOutput(exec.Command(emulator, arm64, "--version"))
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "croupier "+version+" (commit "+commit(t, first)+", ")
	require.Contains(t, string(out), "linux/arm64, kernels neon")
	out, err = testproc.CombinedOutput(exec.Command(emulator, arm64, "train", "kuhn", "--games", "20000", "--listen",
		"off", "--actors", "1",
		"--run", filepath.Join(t.TempDir(), "run")))
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "main@")
}
