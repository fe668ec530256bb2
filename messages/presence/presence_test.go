package presence

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
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
	newest []byte
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
	b.keys, b.values, b.newest = append(b.keys, key), append(b.values, status), value
	return uint64(len(b.keys)), nil
}

func TestAProcessBeatsInEveryPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, started := &bucket{}, time.Now().Add(-time.Hour)
		p := Process{Bucket: b, Heartbeat: Heartbeat{Role: messages.ActorRole, ID: "box-1", Started: started}}
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
			require.Equal(t, []any{"actor", "box-1", "playing", started.UnixMilli()},
				[]any{s.Role, s.Id, s.State, s.StartedMs})
			require.Equal(t, map[string]float64{"games": float64(i + 1)}, s.Values)
		}
	})
}

// Whatever a heartbeat has is sent and read: a field that was forgotten on the way is found here.
func TestAHeartbeatArrivesWhole(t *testing.T) {
	var h Heartbeat
	for v, i := reflect.ValueOf(&h).Elem(), 0; i < v.NumField(); i++ {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = "some-" + strings.ToLower(v.Type().Field(i).Name)
		case *time.Time:
			*field = time.UnixMilli(1_700_000_000_123).UTC()
		case *map[string]float64:
			*field = map[string]float64{"games": 3}
		default:
			t.Fatalf("a heartbeat has a field of a kind that this test does not fill: %s", v.Type().Field(i).Name)
		}
	}
	b := &bucket{}
	p := Process{Bucket: b, Heartbeat: h}
	require.NoError(t, p.Beat(t.Context(), State{Words: h.State, Values: h.Values}))
	got, err := Read(b.keys[0], b.newest)
	require.NoError(t, err)
	require.Equal(t, h, got)
	got, err = Read("actor.thief", b.newest)
	require.NoError(t, err)
	require.Equal(t, []string{"actor", "thief"}, []string{got.Role, got.ID}, "the key says whose it is")
}

func TestAHeartbeatIsReadWithCare(t *testing.T) {
	data, err := messages.Encode(&messages.Status{Name: strings.Repeat("ż", maxName+1), Values: map[string]float64{
		"games": 1, "nan": math.NaN(), "endless": math.Inf(1)}})
	require.NoError(t, err)
	h, err := Read("actor.a.b", data)
	require.NoError(t, err)
	require.Equal(t, "a.b", h.ID)
	require.Equal(t, strings.Repeat("ż", maxName)+"…", h.Name)
	require.Equal(t, map[string]float64{"games": 1}, h.Values)
	_, err = Read("actor.a", []byte("not a message"))
	require.ErrorContains(t, err, `heartbeat "actor.a"`)
}

func TestABeatThatFailsIsFollowedByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{fails: true}
		p := Process{Bucket: b, Heartbeat: Heartbeat{Role: messages.LeagueRole, ID: "1"}}
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
// logged; at the end of the process nothing is.
func TestABeatWithoutAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Process{Bucket: &bucket{silent: true}, Heartbeat: Heartbeat{Role: messages.WebRole, ID: "1"}}
		began := time.Now()
		require.ErrorIs(t, p.Beat(t.Context(), State{}), context.DeadlineExceeded)
		require.Equal(t, Lifetime, time.Since(began))
		ctx, cancel := context.WithTimeout(t.Context(), Lifetime/2)
		defer cancel()
		require.NoError(t, p.Run(ctx, func(context.Context) State { return State{} }, func(err error) { t.Error(err) }))
	})
}
