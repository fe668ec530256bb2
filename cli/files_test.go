package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// readers are commands with FILE in the place of a file that they read.
var readers = []string{
	"config pig --config FILE", "config pig --rules FILE", "config pig --league FILE", "advise pig --position FILE",
	"advise pig --rules FILE --example",
	"replay FILE", "advise review FILE", "solve tysiac --double-dummy FILE", "solve tysiac --melds FILE",
	"simulate pig --rules FILE", "games program pig --rules FILE",
	"solve pig --rules FILE", "arena --game pig --rules FILE random hold(20)",
	"advise compare pig random hold(20) --rules FILE",
	"arena check exec:true --game pig --rules FILE", "broker --dir DIR --user roles --password-file FILE",
	"broker --dir DIR --cluster c --name b --cluster-listen 127.0.0.1:0 --cluster-user brokers --cluster-password-file FILE",
}

// The writer of a pipe is waited for, in every command that reads pipes, and a signal ends the wait.
func TestASignalEndsTheWaitForAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no named pipes")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, testproc.Run(exec.Command("mkfifo", pipe)))
	for _, line := range readers {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.NewReplacer("FILE", pipe, "DIR", filepath.Join(dir, "store")).Replace(line))
			// A command that is not yet at the pipe when the signal comes speaks of something else: it gets more time.
			for delay := 100 * time.Millisecond; ; delay *= 2 {
				ctx, signal := context.WithCancel(t.Context())
				time.AfterFunc(delay, signal)
				ended := make(chan int)
				var out, errOut bytes.Buffer
				go func() { ended <- installed.run(ctx, args, strings.NewReader(""), &out, &errOut) }()
				select {
				case status := <-ended:
					require.Equal(t, 1, status, &errOut)
					require.Empty(t, out.String())
				case <-time.After(time.Minute):
					t.Fatal("it waits for ever")
				}
				if strings.Contains(errOut.String(), pipe) {
					break
				}
				require.Less(t, delay, time.Minute, "the pipe is not named: %s", &errOut)
			}
		})
	}
}

// So is a person that types, into whatever reads standard input to its end.
func TestASignalEndsTheWaitForStandardInput(t *testing.T) {
	typed, end, err := os.Pipe()
	require.NoError(t, err)
	defer end.Close()
	for _, line := range []string{"advise pig --position -", "replay -", "advise review -", "solve tysiac --melds -"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		ended := make(chan int)
		var errOut bytes.Buffer
		go func() { ended <- installed.run(ctx, strings.Fields(line), typed, new(bytes.Buffer), &errOut) }()
		select {
		case status := <-ended:
			require.Equal(t, 1, status, "%s: %s", line, &errOut)
		case <-time.After(time.Minute):
			t.Fatal("it waits for ever: " + line)
		}
	}
}

// refusers are further commands with FILE in the place of a file that they read, and NEW in that of what they make.
var refusers = []string{
	"contribute nats://127.0.0.1:1 --key FILE", "contribute nats://127.0.0.1:1 --run r --key FILE",
	"actor --metrics off --nats nats://127.0.0.1:1 --run NEW --creds FILE",
	"learner pig --metrics off --nats nats://127.0.0.1:1 --run NEW --creds FILE",
	"actor --metrics off --nats tls://127.0.0.1:1 --run NEW --tls-ca FILE",
	"actor --metrics off --nats tls://127.0.0.1:1 --run NEW --tls-cert FILE --tls-key FILE",
	"runs actors list --nats nats://127.0.0.1:1 --run r --creds FILE",
	"broker --metrics off --dir NEW --listen 127.0.0.1:0 --credentials FILE",
	"broker --metrics off --dir NEW --listen 127.0.0.1:0 --tls-cert FILE --tls-key FILE",
	"broker --metrics off --dir NEW --cluster c --name b --cluster-listen 127.0.0.1:0 --cluster-cert FILE --cluster-key FILE --cluster-ca FILE",
	"broker --metrics off --leaf-of nats://127.0.0.1:1 --listen 127.0.0.1:0 --leaf-key FILE --credentials FILE",
	"train pig --run NEW --listen off --nats-listen 127.0.0.1:0 --credentials FILE",
	"train pig --run NEW --listen off --config FILE",
	"train pig --run NEW --users FILE", "train pig --run NEW --https-cert FILE --https-key FILE",
	"web --runs NEW --listen 127.0.0.1:0 --users FILE",
	"web --runs NEW --listen 127.0.0.1:0 --https-cert FILE --https-key FILE",
	"serve hold(20) --game pig --listen 127.0.0.1:0 --users FILE", "serve file:FILE --game pig --listen 127.0.0.1:0",
	"play --continue FILE",
	"simulate pig --policy file:FILE", "simulate pig --policy search:file:FILE", "simulate banluck --policy file:FILE",
	"simulate lange-strasse --policy file:FILE", "arena --game pig --agents FILE", "arena --game pig random file:FILE",
	"sweep FILE --out NEW",
	"sweep show FILE", "bench --only inference --network pig=FILE", "status --run FILE", "ladder --run FILE",
	"export --run FILE --out NEW",
	"archive dataset FILE --out NEW", "train --resume --run FILE",
}

// makers are commands that make FILE where there is none.
var makers = []string{
	"web passwd anna --users FILE", "web --runs NEW --listen 127.0.0.1:0 --token-file FILE",
	"serve hold(20) --game pig --listen 127.0.0.1:0 --token-file FILE",
}

// TestStrangeFilesAreNamed gives every command files that are not what it reads: it says in one line which file that
// is, and leaves nothing behind and the file as it was.
func TestStrangeFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, size int64) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		if size > 0 {
			require.NoError(t, os.Truncate(path, size))
		}
		return path
	}
	strange := []string{
		file("binary", strings.Repeat("\x00\xff\x80\x1b[2J\n", 20_000), 0), file("endless", "", 10<<30), dir, "/dev/zero",
	}
	missing := filepath.Join(dir, "missing")
	for i, line := range slices.Concat(readers, refusers, makers) {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			paths := strange
			if i < len(readers)+len(refusers) {
				paths = append(slices.Clip(strange), missing)
			}
			fresh := filepath.Join(t.TempDir(), "new")
			for _, path := range paths {
				args := strings.Fields(strings.NewReplacer("FILE", path, "DIR", fresh, "NEW", fresh).Replace(line))
				before, _ := os.Stat(path)
				status, out, said := croupier("12345678\n", args...)
				require.Contains(t, []int{1, 2}, status, "%v: %s", args, said)
				require.Empty(t, out)
				require.Contains(t, said, path)
				require.Less(t, len(said), 2000)
				require.NotContains(t, said, "\x1b")
				require.NoFileExists(t, fresh)
				require.NoDirExists(t, fresh)
				after, _ := os.Stat(path)
				if before != nil {
					require.Equal(t, before.Size(), after.Size())
					require.True(t, before.ModTime().Equal(after.ModTime()) || path == "/dev/zero")
				}
			}
		})
	}
	require.NoFileExists(t, missing)
}
