package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A broker is given up when it is broken twice in a row, and watched no longer than anybody wants.
func TestABrokenBrokerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, asked := errors.New("broker: a stream is frozen"), 0
		began := time.Now()
		err := watchBroker(t.Context(), func() error {
			asked++
			return map[int]error{1: broken, 3: broken, 4: broken}[asked]
		})
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "--resume")
		require.Equal(t, 4, asked)
		require.Equal(t, 4*healthEvery, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), 10*healthEvery)
		defer cancel()
		require.NoError(t, watchBroker(ctx, func() error { return nil }))
	})
}
