package input

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// within fails the test if do takes longer than anybody waits.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for ever")
	}
}

func namedPipe(t *testing.T) string {
	if runtime.GOOS == "windows" {
		t.Skip("there are no named pipes")
	}
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, exec.Command("mkfifo", path).Run())
	return path
}

func TestFilesAndPipesAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("words"), 0o600))
	pipe := namedPipe(t)
	go func() { // the writer may come later, and pause
		time.Sleep(50 * time.Millisecond)
		out, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		out.WriteString("wo")
		time.Sleep(50 * time.Millisecond)
		out.WriteString("rds")
		out.Close()
	}()
	for _, path := range []string{file, pipe} {
		in, err := Open(t.Context(), path)
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, "words", string(text))
		require.NoError(t, in.Close())
	}
	_, err := Open(t.Context(), file+"s")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// No process opens the other end of a pipe, or one does and writes nothing more.
func TestPipesAreWaitedForUntilTheEnd(t *testing.T) {
	pipe := namedPipe(t)
	within(t, func() {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := Open(ctx, pipe)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, pipe)
	})
	out, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer out.Close()
	_, err = out.WriteString("wo")
	require.NoError(t, err)
	within(t, func() {
		ctx, cancel := context.WithCancel(t.Context())
		in, err := Open(ctx, pipe)
		require.NoError(t, err)
		text := make([]byte, len("wo"))
		_, err = io.ReadFull(in, text)
		require.NoError(t, err)
		require.Equal(t, "wo", string(text))
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err = in.Read(text)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, in.Close())
	})
}

func TestUntil(t *testing.T) {
	in := Until(t.Context(), strings.NewReader("words"))
	text, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, "words", string(text))
	require.NoError(t, in.Close())
	for _, err := range []error{nil, io.ErrUnexpectedEOF} { // what reading returns
		read, write := io.Pipe()
		write.CloseWithError(err)
		_, got := io.ReadAll(Until(t.Context(), read))
		require.Equal(t, err, got)
	}
}
