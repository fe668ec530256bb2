package input

import (
	"log/slog"
	"os"
	"runtime"
)

// WarnOfReaders says if the owner of a file with a secret is not the only one who can read it. Windows says nothing about
// that in a file's mode.
func WarnOfReaders(log *slog.Logger, path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return
	}
	log.Warn("others can read this secret: chmod 600", "file", path, "mode", info.Mode().Perm())
}
