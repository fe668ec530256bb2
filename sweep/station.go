package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"croupier/internal/durable"
	"croupier/internal/platform"
)

// station plays runs in processes of their own on this machine.
type station struct {
	file *File
	// command returns the process that calls [Work] for the folder of a run.
	command func(folder string) *exec.Cmd
}

// killedError reports that the process of a run was ended by a signal, which says nothing of the run.
type killedError struct{ error }

func (e *killedError) Unwrap() error { return e.error }

// play plays a run in a folder, in which its weights and its result are then. A run that fails is a result, too; why
// says how it has failed. The error is of this machine, such as a full disk.
func (s station) play(ctx context.Context, j Job, folder string) (r Result, why error, err error) {
	doc, err := json.Marshal(j)
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	if err == nil {
		err = durable.WriteFile(filepath.Join(folder, jobFile), doc)
	}
	if err != nil {
		return Result{}, nil, err
	}
	said, why := s.await(ctx, folder)
	if ctx.Err() != nil {
		return Result{}, nil, ctx.Err()
	}
	if r, found := finished(folder); found && why == nil {
		return r, nil, nil
	}
	if why == nil {
		why = errors.New("it has left no result")
	}
	if said = strings.TrimSpace(said); said != "" {
		why = fmt.Errorf("%w: %s", why, said)
	}
	if noRoom(said) {
		return Result{}, nil, fmt.Errorf("run %s cannot be played: %w", j.Name(), why)
	}
	return s.file.failed(j, why), why, nil
}

// noRoom reports whether a process has ended since the disk was full, which says nothing of the run: all that follow
// would end like it.
func noRoom(said string) bool {
	return strings.Contains(said, syscall.ENOSPC.Error()) || strings.Contains(said, syscall.EDQUOT.Error())
}

// failed is the result of a run that has failed.
func (f *File) failed(j Job, why error) Result {
	return Result{Job: j, Name: f.candidates[j.Candidate].Name, Failed: why.Error()}
}

// await runs the process of a run, which ends with ctx and with this process, and returns the end of what it
// said.
func (s station) await(ctx context.Context, folder string) (said string, err error) {
	// What ends with its parent ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := s.command(folder)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(s.file.Processor))
	// Its standard input ends with this process, also where it does not end by itself.
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	defer in.Close()
	errs := &tail{}
	cmd.Stderr = errs
	platform.EndTogether(cmd)
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { platform.KillTogether(cmd) })()
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		err = &killedError{err}
	}
	return errs.String(), err
}

// maxSaid bounds what is kept of the errors of a process.
const maxSaid = 1000

// tail keeps the end of what is written.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	t.Next(max(0, t.Len()-maxSaid))
	return n, err
}
