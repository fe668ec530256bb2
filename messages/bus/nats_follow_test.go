package bus_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// TestReadingAStreamNamesNoSubjects: for a request that names subjects the broker goes through all that there are,
// and each result has one of its own (BenchmarkFollow). Only who wants a part of a stream names it.
func TestReadingAStreamNamesNoSubjects(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0"})
	b := connect(t, bus.NATSOptions{URL: server.URL()})
	conn, err := nats.Connect(server.URL())
	require.NoError(t, err)
	defer conn.Close()
	requests := map[string]*nats.Subscription{}
	for _, stream := range []string{"CROUPIER_test_RESULTS", "KV_CROUPIER_test_STATE"} {
		requests[stream], err = conn.SubscribeSync("$JS.API.DIRECT.GET." + stream)
		require.NoError(t, err)
	}
	require.NoError(t, conn.Flush())
	request := func(stream string) string {
		m, err := requests[stream].NextMsgWithContext(t.Context())
		require.NoError(t, err)
		return string(m.Data)
	}

	results, err := b.Read(t.Context(), bus.Results, 1)
	require.NoError(t, err)
	require.Nil(t, <-results)
	require.NotContains(t, request("CROUPIER_test_RESULTS"), "next_by_subj")
	_, err = b.State().Watch(t.Context(), "agent.")
	require.NoError(t, err)
	for !strings.Contains(request("KV_CROUPIER_test_STATE"), `"next_by_subj":"$KV.CROUPIER_test_STATE.agent.`) {
	}
}
