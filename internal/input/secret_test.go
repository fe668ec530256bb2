//go:build unix

package input

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A secret that others can read is reported, with the file and its mode.
func TestReadersOfASecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "actor.nk")
	require.NoError(t, os.WriteFile(path, []byte("secret"), 0o600))
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	WarnOfReaders(logger, path)
	WarnOfReaders(logger, path+".none")
	require.NoError(t, os.Chmod(path, 0o640))
	WarnOfReaders(logger, path)
	require.Empty(t, log.String())
	for _, mode := range []os.FileMode{0o644, 0o604} {
		log.Reset()
		require.NoError(t, os.Chmod(path, mode))
		WarnOfReaders(logger, path)
		require.Contains(t, log.String(), "everybody can read this secret: chmod 600")
		require.Contains(t, log.String(), path)
		require.Contains(t, log.String(), mode.String())
	}
}
