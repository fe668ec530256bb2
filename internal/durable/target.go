package durable

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"croupier/internal/regular"
)

// Target is where something that is written under a path goes.
type Target struct {
	Path string      // with its symbolic links followed
	Info fs.FileInfo // of what is there, nil if nothing is
	// open reports that the path is another name of a file that a process has open, as /dev/stdout is.
	open bool
}

// maxLinks is how many symbolic links are followed, as Linux does.
const maxLinks = 40

// Find follows the symbolic links of path, up to a link to nothing. The folder of the target must exist.
func Find(path string) (*Target, error) {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return nil, errors.New("it is not the name of a file")
	}
	for range maxLinks {
		folder, name := filepath.Split(path) // Dir would take .. for the parent of a link
		folder, err := filepath.EvalSymlinks(cmp.Or(folder, "."))
		if err != nil {
			return nil, err
		}
		path = filepath.Join(folder, name)
		if isOpenFile(folder) {
			info, err := os.Stat(path)
			return &Target{path, info, true}, err
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &Target{Path: path}, nil
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink == 0:
			return &Target{Path: path, Info: info}, nil
		}
		next, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(next) {
			next = folder + string(filepath.Separator) + next // whose .. may follow a link
		}
		path = next
	}
	return nil, fmt.Errorf("there are more than %d links", maxLinks)
}

// isOpenFile reports whether the entries of a folder are the open files of a process.
func isOpenFile(folder string) bool {
	return folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/")
}

// Stream reports whether to write to what is there instead of replacing it: a pipe, a device, a socket, or a file that
// a process has open.
func (t *Target) Stream() bool {
	return t.open || t.Info != nil && !t.Info.Mode().IsRegular() && !t.Info.IsDir()
}

// Replaceable returns an error if there is anything but a regular file.
func (t *Target) Replaceable() error {
	switch {
	case t.open:
		return errors.New("it is a file that a process has open")
	case t.Info != nil && !t.Info.Mode().IsRegular():
		return fmt.Errorf("it is not a regular file but %s", regular.Kind(t.Info.Mode()))
	}
	return nil
}
