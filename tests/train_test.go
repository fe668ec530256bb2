package tests

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// quick are the flags of croupier train for iterations and matches that are soon over.
var quick = []string{
	"--actors", "1",
	"--set", "learner.ppo.samples=2048", "--set", "learner.ppo.minibatch=512", "--set", "learner.checkpoint_interval=1s",
	"--set", "league.reference_sets=10", "--set", "league.final_sets=10", "--set", "league.gate_sets=10",
}

// startTrain starts croupier train without a page, unless args say where.
func startTrain(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	args = append(append([]string{"train", "--run", dir}, quick...), args...)
	return start(t, "train", croupier(t), args...)
}

// wait returns the exit status of a process that is to end by itself.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("%s still runs after %v\n%s", p.name, patience, p.tail())
	}
	return p.cmd.ProcessState.ExitCode()
}

// interrupt does what Ctrl-C does, and requires an orderly end.
func (p *process) interrupt() {
	p.t.Helper()
	p.hurry()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGINT), p.name)
	p.ended()
}

// says waits until the process has written the text.
func (p *process) says(text string) {
	p.t.Helper()
	eventually(p.t, p.name+" says "+text, func() error {
		if out := p.output(); !strings.Contains(out, text) {
			return errors.New(out)
		}
		return nil
	})
}

// progress is what a checkpoint says of the training.
type progress struct {
	File             string
	Version, Samples uint64
	Seconds          float64
}

// newest returns the newest checkpoint that is listed.
func newest(dir string) (progress, error) {
	var manifest struct{ Checkpoints []progress }
	doc, err := os.ReadFile(filepath.Join(dir, "checkpoints", "manifest.json"))
	if err == nil {
		err = json.Unmarshal(doc, &manifest)
	}
	if err == nil && len(manifest.Checkpoints) == 0 {
		err = errors.New("no checkpoint")
	}
	if err != nil {
		return progress{}, err
	}
	return manifest.Checkpoints[len(manifest.Checkpoints)-1], nil
}

// beyond waits for a checkpoint with more samples, and returns it.
func beyond(t testing.TB, dir string, samples uint64) progress {
	t.Helper()
	var p progress
	eventually(t, "a checkpoint with more samples", func() (err error) {
		if p, err = newest(dir); err == nil && p.Samples <= samples {
			err = errors.New("not yet")
		}
		return err
	})
	return p
}

// resumedFrom returns the samples from which a process says that it continues.
func (p *process) resumedFrom() string {
	p.t.Helper()
	m := regexp.MustCompile(`msg=resuming .* samples=(\d+)`).FindStringSubmatch(p.output())
	require.NotNil(p.t, m, p.output())
	return m[1]
}

func TestTrainStoppedAndKilledIsResumed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	p := startTrain(t, dir, "kuhn", "--listen", "off")
	first := beyond(t, dir, 0)

	second := start(t, "second", croupier(t), "train", "--resume", "--run", dir, "--listen", "off")
	require.Equal(t, 1, second.wait())
	require.Equal(t, "croupier: directory "+dir+" is in use: another process is its learner\n", second.output())

	p.interrupt()
	stopped, err := newest(dir)
	require.NoError(t, err)
	require.GreaterOrEqual(t, stopped.Samples, first.Samples)

	p = startTrain(t, dir, "--resume", "--listen", "off", "--log-level", "info")
	beyond(t, dir, stopped.Samples+20000)
	require.Equal(t, number(stopped.Samples), p.resumedFrom())
	p.kill()
	killed, err := newest(dir)
	require.NoError(t, err)

	p = startTrain(t, dir, "--resume", "--listen", "off", "--log-level", "info")
	beyond(t, dir, killed.Samples)
	require.Equal(t, number(killed.Samples), p.resumedFrom())
	p.interrupt()
	last, err := newest(dir)
	require.NoError(t, err)
	require.Greater(t, last.Samples, killed.Samples)
	require.Greater(t, last.Version, killed.Version)
	require.Greater(t, last.Seconds, killed.Seconds)
}

func number(n uint64) string {
	doc, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	return string(doc)
}

func TestTrainTakesAnotherPortThanTheDefault(t *testing.T) {
	t.Parallel()
	// Whichever process has the port, it is taken.
	if l, err := net.Listen("tcp", "127.0.0.1:8080"); err == nil {
		defer l.Close()
	}
	p := startTrain(t, filepath.Join(t.TempDir(), "run"), "kuhn")
	var url string
	eventually(t, "the address of the page", func() error {
		m := regexp.MustCompile(`Web page       (\S+) \(127\.0\.0\.1:8080 is taken\)\n`).FindStringSubmatch(p.output())
		if m == nil {
			return errors.New(p.output())
		}
		url = m[1]
		return nil
	})
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, url)
	p.await(url)
	resp, err := http.Get(url + "/metrics")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	p.stop()
}

func TestUnreachableBrokerIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "late")
	for _, args := range [][]string{
		{"train", "kuhn", "--listen", "off"},
		{"learner", "kuhn", "--metrics", "off"},
		{"actor", "--metrics", "off"},
	} {
		p := start(t, args[0], croupier(t), append(args, "--run", c.run, "--nats", c.nats)...)
		p.says(`msg="NATS cannot be reached; trying again" url=` + c.nats)
		p.interrupt()
		require.NoDirExists(t, c.run, args[0])
	}
	p := startTrain(t, c.run, "kuhn", "--listen", "off", "--nats", c.nats)
	p.says("trying again")
	c.broker()
	beyond(t, c.run, 0)
	p.stop()
}
