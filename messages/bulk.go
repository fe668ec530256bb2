package messages

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Field numbers of what members of a group exchange, in croupier.proto.
const (
	toLeaderPart   protowire.Number = 5
	toLeaderChange protowire.Number = 6
	toPeersState   protowire.Number = 4
	toPeersResult  protowire.Number = 7

	partData   protowire.Number = 7
	changeData protowire.Number = 8
	stateData  protowire.Number = 4
	resultData protowire.Number = 4
)

// bulk returns where in a message gradients or weights are, and the numbers of the field that has them and of the
// message around it; nil if there are none.
func bulk(m Message) (data *[]byte, around, field protowire.Number) {
	switch m := m.(type) {
	case *ToLeader:
		switch body := m.Body.(type) {
		case *ToLeader_Part:
			return &body.Part.Data, toLeaderPart, partData
		case *ToLeader_Change:
			return &body.Change.Data, toLeaderChange, changeData
		}
	case *ToPeers:
		switch body := m.Body.(type) {
		case *ToPeers_State:
			return &body.State.Data, toPeersState, stateData
		case *ToPeers_Result:
			return &body.Result.Data, toPeersResult, resultData
		}
	}
	return nil, 0, 0
}

// AppendEncoded appends what [Encode] returns to dst, in another order: gradients and weights come last, so that they
// are copied once, and [DecodeShared] need not copy them. [Decode] reads it too, since protobuf merges what it reads of
// one message in several pieces.
func AppendEncoded(dst []byte, m Message) ([]byte, error) {
	data, around, field := bulk(m)
	stamp(m)
	begin := len(dst)
	var large []byte
	if data != nil {
		large, *data = *data, nil
		defer func() { *data = large }()
	}
	dst, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", m.ProtoReflect().Descriptor().Name(), err)
	}
	if len(large) > 0 {
		dst = protowire.AppendTag(dst, around, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(protowire.SizeTag(field)+protowire.SizeBytes(len(large))))
		dst = protowire.AppendTag(dst, field, protowire.BytesType)
		dst = protowire.AppendBytes(dst, large)
	}
	if n := len(dst) - begin; n > MaxMessage {
		return nil, fmt.Errorf("encode %s: %d bytes is more than the limit of %d",
			m.ProtoReflect().Descriptor().Name(), n, MaxMessage)
	}
	return dst, nil
}

// DecodeShared is [Decode], but gradients and weights that come last in a message share their memory with data.
func DecodeShared(data []byte, m Message) error {
	if len(data) > MaxMessage {
		return Decode(data, m) // says so
	}
	last, around, inner := lastField(data)
	if inner == nil || (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data[:last], m) != nil {
		return Decode(data, m)
	}
	at, wantAround, wantField := bulk(m)
	_, field, large := lastField(inner)
	if at == nil || around != wantAround || field != wantField || large == nil ||
		len(inner) != protowire.SizeTag(field)+protowire.SizeBytes(len(large)) {
		return Decode(data, m)
	}
	*at = large
	return checkSchema(m)
}

// lastField returns where the last field of an encoded message begins, its number and, if it has bytes, these.
func lastField(data []byte) (begin int, number protowire.Number, content []byte) {
	for i := 0; i < len(data); {
		n, kind, size := protowire.ConsumeField(data[i:])
		if size < 0 {
			return 0, 0, nil
		}
		if begin, number, content = i, n, nil; kind == protowire.BytesType && i+size == len(data) {
			_, _, tag := protowire.ConsumeTag(data[i:])
			content, _ = protowire.ConsumeBytes(data[i+tag:])
		}
		i += size
	}
	return begin, number, content
}
