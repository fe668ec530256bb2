package bus

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// unanswered is a bucket that answers no first update of a key, refuses those after it, and shows what it had before.
type unanswered struct {
	jetstream.KeyValue
	updates int
}

func (u *unanswered) Update(context.Context, string, []byte, uint64) (uint64, error) {
	if u.updates++; u.updates == 1 {
		return 0, nats.ErrTimeout
	}
	return 0, jetstream.ErrKeyRevisionMismatch
}

func (u *unanswered) Create(ctx context.Context, key string, value []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
	return u.Update(ctx, key, value, 0)
}

type before struct{ jetstream.KeyValueEntry }

func (before) Key() string                     { return "k" }
func (before) Value() []byte                   { return []byte("old") }
func (before) Revision() uint64                { return 5 }
func (before) Operation() jetstream.KeyValueOp { return jetstream.KeyValuePut }
func (u *unanswered) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	return before{}, nil
}

// TestAnUpdateUnderWayIsNotAnothers: brokers refuse an update while they agree on an earlier attempt of it, of which
// the answer was lost. Until that is stored no other process has taken the key, whatever a broker shows that is behind.
func TestAnUpdateUnderWayIsNotAnothers(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	require.NoError(t, err)
	s.Start()
	defer s.Shutdown()
	require.True(t, s.ReadyForConnections(10*time.Second))
	conn, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer conn.Close()
	type message struct {
		Sequence uint64 `json:"seq"`
		Header   []byte `json:"hdrs,omitempty"`
		Data     []byte `json:"data"`
	}
	for name, c := range map[string]struct {
		revision uint64
		leader   []*message // what the leader of the stream says, one after the other; nil: nothing is there
		taken    bool
	}{
		"stored":           {5, []*message{{6, nil, []byte("new")}}, false},
		"under way":        {5, []*message{{5, nil, []byte("old")}, {5, nil, []byte("old")}, {6, nil, []byte("new")}}, false},
		"made":             {0, []*message{nil, {6, nil, []byte("new")}}, false},
		"another's":        {5, []*message{{5, nil, []byte("old")}, {6, nil, []byte("another's")}}, true},
		"deleted":          {5, []*message{{6, []byte("NATS/1.0\r\nKV-Operation: DEL\r\n\r\n"), nil}}, true},
		"lost":             {5, []*message{nil}, true},
		"lost, made again": {5, []*message{{1, nil, []byte("another's")}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			sub, err := conn.Subscribe("$JS.API.STREAM.MSG.GET.KV_b", func(m *nats.Msg) {
				there := c.leader[min(asked, len(c.leader)-1)]
				asked++
				answer := map[string]any{"message": there}
				if there == nil {
					answer = map[string]any{"error": map[string]any{"code": 404, "err_code": jetstream.JSErrCodeMessageNotFound}}
				}
				data, _ := json.Marshal(answer)
				_ = m.Respond(data)
			})
			require.NoError(t, err)
			defer func() { _ = sub.Unsubscribe() }()
			b := &natsBus{log: slog.New(slog.DiscardHandler), conn: conn}
			b.ctx, b.cancel = context.WithCancel(t.Context())
			defer b.cancel()
			b.link.begin(b.ctx)
			kv := &natsKV{bus: b, bucket: "b", handle: &unanswered{}}
			revision, err := kv.Update(t.Context(), "k", []byte("new"), c.revision)
			if c.taken {
				require.ErrorIs(t, err, ErrTaken)
				return
			}
			require.NoError(t, err)
			require.EqualValues(t, 6, revision)
		})
	}
}
