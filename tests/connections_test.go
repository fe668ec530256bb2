package tests

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// idleConnections is more than a process may have open under fewFiles.
const (
	idleConnections = 900
	fewFiles        = "ulimit -n 512; exec \"$0\" \"$@\""
)

// occupy opens idle connections to an address, and again whatever is closed, until the
// test ends.
func occupy(t *testing.T, address string) {
	t.Helper()
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	open := make(chan struct{}, idleConnections)
	for range idleConnections {
		go func() {
			for first := true; ; first = false {
				c, err := net.DialTimeout("tcp", address, time.Second)
				if first {
					open <- struct{}{}
				}
				if err == nil {
					go func() { <-ended; c.Close() }()
					for err == nil { // until the other side closes it
						_, err = c.Read(make([]byte, 512))
					}
					c.Close()
				}
				select {
				case <-ended:
					return
				case <-time.After(time.Second):
				}
			}
		}()
	}
	for range idleConnections {
		<-open
	}
}

// goesOnFrom waits until checkpoint and ladder of the run are newer than now.
func goesOnFrom(t *testing.T, run string) {
	t.Helper()
	now := time.Now()
	before, err := newest(run)
	require.NoError(t, err)
	eventually(t, "a newer checkpoint", func() error {
		after, err := newest(run)
		if err == nil && after.Samples <= before.Samples {
			err = errors.New("there is none")
		}
		return err
	})
	eventually(t, "a newer ladder", func() error {
		info, err := os.Stat(filepath.Join(run, "ladder.json"))
		if err == nil && !info.ModTime().After(now) {
			err = errors.New("there is none")
		}
		return err
	})
}

// answers requires that the page is there for somebody who asks.
func answers(t *testing.T, url string) {
	t.Helper()
	eventually(t, url+" answers", func() error {
		client := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Get(url)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return nil
	})
}

// A process that may have few files open goes on writing checkpoints and the ladder,
// and answers, while somebody opens more idle connections to its page than that.
func TestIdleConnectionsToThePage(t *testing.T) {
	run, address := filepath.Join(t.TempDir(), "run"), freeAddress(t)
	args := append([]string{"-c", fewFiles, croupier(t), "train", "kuhn"}, quick...)
	p := start(t, "train", "sh", append(args, "--run", run, "--listen", address)...)
	beyond(t, run, 0)
	occupy(t, address)
	goesOnFrom(t, run)
	answers(t, "http://"+address+"/metrics")
	p.stop()
}

// The same for the ports of roles apart: the broker's for clients, and those of /metrics.
func TestIdleConnectionsToBrokerAndMetrics(t *testing.T) {
	c := newCluster(t, "crowded")
	startFew := func(name string, args ...string) *role {
		r := &role{metrics: freeAddress(t)}
		args = append([]string{"-c", fewFiles, croupier(t), name, "--metrics", r.metrics}, args...)
		r.process = start(t, name, "sh", args...)
		r.await("http://" + r.metrics + "/healthz")
		return r
	}
	broker := startFew("broker", "--dir", filepath.Join(filepath.Dir(c.run), "broker"), "--listen", strings.TrimPrefix(c.nats, "nats://"))
	learner := startFew("learner", append([]string{"kuhn", "--nats", c.nats, "--run", c.run}, quick[2:]...)...)
	league := startFew("league", "--nats", c.nats, "--run", c.run)
	actor := startFew("actor", "--nats", c.nats, "--run", c.run)
	beyond(t, c.run, 0)
	occupy(t, strings.TrimPrefix(c.nats, "nats://"))
	for _, r := range []string{broker.metrics, learner.metrics} {
		occupy(t, r)
	}
	goesOnFrom(t, c.run)
	answers(t, "http://"+learner.metrics+"/metrics")
	answers(t, "http://"+broker.metrics+"/healthz")
	for _, r := range []*process{actor.process, league.process, learner.process, broker.process} {
		r.stop()
	}
}
