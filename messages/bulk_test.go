package messages

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

// exchanged are messages of every kind that members of a group exchange.
func exchanged(large []byte) []Message {
	return []Message{
		&ToLeader{Run: "evening", Peer: "desk", Body: &ToLeader_Join{Join: &GroupJoin{Workers: 2, Settings: large}}},
		&ToLeader{Run: "evening", Body: &ToLeader_Part{Part: &GroupPart{
			Leader: "L", Iteration: 3, Work: 4, Data: large, More: true, Checksum: 7, Nanoseconds: 9,
		}}},
		&ToLeader{Run: "evening", Body: &ToLeader_Change{Change: &GroupChange{
			Leader: "L", Rollouts: []uint64{1, 2}, Fragments: 1, Data: large,
		}}},
		&ToPeers{Run: "evening", Leader: "L", Body: &ToPeers_State{State: &GroupState{Fragments: 3, Data: large}}},
		&ToPeers{Run: "evening", Leader: "L", Body: &ToPeers_Games{Games: &GroupGames{Rollout: 1, Experience: large}}},
		&ToPeers{Run: "evening", Leader: "L", Body: &ToPeers_Result{Result: &GroupResult{
			Piece: 5, Data: large, Shares: []*GroupShare{{Peer: "desk", First: 1, End: 2}},
		}}},
		&ToPeers{},
	}
}

// Programs that know one order of the fields understand those that write the other.
func TestBothOrdersAreRead(t *testing.T) {
	for _, large := range [][]byte{nil, {}, []byte("gradient"), bytes.Repeat([]byte{0x3a, 8}, 70_000)} {
		for _, m := range exchanged(large) {
			before := proto.Clone(m)
			last, err := AppendEncoded([]byte("before"), m)
			require.NoError(t, err)
			stamp(before.(Message))
			require.True(t, proto.Equal(before, m), "it is unchanged")
			last = last[len("before"):]
			ordered, err := Encode(m)
			require.NoError(t, err)
			for _, data := range [][]byte{last, ordered} {
				for _, decode := range []func([]byte, Message) error{Decode, DecodeShared} {
					again := m.ProtoReflect().New().Interface().(Message)
					require.NoError(t, decode(data, again))
					require.True(t, proto.Equal(m, again), "%T", m)
				}
			}
		}
	}
}

func TestGradientsAreNotCopied(t *testing.T) {
	for _, m := range exchanged(bytes.Repeat([]byte{1}, 1000)) {
		if at, _, _ := bulk(m); at == nil {
			continue
		}
		data, err := AppendEncoded(nil, m)
		require.NoError(t, err)
		again := m.ProtoReflect().New().Interface().(Message)
		require.NoError(t, DecodeShared(data, again))
		data[len(data)-1] = 2
		at, _, _ := bulk(again)
		require.EqualValues(t, 2, (*at)[999], "%T", m)
	}
}

func TestExchangedMessagesAreBounded(t *testing.T) {
	large := make([]byte, MaxMessage)
	_, err := AppendEncoded(nil, exchanged(large)[1])
	require.ErrorContains(t, err, "more than the limit")
	data, err := proto.Marshal(exchanged(large)[1])
	require.NoError(t, err)
	require.ErrorContains(t, DecodeShared(data, &ToLeader{}), "more than the limit")
}

// FuzzDecodeShared: whatever comes, it is read as Decode reads it.
func FuzzDecodeShared(f *testing.F) {
	for _, m := range exchanged([]byte{0x42, 3, 1, 2, 3}) {
		data, err := AppendEncoded(nil, m)
		require.NoError(f, err)
		f.Add(data)
		f.Add(append(data, data...))
		f.Add(data[:len(data)-1])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, make := range []func() Message{func() Message { return &ToLeader{} }, func() Message { return &ToPeers{} }} {
			want, got := make(), make()
			if err := Decode(data, want); err != nil {
				require.Equal(t, err, DecodeShared(data, got))
				continue
			}
			require.NoError(t, DecodeShared(data, got))
			require.True(t, proto.Equal(want, got))
		}
	})
}
