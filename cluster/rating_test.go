package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// finisher is a league that finishes when it is ordered to.
type finisher func(ctx context.Context, within time.Duration) (uint64, error)

func (f finisher) Finish(ctx context.Context, within time.Duration) (uint64, error) {
	return f(ctx, within)
}

// TestTheLastRatingEnds: a league that waits for a broker which accepts nothing does not keep a run from its end.
func TestTheLastRatingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := finisher(func(ctx context.Context, _ time.Duration) (uint64, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		began := time.Now()
		_, err := finishRating(t.Context(), waits, 10*time.Second)
		require.ErrorIs(t, err, errRatingStuck)
		require.Equal(t, 10*time.Second+ratingGrace, time.Since(began))

		stopped, stop := context.WithCancel(t.Context())
		stop()
		_, err = finishRating(stopped, waits, time.Second)
		require.ErrorIs(t, err, context.Canceled)

		slow := finisher(func(_ context.Context, within time.Duration) (uint64, error) {
			time.Sleep(within + ratingGrace - time.Second)
			return 7, nil
		})
		left, err := finishRating(t.Context(), slow, time.Second)
		require.NoError(t, err)
		require.EqualValues(t, 7, left)
		broken := errors.New("broken")
		_, err = finishRating(t.Context(), finisher(func(context.Context, time.Duration) (uint64, error) {
			return 0, broken
		}), time.Second)
		require.ErrorIs(t, err, broken)
	})
}
