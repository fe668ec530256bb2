package input

import (
	"log/slog"
	"os"
	"runtime"
)

// WarnOfReaders says if everybody on the machine can read a file with a secret. Its group may: that is how containers
// are given theirs. Windows says nothing about that in a file's mode.
func WarnOfReaders(log *slog.Logger, path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o007 == 0 || runtime.GOOS == "windows" {
		return
	}
	log.Warn("everybody can read this secret: chmod 600", "file", path, "mode", info.Mode().Perm())
}
