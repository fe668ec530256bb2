package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"croupier/internal/input"
	"croupier/internal/platform"
	"croupier/internal/rundir"
)

// openInput opens the file that an argument names, "-" being standard input, and says what
// to call it in errors. It is waited for until ctx ends.
func openInput(ctx context.Context, path string, stdin io.Reader) (in io.ReadCloser, name string, err error) {
	if path == "-" {
		return input.Until(ctx, stdin), "standard input", nil
	}
	in, err = input.Open(ctx, path)
	return in, path, err
}

// writeOutput has write fill the output that --out names: "-" is standard output, anything
// else a file, which appears under its name only once it is complete. A reader of standard
// output that goes away early, as head does, is no error.
func writeOutput(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		err := buffered(stdout, write)
		if platform.IsReaderGone(err) {
			return nil
		}
		return err
	}
	// Write to a pipe or device instead of replacing it.
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

// buffered flushes even if write fails, so that what was written before the error can be
// seen.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	err := write(b)
	if flushed := b.Flush(); err == nil {
		err = flushed
	}
	return err
}

// givenOrNewest returns the run directory that --run names, or else the newest below runs. It
// holds a run.
func givenOrNewest(run string) (dir string, err error) {
	if run == "" {
		return rundir.Newest(rundir.Parent)
	}
	_, err = rundir.ReadInfo(run)
	return run, err
}
