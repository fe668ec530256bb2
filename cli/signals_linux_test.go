package cli

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"croupier/internal/testproc"
)

// lasting are commands that work until they are asked to end: what the terminal shows when they do, or else the file
// that there is then, and their exit status in the end. DIR is an empty folder, RUN a run.
var lasting = []struct {
	line, shown, file string
	saved             string // what there is in the end
	status            int
}{
	{line: "train kuhn --run DIR/run --listen off --actors 1", shown: "training ", saved: "DIR/run/checkpoints/*"},
	{line: "train kuhn --run DIR/run --listen off --deterministic --quiet", file: "DIR/run/config.yaml"},
	{line: "play pig --seed 1 --folder DIR/played", shown: "> ", saved: "DIR/played/*", status: 1},
	{line: "companion pig --folder DIR/played", shown: "> ", saved: "DIR/played/*", status: 1},
	{line: "drill pig --seed 1", shown: "> "},
	{line: "play --listen 127.0.0.1:0 --folder DIR/played", shown: "http://"},
	{line: "simulate pig --games 1000000000 --out DIR/games", file: "DIR/.games.*.tmp", status: 1},
	{line: "broker --dir DIR/store --listen 127.0.0.1:0 --metrics off", shown: "broker ready"},
	{line: "web --runs DIR --listen 127.0.0.1:0", shown: "http://"},
	{line: "serve random --game pig --listen 127.0.0.1:0", shown: "http://"},
	{line: "archive dataset RUN --out DIR/games.parquet", file: "DIR/*games.parquet*", status: 1},
}

// session is a process that leads the session of a terminal of its own.
type session struct {
	*exec.Cmd
	screen *os.File // the other end of the terminal
	shown  shared
	ended  chan struct{}
}

// shared is a buffer of several goroutines.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// newSession starts a program on a new pseudo-terminal (pty(7)). Its temporary files are in dir.
func newSession(t *testing.T, dir, name string, args ...string) *session {
	t.Helper()
	s := &session{Cmd: exec.Command(name, args...), ended: make(chan struct{})}
	s.Env = append(os.Environ(), "TMPDIR="+dir)
	var err error
	s.screen, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	control, err := s.screen.SyscallConn() // Fd would have reads block until the end
	require.NoError(t, err)
	var number uint32
	require.NoError(t, control.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetUint32(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, err)
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	s.Stdin, s.Stdout, s.Stderr = terminal, terminal, terminal
	s.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, testproc.Start(s.Cmd))
	require.NoError(t, terminal.Close())
	go func() { _, _ = s.screen.WriteTo(&s.shown) }() // ends with the terminal
	go func() {
		defer close(s.ended)
		_ = s.Wait() // ProcessState reports how it ended
	}()
	t.Cleanup(func() {
		_ = s.Process.Kill() // an error says that it has ended
		<-s.ended
		_ = s.screen.Close()
	})
	return s
}

// until waits until something is so, or the process has ended.
func (s *session) until(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.ended:
			return
		default:
		}
		require.True(t, time.Now().Before(deadline), "%s: it does not begin\n%s", s.Cmd, &s.shown)
	}
}

// status waits for the end of the process, which no signal has caused.
func (s *session) status(t *testing.T) int {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(2 * time.Minute):
		require.Fail(t, "it does not end", "%s\n%s", s.Cmd, &s.shown)
	}
	require.True(t, s.ProcessState.Exited(), "%s: %v", s.Cmd, s.ProcessState)
	return s.ProcessState.ExitCode()
}

// leftovers returns the files that are only there while something is written.
func leftovers(t *testing.T, dir string) (list []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, "croupier-") {
			list = append(list, path)
		}
		return err
	}))
	return list
}

// A terminal that is closed, as by a lost connection, ends every command in order: it saves, and leaves nothing behind.
func TestAHangUpEndsCommandsInOrder(t *testing.T) {
	run := trained(t)
	for _, c := range lasting {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := strings.NewReplacer("DIR", dir, "RUN", run)
			s := newSession(t, dir, os.Args[0], strings.Fields(in.Replace(c.line))...)
			s.until(t, func() bool {
				found, _ := filepath.Glob(in.Replace(c.file)) // the pattern is well-formed
				return len(found) > 0 || c.shown != "" && strings.Contains(s.shown.String(), c.shown)
			})
			require.NoError(t, s.screen.Close())
			status := s.status(t)
			if complete, _ := filepath.Glob(filepath.Join(dir, "*.parquet")); len(complete) > 0 {
				status = c.status // it was quicker
			}
			require.Equal(t, c.status, status, &s.shown)
			require.Empty(t, leftovers(t, dir))
			if c.saved != "" {
				found, _ := filepath.Glob(in.Replace(c.saved))
				require.NotEmpty(t, found)
			}
		})
	}
}

