package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"croupier/internal/durable"
	"croupier/internal/input"
	"croupier/internal/platform"
	"croupier/internal/rundir"
)

// openInput opens the file of text that an argument names, "-" being standard input, and says what
// to call it in errors. It is waited for until ctx ends.
func openInput(ctx context.Context, path string, stdin io.Reader) (in io.ReadCloser, name string, err error) {
	if name = path; path == "-" {
		name, in = "standard input", input.Until(ctx, stdin)
	} else if in, err = input.Open(ctx, path); err != nil {
		return nil, name, err
	}
	return decoded{input.TextReader(in), in}, name, nil
}

// decoded is a file of text, read through its decoder.
type decoded struct {
	io.Reader
	io.Closer
}

// outputName is what to call the output that a flag names.
func outputName(path string) string {
	if path == "-" {
		return "standard output"
	}
	return path
}

// writeOutput has write fill the output that a flag names: "-" is standard output, a pipe or device is written to, and
// anything else is a file, which appears under its name only once it is complete. A reader of a stream that goes away
// early, as head does, is no error.
func writeOutput(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return unlessReaderGone(buffered(stdout, write))
	}
	target, err := durable.Find(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !target.Stream() {
		return durable.Create(path, func(f *os.File) error { return buffered(f, write) })
	}
	stream, err := openStream(target)
	if err != nil {
		return err
	}
	return unlessReaderGone(errors.Join(buffered(stream, write), stream.Close()))
}

func unlessReaderGone(err error) error {
	if platform.IsReaderGone(err) {
		return nil
	}
	return err
}

// openStream opens a pipe, device or socket, or another name of a file that is open, for adding to it.
func openStream(target *durable.Target) (io.WriteCloser, error) {
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		// Opening its other name again would write over what is in a file, and does not work with a socket.
		if info, err := file.Stat(); err == nil && os.SameFile(info, target.Info) {
			return keptOpen{file}, nil
		}
	}
	if target.Info.Mode()&fs.ModeSocket != 0 {
		return net.Dial("unix", target.Path)
	}
	return os.OpenFile(target.Path, os.O_WRONLY|os.O_APPEND, 0)
}

// keptOpen is a stream that others continue using.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// isStream reports whether an output is "-", a pipe or a device.
func isStream(path string) bool {
	if path == "-" {
		return true
	}
	target, err := durable.Find(path)
	return err == nil && target.Stream()
}

// makeOutput is writeOutput for what can only be made as a file under a name. What is to be said about it then belongs
// on standard error if the output is a stream.
func makeOutput(path string, stdout io.Writer, create func(path string) error) error {
	if !isStream(path) {
		return create(path)
	}
	folder, err := os.MkdirTemp("", "croupier-output-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	made := filepath.Join(folder, "output")
	if err := create(made); err != nil {
		return err
	}
	f, err := os.Open(made)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeOutput(path, stdout, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
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
