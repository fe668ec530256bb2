package bus_test

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func startBroker(t *testing.T, o broker.Options) *broker.Broker {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Log = quiet
	b, err := broker.Start(o)
	require.NoError(t, err)
	t.Cleanup(b.Shutdown)
	return b
}

func connect(t *testing.T, o bus.NATSOptions) bus.Bus {
	t.Helper()
	if o.Run == "" {
		o.Run = "test"
	}
	if o.Limits == (bus.Options{}) {
		o.Limits = bustest.Limits()
	}
	o.Log, o.Create = quiet, true
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b, err := bus.Connect(ctx, o)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func TestNATS(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	server := startBroker(t, broker.Options{})
	var runs atomic.Int64
	bustest.Run(t, func(t *testing.T) bus.Bus {
		// A run of its own is as good as a broker of its own.
		run := "run-" + string(rune('a'+runs.Load()/26)) + string(rune('a'+runs.Load()%26))
		runs.Add(1)
		return connect(t, bus.NATSOptions{InProcess: server, Run: run, Role: "test"})
	})
	server.Shutdown()
	goleak.VerifyNone(t, leaks, bustest.LeftByNATS())
}
