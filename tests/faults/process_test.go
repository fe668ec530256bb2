//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/testproc"
)

// exitWithin is what a role is allowed for an orderly end, on a busy machine.
const exitWithin = 30 * time.Second

// process is a program on a host. Its output goes to a file, of which the end is shown when
// the test fails.
type process struct {
	t      testing.TB
	name   string
	cmd    *exec.Cmd
	log    string
	before int           // bytes of the log from processes before it
	exited chan struct{} // closed when the process is gone
}

// run starts a program on the host.
func (h *host) run(name string, env []string, args ...string) *process {
	h.t.Helper()
	log, err := os.OpenFile(filepath.Join(filepath.Dir(h.disk), name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(h.t, err)
	defer log.Close()
	args = append([]string{"--net=/run/netns/" + h.namespace(), "--"}, args...)
	p := &process{t: h.t, name: name, log: log.Name(), exited: make(chan struct{})}
	p.before = len(p.output())
	p.cmd = exec.Command("nsenter", args...)
	p.cmd.Env = append(append(os.Environ(), "FAULTS_CLOCK="+h.clock(), "GOMAXPROCS=2"), env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // nsenter becomes the program
	require.NoError(h.t, testproc.Start(p.cmd), name)
	go func() {
		defer close(p.exited)
		p.cmd.Wait() // its result is in ProcessState
	}()
	h.t.Cleanup(p.kill)
	return p
}

// explain ends the process, which then writes what all its goroutines are waiting for.
func (p *process) explain() {
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
	case <-time.After(5 * time.Second):
	}
}

// clock is the file with the offset of the host's wall clock.
func (h *host) clock() string { return filepath.Join(filepath.Dir(h.disk), h.name+".clock") }

// setClock moves the host's wall clock away from the true time.
func (h *host) setClock(by time.Duration) error {
	return os.WriteFile(h.clock(), []byte(strconv.Itoa(int(by.Seconds()))), 0o644)
}

// output returns all that the process, and those before it of the same name, have written.
func (p *process) output() string {
	out, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// tail returns the end of the output.
func (p *process) tail() string {
	const most = 6 << 10
	out := p.output()
	if len(out) > most {
		out = "..." + out[len(out)-most:]
	}
	return out
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// signal is without effect on a process that is gone.
func (p *process) signal(s syscall.Signal) { p.cmd.Process.Signal(s) }

// kill ends the process with SIGKILL, if it is still there.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.exited
}

// stop asks for an orderly end, and says what is wrong if there is none in time.
func (p *process) stop() error {
	p.signal(syscall.SIGTERM)
	return p.ended()
}

// ended waits for the orderly end of a process that was asked to.
func (p *process) ended() error {
	select {
	case <-p.exited:
	case <-time.After(exitWithin):
		p.signal(syscall.SIGQUIT) // prints what all goroutines are waiting for
		<-p.exited
		return fmt.Errorf("%s still ran %v after SIGTERM", p.name, exitWithin)
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() == syscall.SIGTERM && len(p.output()) == p.before {
		return nil // it had not even begun
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s ended with %v after SIGTERM", p.name, p.cmd.ProcessState)
	}
	return nil
}

// role is one role of a cluster, over all its starts.
type role struct {
	*process
	host    *host
	name    string
	newer   bool // of the next schema version
	args    []string
	metrics string // where it serves /metrics and /healthz
	starts  int
}

// start starts the role, again if it ran before.
func (r *role) start() {
	r.starts++
	env := r.environment()
	if r.newer {
		env = append(env, newerSchema+"=1")
	}
	args := append([]string{croupier(r.host.t)}, r.args...)
	r.process = r.host.run(r.name, env, append(args, "--metrics", r.metrics)...)
}

// pace is for how many times as long as it has worked a role rests that is held back.
const pace = 20

// held reports whether roles are held back, as in the short form.
func held() bool { return !long && *countFlag == 0 }

// environment is the one that holds back the role in the short form: learner and actors would use all cores that there
// are, for as long as a test waits. Once it has started it works for a twentieth of the time at
// most; what it waits for, its brokers and the network are as fast as ever.
func (r *role) environment() []string {
	if !held() || strings.HasPrefix(r.name, "broker") {
		return nil
	}
	return []string{fmt.Sprint("FAULTS_PACE=", pace), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"}
}

var client10 = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// get asks the role something over HTTP.
func (r *role) get(path string, within time.Duration) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.metrics+path, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := client10.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}

// healthy reports what /healthz says is wrong.
func (r *role) healthy() error {
	if !r.running() {
		return fmt.Errorf("%s ended: %v", r.name, r.cmd.ProcessState)
	}
	code, body, err := r.get("/healthz", 2*time.Second)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("/healthz of %s: %d %s", r.name, code, bytes.TrimSpace(body))
	}
	return err
}

// value returns the sum of a metric over its labels.
func (r *role) value(metric string) (float64, error) {
	values, err := r.values(metric)
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

// values returns the sums of metrics over their labels, all of one moment.
func (r *role) values(metrics ...string) ([]float64, error) {
	_, body, err := r.get("/metrics", 5*time.Second)
	if err != nil {
		return nil, err
	}
	sums, found := make([]float64, len(metrics)), make([]bool, len(metrics))
	for line := range strings.Lines(string(body)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ = strings.Cut(name, "{")
		at := slices.Index(metrics, name)
		if at < 0 {
			continue
		}
		if i := strings.LastIndex(rest, " "); i >= 0 {
			rest = rest[i+1:]
		}
		v, err := strconv.ParseFloat(rest, 64)
		if err != nil {
			return nil, err
		}
		sums[at], found[at] = sums[at]+v, true
	}
	if at := slices.Index(found, false); at >= 0 {
		return nil, fmt.Errorf("%s has no metric %s", r.name, metrics[at])
	}
	return sums, nil
}

// within calls do until it returns nil, and returns its last error when that takes too long.
func within(limit time.Duration, do func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := do()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %v: %w", limit, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func readJSON(path string, into any) error {
	doc, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(doc, into)
	}
	return err
}
