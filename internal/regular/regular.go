// Package regular reads files that somebody names, without waiting for them or running out of memory:
// devices, pipes and directories are refused, and so is what is too large, before any of it is read.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrEmpty is wrapped by the error for a file without content.
var ErrEmpty = errors.New("it is empty")

// Open opens a regular file of any size for reading, and never waits. Errors name the file.
func Open(path string) (*os.File, error) {
	// Without O_NONBLOCK, opening a named pipe would wait for somebody who writes.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if _, err := check(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Read returns what a regular file holds, which must be from 1 to that many bytes. It takes as much memory as the file
// says that it is long, and never waits. Errors name the file.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return readAndClose(f, path, most)
}

// ReadIn is Read for a file below a directory that nothing leads out of.
func ReadIn(root *os.Root, path string, most int64) ([]byte, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return readAndClose(f, path, most)
}

func readAndClose(f *os.File, path string, most int64) ([]byte, error) {
	defer f.Close()
	data, err := read(f, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

func read(f *os.File, most int64) ([]byte, error) {
	size, err := check(f)
	if err != nil {
		return nil, err
	}
	switch {
	case size == 0: // as all files of /proc say
		return nil, ErrEmpty
	case size > most:
		return nil, fmt.Errorf("its %d bytes are more than the limit of %d", size, most)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("it has become shorter, or cannot be read: %w", err)
	}
	return data, nil
}

// check returns the size of a regular file, and an error for any other.
func check(f *os.File) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("it is not a regular file but %s", Kind(info.Mode()))
	}
	return info.Size(), nil
}

// Kind reports what a file is that is not regular.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
