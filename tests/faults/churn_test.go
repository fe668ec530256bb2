//go:build linux

package faults

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

// While actors come and go and clients connect and leave, the roles that stay hold no more
// memory, goroutines and descriptors in the end than at first. 60 s, or 30 minutes in make long.
func TestChurn(t *testing.T) {
	hosts(t)
	length := time.Minute
	switch {
	case long:
		length = 30 * time.Minute
	case *countFlag == 0:
		t.Skip("part of make faults and make long")
	}
	r := newRun(t, 1, *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 5))
	var at map[string]use
	began := time.Now()
	for rounds := 0; time.Since(began) < length; rounds++ {
		a := anyOf(rng, r.actors)
		if rng.IntN(2) == 0 {
			a.kill()
		} else {
			require.NoError(t, a.stop())
		}
		connectAndLeave(t, r)
		a.start()
		time.Sleep(while(rng, 0, 2*time.Second))
		if at == nil && time.Since(began) > length/3 {
			require.NoError(t, r.recovers())
			var err error
			at, err = r.uses()
			require.NoError(t, err)
		}
	}
	require.NoError(t, r.recovers())
	require.NoError(t, within(20*time.Second, func() error {
		now, err := r.uses()
		if err != nil {
			return err
		}
		for _, x := range append(r.brokers, r.learner, r.league, r.web) { // actors are new ones
			was, is := at[x.name], now[x.name]
			if is.goroutines > 1.2*was.goroutines+20 || is.descriptors > 1.2*was.descriptors+20 ||
				is.megabytes > 1.4*was.megabytes+60 {
				return fmt.Errorf("%s: %+v, and after a third of the time %+v", x.name, is, was)
			}
		}
		return nil
	}))
	now, err := r.uses()
	require.NoError(t, err)
	t.Logf("after %v: %v, after %v: %v", length/3, at, length, now)
	require.NoError(t, r.end())
}

// connectAndLeave has clients connect, one after the other.
func connectAndLeave(t *testing.T, r *run) {
	for range 5 {
		b, err := bus.Connect(t.Context(), bus.NATSOptions{URL: r.url, Credentials: r.seed, Run: "run", Role: "churn",
			Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		require.NoError(t, err)
		_, err = b.Read(t.Context(), bus.Curves, 1)
		require.NoError(t, err)
		b.Close()
	}
}