// Under nohup, which has SIGHUP ignored, commands outlive their terminal.
func TestAHangUpThatIsIgnoredEndsNothing(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.yaml")
	require.NoError(t, unix.Mkfifo(rules, 0o600))
	s := newSession(t, dir, "sh", "-c", `trap "" HUP; exec "$@"`, "sh", os.Args[0], "simulate", "pig", "--games", "1",
		"--rules", rules, "--out", filepath.Join(dir, "games"))
	var writer *os.File
	s.until(t, func() bool {
		var err error
		writer, err = os.OpenFile(rules, os.O_WRONLY|unix.O_NONBLOCK, 0) // which somebody must be reading
		return err == nil
	})
	require.NotNil(t, writer, &s.shown)
	require.NoError(t, s.screen.Close())
	require.NoError(t, s.Process.Signal(syscall.SIGHUP))
	_, err := writer.WriteString("target: 20\n")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.Zero(t, s.status(t))
	require.FileExists(t, filepath.Join(dir, "games"))
}

// The shell and the kernel each send a SIGHUP when a terminal is closed; a SIGTERM may come before them.
func TestSignalsAfterTheFirst(t *testing.T) {
	dir := t.TempDir()
	s := newSession(t, dir, os.Args[0], "train", "kuhn", "--run", filepath.Join(dir, "run"), "--listen", "off",
		"--actors", "1")
	s.until(t, func() bool { return strings.Contains(s.shown.String(), "training ") })
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGHUP} {
		_ = s.Process.Signal(sig) // it may have ended
	}
	require.Zero(t, s.status(t), &s.shown)
}

// others are the commands without a case above. They are over soon, or write one file in the end, as simulate and
// archive dataset do, or are the parts of train that wait for a broker.
var others = []string{
	"actor", "learner", "league", "contribute", "runs actors lift", "runs actors list", "status", "runs", "ladder",
	"games", "games add", "games check", "games new", "games remove", "help", "curves", "completion",
	"archive export", "archive list", "archive review", "archive show", "export", "arena exploit", "bench",
	"solve bank",
	"solve bank-cards", "solve banluck", "solve kuhn", "solve lange-strasse", "solve leduc", "solve tysiac-hand",
	"runs verify", "runs backup",
	"runs restore", "runs name", "sweep run", "sweep show", "web passwd",
	"broker credentials add", "broker credentials create", "broker credentials retire", "broker credentials revoke",
	"broker credentials rotate",
}

// Every command has a case of what a hang-up does to it, or is known to need none.
func TestEveryCommandHasACaseOfSignals(t *testing.T) {
	var lines []string
	for _, c := range lasting {
		lines = append(lines, c.line)
	}
	lines = append(lines, readers...)
	lines = append(lines, others...)
	var missing []string
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "croupier ")
		has := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line+" ", name+" ") })
		if cmd.Runnable() && !cmd.HasSubCommands() && !has {
			missing = append(missing, name)
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(newRootCommand(installed))
	require.Empty(t, missing)
}

// A broker with credentials reads them again at a hang-up, as daemons do, and works on.
func TestABrokerReadsItsCredentialsAtAHangUp(t *testing.T) {
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys", "broker.yaml")
	create := []string{"broker", "credentials", "create", filepath.Dir(keys), "--run", "r"}
	require.Zero(t, installed.run(t.Context(), create, nil, io.Discard, os.Stderr))
	s := newSession(t, dir, os.Args[0], "broker", "--dir", filepath.Join(dir, "store"), "--listen", "127.0.0.1:0",
		"--metrics", "off", "--credentials", keys)
	s.until(t, func() bool { return strings.Contains(s.shown.String(), "broker ready") })
	require.NoError(t, os.WriteFile(keys, []byte("no keys"), 0o600))
	require.NoError(t, s.Process.Signal(syscall.SIGHUP))
	s.until(t, func() bool { return strings.Contains(s.shown.String(), "credentials not read") })
	require.NoError(t, s.Process.Signal(syscall.SIGTERM), "it has ended")
	require.Zero(t, s.status(t))
	require.Contains(t, s.shown.String(), "credentials not read")
}
