package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// readers are commands with FILE in the place of a file that they read.
var readers = []string{
	"config pig --config FILE", "config pig --rules FILE", "config pig --league FILE", "advise pig --position FILE", "advise pig --rules FILE --example",
	"replay FILE", "review FILE", "solve tysiac --double-dummy FILE", "solve tysiac --melds FILE", "simulate pig --rules FILE",
	"solve pig --rules FILE", "arena --game pig --rules FILE random hold(20)", "compare pig random hold(20) --rules FILE",
	"agent check exec:true --game pig --rules FILE", "broker --dir DIR --user roles --password-file FILE",
	"broker --dir DIR --cluster c --name b --cluster-listen 127.0.0.1:0 --cluster-user brokers --cluster-password-file FILE",
}

// Whoever writes a pipe is waited for, in every command that reads pipes, and a signal ends the wait.
func TestASignalEndsTheWaitForAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no named pipes")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, exec.Command("mkfifo", pipe).Run())
	for _, line := range readers {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.NewReplacer("FILE", pipe, "DIR", filepath.Join(dir, "store")).Replace(line))
			ctx, signal := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, signal)
			ended := make(chan int)
			var out, errOut bytes.Buffer
			go func() { ended <- run(ctx, args, strings.NewReader(""), &out, &errOut) }()
			select {
			case status := <-ended:
				require.Equal(t, 1, status, &errOut)
				require.Contains(t, errOut.String(), pipe)
				require.Empty(t, out.String())
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for ever")
			}
		})
	}
}

// So is whoever types, into whatever reads standard input to its end.
func TestASignalEndsTheWaitForStandardInput(t *testing.T) {
	typed, end, err := os.Pipe()
	require.NoError(t, err)
	defer end.Close()
	for _, line := range []string{"advise pig --position -", "replay -", "review -", "solve tysiac --melds -"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		ended := make(chan int)
		var errOut bytes.Buffer
		go func() { ended <- run(ctx, strings.Fields(line), typed, new(bytes.Buffer), &errOut) }()
		select {
		case status := <-ended:
			require.Equal(t, 1, status, "%s: %s", line, &errOut)
		case <-time.After(20 * time.Second):
			t.Fatal("it waits for ever: " + line)
		}
	}
}
