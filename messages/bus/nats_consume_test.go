package bus

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// delivered is what a request has brought.
type delivered struct{ messages chan jetstream.Msg }

func (d delivered) Messages() <-chan jetstream.Msg { return d.messages }
func (d delivered) Error() error                   { return nil }

// atFive is a message whose metadata can be read.
type atFive struct{ jetstream.Msg }

func (atFive) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: 5}, NumDelivered: 1}, nil
}
func (atFive) Subject() string { return "a" }

// TestAnAnswerThatWasThereInTimeIsTaken: a reader may be busy for longer than an answer is waited for. What came
// meanwhile is taken all the same, or it would come again after its lease, behind what was sent after it.
func TestAnAnswerThatWasThereInTimeIsTaken(t *testing.T) {
	t.Parallel()
	for range 20 { // each would be lost with a chance of one half
		answer := delivered{make(chan jetstream.Msg, 2)}
		answer.messages <- atFive{}
		answer.messages <- atFive{}
		c := &natsConsumer{
			bus: &natsBus{opts: NATSOptions{Limits: Options{MaxDeliver: 5}}}, stream: Experience, asked: answer,
			until: time.Now().Add(-time.Second),
		}
		out, err := c.collect(t.Context(), nil, 8)
		require.NoError(t, err)
		require.Len(t, out, 2)
		require.Nil(t, c.asked, "and no more is waited for")
	}
}
