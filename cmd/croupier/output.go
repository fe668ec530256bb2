package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"croupier/internal/platform"
)

// writeOutput lets write fill the output that --out names: "-" is standard output,
// anything else a file, which appears under its name only when all has been written.
// A reader that goes away early (as head does) is no error.
func writeOutput(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		err := buffered(stdout, write)
		if platform.IsReaderGone(err) {
			return nil
		}
		return err
	}
	// A pipe or device is written to, not replaced.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		return errors.Join(buffered(f, write), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	err = errors.Join(buffered(f, write), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// buffered flushes also when write fails, so that what was written before the error
// is seen.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	err := write(b)
	if flushed := b.Flush(); err == nil {
		err = flushed
	}
	return err
}
