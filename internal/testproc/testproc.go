// Package testproc starts the processes of tests so that they end with the test process, however that ends: in good
// order, by a panic when its time is over, or by a SIGKILL.
package testproc

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
)

// Start starts the command like its Start method. The command, and on Unix also what it starts in its turn, ends with
// this process. A command that asks for a process group or a session of its own (Setpgid, Setsid) keeps it; then only
// Linux ends it, and not what it starts. Namespaces of the calling thread do not pass on to the command.
func Start(cmd *exec.Cmd) error {
	if err := Tie(cmd); err != nil {
		return err
	}
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}

// Tie prepares a command that something else starts. What Start says of it is then true as long as the thread that
// starts it lives.
func Tie(cmd *exec.Cmd) error { return tie(cmd) }

// starter runs functions on a thread that lives as long as this process: Linux ends a command with the thread that
// started it (PR_SET_PDEATHSIG), and threads end when a goroutine ends that is locked to them.
var starter = sync.OnceValue(func() chan<- func() {
	do := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range do {
			f()
		}
	}()
	return do
})

// Run starts the command and waits until it ends.
func Run(cmd *exec.Cmd) error {
	if err := Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// Output returns what the command writes to its standard output. When it fails, the error has what it wrote to its
// standard error, unless that goes elsewhere.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out, complaint bytes.Buffer
	if cmd.Stdout != nil {
		return nil, errors.New("testproc: the standard output goes elsewhere")
	}
	cmd.Stdout = &out
	if cmd.Stderr == nil {
		cmd.Stderr = &complaint
	}
	err := Run(cmd)
	if words := strings.TrimSpace(complaint.String()); err != nil && words != "" {
		err = fmt.Errorf("%w\n%s", err, words)
	}
	return out.Bytes(), err
}

// CombinedOutput returns what the command writes to its standard output and its standard error.
func CombinedOutput(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	if cmd.Stdout != nil || cmd.Stderr != nil {
		return nil, errors.New("testproc: the output goes elsewhere")
	}
	cmd.Stdout, cmd.Stderr = &out, &out
	err := Run(cmd)
	return out.Bytes(), err
}
