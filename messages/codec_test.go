package messages

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func TestEncodeDecode(t *testing.T) {
	batch := playBatch(newDraw(6), 5)
	data, err := Encode(batch)
	require.NoError(t, err)
	var back Experience
	require.NoError(t, Decode(data, &back))
	require.True(t, proto.Equal(batch, &back))
}

func TestEncodeRefuses(t *testing.T) {
	_, err := Encode(&Pointer{Sha256: make([]byte, MaxMessage)})
	require.ErrorContains(t, err, "more than the limit")
}

func TestDecodeRefuses(t *testing.T) {
	field := func(n protowire.Number, count int) []byte {
		return bytes.Repeat(protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), nil), count)
	}
	tests := []struct {
		name   string
		data   []byte
		reason Reason
	}{
		{"empty", nil, ReasonSchema},
		{"text", []byte("hello"), ReasonDecode},
		{"cut off", []byte{0x0a, 0xff, 0x01}, ReasonDecode},
		{"lying length", []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f}, ReasonDecode},
		{"too large", make([]byte, MaxMessage+1), ReasonDecode},
		{"bomb of agents", field(batchAgents, MaxAgents+1), ReasonDecode},
		{"bomb of episodes", field(batchEpisodes, MaxEpisodes+1), ReasonDecode},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var refusal *Refusal
			require.ErrorAs(t, Decode(test.data, &Experience{}), &refusal)
			require.Equal(t, test.reason, refusal.Reason, refusal.Detail)
		})
	}
}

func TestDecodeBoundsMemory(t *testing.T) {
	tag := protowire.AppendTag(nil, batchEpisodes, protowire.BytesType)
	data := bytes.Repeat(append(tag, 0), MaxEpisodes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = Decode(data, &Experience{})
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*MaxMessage))
}
