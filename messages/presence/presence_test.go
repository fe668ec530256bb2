package presence

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// bucket keeps what was put, or fails, or does not answer.
type bucket struct {
	keys   []string
	values []*messages.Status
	fails  bool
	silent bool
}

func (b *bucket) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	if b.silent {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	if b.fails {
		return 0, errors.New("full")
	}
	status := &messages.Status{}
	if err := messages.Decode(value, status); err != nil {
		return 0, err
	}
	b.keys, b.values = append(b.keys, key), append(b.values, status)
	return uint64(len(b.keys)), nil
}

func TestAProcessBeatsInEveryPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, started := &bucket{}, time.Now().Add(-time.Hour)
		p := Process{Bucket: b, Role: messages.ActorRole, ID: "box-1", Started: started, MetricsAddress: "box:9090"}
		ctx, cancel := context.WithTimeout(t.Context(), 2*Period+Period/2)
		defer cancel()
		asked := 0.0
		state := func(context.Context) State {
			asked++
			return State{"playing", map[string]float64{"games": asked}}
		}
		require.NoError(t, p.Run(ctx, state, func(err error) { t.Error(err) }))
		require.Len(t, b.values, 3, "at once, and after one and two periods")
		for i, s := range b.values {
			require.Equal(t, messages.RoleKey("actor", "box-1"), b.keys[i])
			require.Equal(t, []any{"actor", "box-1", "playing", "box:9090", started.UnixMilli()},
				[]any{s.Role, s.Id, s.State, s.MetricsAddress, s.StartedMs})
			require.Equal(t, map[string]float64{"games": float64(i + 1)}, s.Values)
		}
	})
}

func TestABeatThatFailsIsFollowedByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{fails: true}
		p := Process{Bucket: b, Role: messages.LeagueRole, ID: "1"}
		ctx, cancel := context.WithTimeout(t.Context(), 3*Period+Period/2)
		defer cancel()
		failures := 0
		err := p.Run(ctx, func(context.Context) State { return State{Words: "running"} }, func(err error) {
			require.ErrorContains(t, err, "heartbeat: full")
			failures++
			b.fails = failures < 2
		})
		require.NoError(t, err)
		require.Equal(t, 2, failures)
		require.Len(t, b.values, 2)
	})
}

// Without an answer a beat ends before its value would have expired, and its failure is
// told; at the end of the process nothing is.
func TestABeatWithoutAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Process{Bucket: &bucket{silent: true}, Role: messages.WebRole, ID: "1"}
		began := time.Now()
		require.ErrorIs(t, p.Beat(t.Context(), State{}), context.DeadlineExceeded)
		require.Equal(t, Lifetime, time.Since(began))
		ctx, cancel := context.WithTimeout(t.Context(), Lifetime/2)
		defer cancel()
		require.NoError(t, p.Run(ctx, func(context.Context) State { return State{} }, func(err error) { t.Error(err) }))
	})
}
