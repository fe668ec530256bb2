package rundir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A document that no run has written is refused by its size, before any of it is read.
func TestHugeDocuments(t *testing.T) {
	for file, read := range map[string]func(dir string) error{
		"run.json":  func(dir string) error { _, err := ReadInfo(dir); return err },
		SessionFile: func(dir string) error { _, err := ReadSession(dir); return err },
		reachFile:   func(dir string) error { _, err := ReadReach(dir); return err },
	} {
		path := filepath.Join(t.TempDir(), file)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Truncate(path, 8<<30))
		err := read(filepath.Dir(path))
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, "limit of 1048576")
	}
}
