package backlog

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// A listener learns at once that more waits than the limit, and then that it no longer does.
func TestTheBacklogIsReported(t *testing.T) { synctest.Test(t, backlogIsReported) }

func backlogIsReported(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	reports, err := b.Subscribe(ctx, messages.BacklogSubject("main"))
	require.NoError(t, err)
	reporter := &Reporter{Bus: b, Log: slog.New(slog.DiscardHandler),
		Agent: "main", Limit: 2, Work: func() Work { return Work{} }}
	ended := make(chan error, 1)
	go func() { ended <- reporter.Run(ctx) }()
	next := func() Report {
		r, err := ParseReport(<-reports)
		require.NoError(t, err)
		return r
	}
	require.Equal(t, Report{Room: 2}, next())
	for range 3 {
		require.NoError(t, b.Publish(ctx, bus.Experience, "actor", []byte("games")))
	}
	began := time.Now()
	require.EqualValues(t, 3, next().Waiting)
	require.LessOrEqual(t, time.Since(began), 20*time.Millisecond)
	learner, err := b.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(t, err)
	_, err = learner.Fetch(ctx, 3, time.Second)
	require.NoError(t, err)
	began = time.Now()
	require.Zero(t, next().Waiting)
	require.LessOrEqual(t, time.Since(began), 20*time.Millisecond)
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestParseReport(t *testing.T) {
	r, err := ParseReport([]byte(`{"waiting":9,"useless":0.5,"room":1.5,"of a later version":1}`))
	require.NoError(t, err)
	require.Equal(t, Report{Waiting: 9, Useless: 0.5, Room: 1.5}, r)
	require.True(t, r.Above(4))
	require.False(t, r.Above(5))
	for _, bad := range []string{"", "[]", `{"waiting":-1}`, `{"useless":2}`, `{"useless":-1}`, `{"room":-1}`, `{"room":1e9}`} {
		_, err := ParseReport([]byte(bad))
		require.ErrorContains(t, err, "backlog: ", bad)
	}
	require.Error(t, func() error { _, err := ParseReport([]byte(strings.Repeat("[", 1<<10))); return err }())
}

// A broker that is slow to answer is asked less often.
func TestPause(t *testing.T) {
	require.Equal(t, 20*time.Millisecond, Pause(50*time.Microsecond))
	require.Equal(t, 100*time.Millisecond, Pause(100*time.Millisecond))
	require.Equal(t, time.Second, Pause(time.Minute))
}
