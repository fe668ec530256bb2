package tests

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/internal/testproc"
	"croupier/internal/testprogram"
	"croupier/tests/netns"
)

// These tests run the program as its users do: as processes. The helpers here start and
// stop processes, and put a whole cluster on free ports of loopback.

// patience is how long a test waits for what must happen in the end, on a busy machine.
const patience = 2 * time.Minute

// exitWithin is what a role is allowed for an orderly end, on a busy machine.
const exitWithin = 30 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	err := netns.Own()
	if err == nil && !parallelGiven() {
		err = flag.Set("test.parallel", "4") // they mostly wait
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// parallelGiven reports whether who runs the tests has said how many run at the same time.
func parallelGiven() (given bool) {
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	return given
}

// croupier returns the program, built once for all tests.
func croupier(t testing.TB) string {
	t.Helper()
	return testprogram.Path(t)
}

// needs returns the path of a program that tests/needs.sh installs.
func needs(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	require.NoError(t, err, "%s is missing: run make needs (tests/needs.sh), which installs it", program)
	return path
}

// asRoot skips a test that needs containers or network namespaces where this is not
// possible, and says so. A machine that checks changes must be able to.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	require.Empty(t, os.Getenv("CI"), "%s needs root", t.Name())
	fmt.Fprintln(os.Stderr, "LEFT OUT:", t.Name(), "needs root, for namespaces of its own: sudo make test")
	t.Skip("needs root")
}

// process is a program that a test started. Its output is shown when the test fails,
// and it is killed when the test ends.
type process struct {
	t      testing.TB
	name   string
	cmd    *exec.Cmd
	log    string
	exited chan struct{} // closed when the process is gone
	hurry  func()        // has it work freely, if it was held back
}

// start starts a program. name is for the log.
func start(t testing.TB, name, program string, args ...string) *process {
	t.Helper()
	return startWith(t, name, nil, program, args...)
}

// startWith starts a program that reads a file as its standard input.
func startWith(t testing.TB, name string, input *os.File, program string, args ...string) *process {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), name+".log"))
	require.NoError(t, err)
	defer log.Close()
	p := &process{
		t: t, name: name, cmd: exec.Command(program, args...), log: log.Name(), exited: make(chan struct{}), hurry: func() {},
	}
	if input != nil {
		p.cmd.Stdin = input
	}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	require.NoError(t, testproc.Start(p.cmd), name)
	go func() {
		defer close(p.exited)
		p.cmd.Wait() // its result is in ProcessState
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s:\n%s", p.cmd, p.tail())
		}
	})
	return p
}

// tail returns the end of the output so far.
func (p *process) tail() string {
	const most = 8 << 10
	out := p.output()
	if len(out) > most {
		out = "..." + out[len(out)-most:]
	}
	return out
}

// output returns all that the process has written so far.
func (p *process) output() string {
	p.t.Helper()
	out, err := os.ReadFile(p.log)
	require.NoError(p.t, err)
	return string(out)
}

// running reports whether the process is still there.
func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// await waits until the URL is answered with 200.
func (p *process) await(url string) {
	p.t.Helper()
	eventually(p.t, p.name+" answers at "+url, func() error {
		if !p.running() {
			p.t.Fatalf("%s ended: %v\n%s", p.name, p.cmd.ProcessState, p.tail())
		}
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		return nil
	})
}

// stop ends the process with SIGTERM and requires that it exits with 0 in time.
func (p *process) stop() {
	p.t.Helper()
	p.terminate()
	p.ended()
}

// terminate asks the process to end.
func (p *process) terminate() {
	p.t.Helper()
	p.hurry()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM), p.name)
}

// ended waits for the orderly end of a process that was asked to.
func (p *process) ended() {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(exitWithin):
		p.cmd.Process.Signal(syscall.SIGQUIT) // prints what all goroutines are waiting for
		<-p.exited
		p.t.Fatalf("%s still runs %v after it was asked to end\n%s", p.name, exitWithin, p.output())
	}
	require.Zero(p.t, p.cmd.ProcessState.ExitCode(), "%s: %v", p.name, p.cmd.ProcessState)
}

// kill ends the process with SIGKILL, if it is still there.
func (p *process) kill() {
	p.cmd.Process.Kill() // an error says that it is gone
	<-p.exited
}

// eventually calls do until it returns nil, and fails with its last error when that takes too long. What it asks takes
// at most a fifth of the time.
func eventually(t testing.TB, what string, do func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		began := time.Now()
		if err = do(); err == nil {
			return
		}
		time.Sleep(max(50*time.Millisecond, 4*time.Since(began)))
	}
	t.Fatalf("not within %v: %s: %v", patience, what, err)
}

// above reports that a value has not come far enough.
func above(value, least float64) error {
	if value < least {
		return fmt.Errorf("%v, not yet %v", value, least)
	}
	return nil
}

// cluster is a run whose roles are processes on this machine.
type cluster struct {
	t    testing.TB
	run  string // run directory, which the roles share
	nats string // the broker's URL
}

// newCluster returns a run without any role yet.
func newCluster(t testing.TB, run string) *cluster {
	t.Helper()
	return &cluster{t: t, run: filepath.Join(t.TempDir(), run), nats: "nats://" + testport.Free(t)}
}

// role is one process of a cluster.
type role struct {
	*process
	metrics string // where it serves /metrics and /healthz
}

// broker starts the broker. Started again it has the same address and store.
func (c *cluster) broker() *role {
	c.t.Helper()
	return startRole(c.t, "broker", "--dir", filepath.Join(filepath.Dir(c.run), "broker"),
		"--listen", strings.TrimPrefix(c.nats, "nats://"))
}

// role starts any other role: learner (its first argument names the game), actor,
// league or web. Roles that play or learn are held back.
func (c *cluster) role(name string, args ...string) *role {
	c.t.Helper()
	r := startRole(c.t, name, append(args, "--nats", c.nats, "--run", c.run)...)
	if name == "actor" || name == "learner" {
		r.hurry = r.holdBack()
	}
	return r
}

// startRole starts `croupier ROLE ...` and waits until it is healthy.
func startRole(t testing.TB, name string, args ...string) *role {
	t.Helper()
	return startRoleOf(t, croupier(t), name, args...)
}

// startRoleOf is startRole with a program that may be of another version.
func startRoleOf(t testing.TB, program, name string, args ...string) *role {
	t.Helper()
	r := &role{metrics: testport.Free(t)}
	args = append([]string{name}, args...)
	r.process = start(t, name, program, append(args, "--metrics", r.metrics)...)
	r.await("http://" + r.metrics + "/healthz")
	return r
}
