package cluster

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A broker that works no more is given up when it says so twice in a row, one that is not well after a minute.
func TestABrokenBrokerIsGivenUp(t *testing.T) {
	broken := errors.New("broker: a stream is frozen")
	times := func(failing ...int) func() error {
		asked := 0
		return func() error {
			if asked++; slices.Contains(failing, asked) {
				return broken
			}
			return nil
		}
	}
	never, always := times(), func() error { return broken }
	for _, c := range []struct {
		stopped, healthy func() error
		after            int // checks; 0: never
	}{
		{times(1, 3, 4), never, 4},
		{never, times(1, 2, 3, 4, 5, 6, 7), 0}, // a stream that is being created
		{never, always, 30},
		{times(3, 4), always, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 100*healthEvery)
			defer cancel()
			began := time.Now()
			err := watchBroker(ctx, c.stopped, c.healthy)
			if c.after == 0 {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, broken)
			require.ErrorContains(t, err, "--resume")
			require.Equal(t, time.Duration(c.after)*healthEvery, time.Since(began))
		})
	}
}
