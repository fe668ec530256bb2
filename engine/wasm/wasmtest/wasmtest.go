// Package wasmtest builds games in Go as files, for tests.
package wasmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Build builds the package main of a folder, with the Go that runs the tests.
func Build(t testing.TB, folder string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-s", "-o", path, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	return file
}
