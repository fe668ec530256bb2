package learner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// freezeBest keeps the learner's present weights as main@1 and returns a setback to it.
func freezeBest(t *testing.T, l *Learner) *messages.Setback {
	t.Helper()
	data, err := l.publisher.encode(l.trainer.Published(), l.now())
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	s := &messages.Setback{
		Number: 1, Best: "main@1", Object: messages.MemberObject("main", 1, sum), SHA256: hex.EncodeToString(sum[:]),
		Again:  1,
		Weaker: []messages.Weakness{{Agent: "main@2", Sets: 100, Gain: -0.75}},
	}
	require.NoError(t, l.opts.Bus.PutObject(t.Context(), s.Object, data))
	return s
}

// declared is the setback as the league's key has it.
func declared(t *testing.T, s *messages.Setback) *messages.Setback {
	t.Helper()
	doc, err := json.Marshal(s)
	require.NoError(t, err)
	s, err = messages.ParseSetback(doc)
	require.NoError(t, err)
	return s
}

// TestSetbackIsObeyed: training continues from the best version's weights with a quarter of the learning rate, once for
// each setback, and the third one to the same version ends it with a sentence. Its checkpoint is the best version, so
// that a run that is resumed does not end at once.
func TestSetbackIsObeyed(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1 << 20
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	l, iterate := iterating(t, o)
	require.NoError(t, iterate())
	best := append([]float32{}, l.trainer.Published().Weights...)
	s := freezeBest(t, l)
	require.NoError(t, iterate())
	require.NotEqual(t, best, l.trainer.Published().Weights)
	require.NoError(t, settled(t, l, l.obey(t.Context())), "nothing to obey")
	before, version := rate(l), l.reached.Load()

	l.setback.Store(declared(t, s))
	require.NoError(t, settled(t, l, l.obey(t.Context())))
	require.Equal(t, best, l.trainer.Published().Weights)
	state, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.Equal(t, best, state.Second, "the magnet")
	require.Zero(t, state.Steps)
	require.InDelta(t, before/4, rate(l), 1e-12)
	require.Equal(t, 1.0, testutil.ToFloat64(l.metrics.setbacks))
	pointer, err := l.publisher.open(t.Context())
	require.NoError(t, err)
	require.Equal(t, []uint64{version + 1, 1}, []uint64{pointer.Version, pointer.Setbacks})
	require.NoError(t, settled(t, l, l.obey(t.Context())))
	require.Equal(t, version+1, l.reached.Load(), "obeyed once")
	require.NoError(t, iterate())
	require.Contains(t, l.state(), "training with 1/4 of the learning rate from main@1 on, because later versions were weaker")

	require.Contains(t, log.String(), `level=INFO msg="later versions were weaker: training continues from the best version`)
	require.NotRegexp(t, "level=(WARN|ERROR)", log.String(), "training does that now and then")

	s.Number, s.Again = 3, maxSetbacks
	l.setback.Store(declared(t, s))
	err = settled(t, l, l.obey(t.Context()))
	require.ErrorContains(t, err, "training has collapsed: 3 times in succession it continued from main@1 and lost strength")
	require.ErrorContains(t, err, "main@2 by 0.75")
	o.Resume, o.Registerer = true, prometheus.NewRegistry()
	again, err := New(o)
	require.NoError(t, err)
	require.Equal(t, best, again.trainer.Published().Weights)
	again.setback.Store(l.setback.Load())
	require.NoError(t, settled(t, again, again.obey(t.Context())), "obeyed before the checkpoint")
}

// TestSetbackThatCannotBeObeyed: weights that are not what the setback promises are not taken, and in an earlier stage
// of the curriculum training continues as it is.
func TestSetbackThatCannotBeObeyed(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1 << 20
	l, iterate := iterating(t, o)
	require.NoError(t, iterate())
	s := freezeBest(t, l)
	require.NoError(t, iterate())
	weights := append([]float32{}, l.trainer.Published().Weights...)
	wrong := *s
	wrong.SHA256 = hex.EncodeToString(make([]byte, sha256.Size))
	l.setback.Store(declared(t, &wrong))
	require.NoError(t, settled(t, l, l.obey(t.Context())))
	require.Equal(t, weights, l.trainer.Published().Weights)
	require.Zero(t, l.now().Setbacks)
	l.setback.Store(declared(t, s))
	l.stage.Store(1)
	require.NoError(t, settled(t, l, l.obey(t.Context())))
	require.Equal(t, weights, l.trainer.Published().Weights)
	require.Equal(t, uint64(1), l.now().Setbacks, "received")

	for _, doc := range []string{`{}`, `{"number": 1}`, `{"number": 1, "object": "live/main/1", "sha256": ""}`, `[`} {
		_, err := messages.ParseSetback([]byte(doc))
		require.ErrorContains(t, err, "setback: ")
	}
}
