package tests

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/testport"
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

// embeddedBroker returns the address of the broker inside croupier train.
func embeddedBroker(t *testing.T, run string) string {
	t.Helper()
	reach, err := rundir.ReadReach(run)
	require.NoError(t, err)
	at, err := url.Parse(reach.URL)
	require.NoError(t, err)
	return at.Host
}

// refusesOtherHosts requires that a port says nothing under a name that a foreign page could have: a page
// that makes its name resolve to this machine (DNS rebinding) reads what a server answers to it.
func refusesOtherHosts(t *testing.T, address string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		request, err := http.NewRequest("GET", "http://"+address+path, nil)
		require.NoError(t, err)
		request.Host, request.Close = "rebound.example:80", true
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, http.StatusMisdirectedRequest, response.StatusCode, path)
	}
}

// A process that may have few files open continues writing checkpoints and the ladder, and answers, while
// somebody opens more idle connections than that to its page and to its broker.
func TestIdleConnectionsToTrain(t *testing.T) {
	t.Parallel()
	run, address := filepath.Join(t.TempDir(), "run"), testport.Free(t)
	args := append([]string{"-c", fewFiles, croupier(t), "train", "kuhn"}, quick...)
	p := start(t, "train", "sh", append(args, "--run", run, "--listen", address)...)
	beyond(t, run, 0)
	refusesOtherHosts(t, address, "/", "/metrics", "/healthz", "/api/run", "/assets/app.css")
	p.hurry = p.holdBack()
	occupy(t, address)
	occupy(t, embeddedBroker(t, run))
	goesOnFrom(t, run)
	answers(t, "http://"+address+"/metrics")
	answers(t, "http://"+address+"/")
	p.stop()
}
