// Package input reads what a person names on the command line: files, standard input, and pipes such as the shell's
// <(…). The writer of a pipe may take a while, or never come; it is waited for as long as a context lasts, so that a
// signal ends the wait.
package input

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Open opens a file for reading. Opening a pipe and reading it end with ctx. Errors name the file.
func Open(ctx context.Context, path string) (io.ReadCloser, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened)
	go func() {
		f, err := os.Open(path)
		select {
		case done <- opened{f, err}:
		case <-ctx.Done():
			f.Close() // of what was not opened this does nothing
		}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		if info, err := o.file.Stat(); err == nil && info.Mode().IsRegular() {
			return o.file, nil
		}
		return Until(ctx, o.file), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", path, stopped{ctx.Err()})
	}
}

// Until returns a reader of in that ends with ctx. It may read more of in than is read of it. Closing it closes in,
// unless that is standard input, which others may read.
func Until(ctx context.Context, in io.Reader) io.ReadCloser {
	out, write := io.Pipe()
	u := &until{PipeReader: out, in: in}
	u.forget = context.AfterFunc(ctx, func() { write.CloseWithError(stopped{ctx.Err()}) })
	go func() {
		_, err := io.Copy(write, in)
		write.CloseWithError(err)
	}()
	return u
}

type until struct {
	*io.PipeReader
	in     io.Reader
	forget func() bool
}

func (u *until) Close() error {
	u.forget()
	err := u.PipeReader.Close()
	if file, ok := u.in.(*os.File); ok && file != os.Stdin {
		err = file.Close()
	}
	return err
}

// stopped is the error for what was not read to its end because the context ended.
type stopped struct{ err error }

func (s stopped) Error() string { return "stopped while it was waited for" }
func (s stopped) Unwrap() error { return s.err }
