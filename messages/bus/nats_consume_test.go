package bus

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// TestAnAnswerThatWasThereInTimeIsTaken: a reader may be busy for longer than an answer is waited for. What came
// meanwhile is taken all the same, or it would come again after its lease, behind what was sent after it.
func TestAnAnswerThatWasThereInTimeIsTaken(t *testing.T) {
	t.Parallel()
	there := &inbox{address: "_INBOX.a.", request: 1, missing: 8, until: time.Now().Add(-time.Second), lost: t.Context()}
	there.arrived = make(chan struct{}, 1)
	c := &natsConsumer{bus: &natsBus{opts: NATSOptions{Limits: Options{MaxDeliver: 5}}}, stream: Experience, inbox: there}
	for range 2 {
		there.take(&nats.Msg{Subject: "a", Reply: "$JS.ACK.stream.consumer.1.5.5.0.0", Sub: &nats.Subscription{}})
	}
	out, err := c.collect(t.Context(), nil, 8)
	require.NoError(t, err)
	require.Len(t, out, 2)
	require.Zero(t, there.missing, "and no more is waited for")
}

// TestWhatTheBrokerSaysOfARequest: only what it says of the last request ends that one.
func TestWhatTheBrokerSaysOfARequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, description string
		over                bool
		err                 string
	}{
		{"100", "Idle Heartbeat", false, ""},
		{"404", "No Messages", true, ""},
		{"408", "Request Timeout", true, ""},
		{"503", "", true, "no responders available for request"},
		{"409", "Consumer Deleted", true, "consumer deleted"},
		{"409", "Leadership Change", true, "leadership change"},
		{"409", "Server Shutdown", true, "shutdown"},
		{"409", "Exceeded MaxWaiting", true, "the broker answers 409 Exceeded MaxWaiting"},
		{"400", "Bad Request", true, "the broker answers 400 Bad Request"},
	} {
		status := &nats.Msg{Subject: "_INBOX.a.2", Header: nats.Header{
			"Status": {test.status}, "Description": {test.description},
		}}
		over, err := readStatus(status)
		require.Equal(t, test.over, over, test.description)
		if test.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.err)
		}
		i := &inbox{address: "_INBOX.a.", request: 3, missing: 1, lost: t.Context(), arrived: make(chan struct{}, 1)}
		i.until = time.Now().Add(time.Hour)
		i.take(status)
		i.take(&nats.Msg{Subject: "a"})
		m, err := i.next(t.Context())
		require.NoError(t, err, "it is said of the request before")
		require.Equal(t, "a", m.Subject)
	}
}
