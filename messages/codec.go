package messages

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Bounds on what is read from the bus. They keep what a decoder allocates within a
// small multiple of the bytes it was given, whatever those bytes are.
const (
	// MaxMessage is the largest message in bytes.
	MaxMessage = 1 << 20
	// MaxAgents is the most agents in a batch: a seat names its agent in one byte.
	MaxAgents = 256
	// MaxEpisodes is the most episodes in a batch. An episode of the smallest game
	// has some 30 bytes, so that MaxMessage is the bound that is met in practice.
	MaxEpisodes = 1 << 15
)

// Field numbers of Experience and Kept in croupier.proto.
const (
	batchAgents   protowire.Number = 7
	batchEpisodes protowire.Number = 8

	resultGames protowire.Number = 11 // of Result
)

// Message is a top-level message: one that carries the schema version.
type Message interface {
	proto.Message
	GetSchema() uint32
}

// Encode gives the message the schema of the run, see [WriteSchema], and returns its bytes, the
// same for equal messages. A message above MaxMessage is an error.
func Encode(m Message) ([]byte, error) {
	stamp(m)
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", m.ProtoReflect().Descriptor().Name(), err)
	}
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("encode %s: %d bytes is more than the limit of %d",
			m.ProtoReflect().Descriptor().Name(), len(data), MaxMessage)
	}
	return data, nil
}

// Decode reads bytes that came from the bus into m. Its error is a *Refusal with
// ReasonDecode or ReasonSchema.
func Decode(data []byte, m Message) error {
	if len(data) > MaxMessage {
		return Refuse(ReasonDecode, "%d bytes is more than the limit of %d", len(data), MaxMessage)
	}
	switch m.(type) {
	case *Experience, *Kept:
		if err := checkCounts(data); err != nil {
			return err
		}
	case *Result:
		if err := checkGames(data); err != nil {
			return err
		}
	}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, m); err != nil {
		return Refuse(ReasonDecode, "%v", err)
	}
	return checkSchema(m)
}

// checkCounts bounds the repeated fields of batches before they are allocated: an
// empty element costs two bytes on the wire and a hundred times that in memory.
func checkCounts(batches ...[]byte) error {
	agents, episodes := 0, 0
	for _, data := range batches {
		err := fields(data, func(number protowire.Number, _ []byte) {
			switch number {
			case batchAgents:
				agents++
			case batchEpisodes:
				episodes++
			}
		})
		if err != nil {
			return err
		}
	}
	if agents > MaxAgents || episodes > MaxEpisodes {
		return Refuse(ReasonDecode, "%d agents and %d episodes, the limits are %d and %d",
			agents, episodes, MaxAgents, MaxEpisodes)
	}
	return nil
}

// checkGames is checkCounts for the games of a result, together.
func checkGames(data []byte) error {
	var batches [][]byte
	err := fields(data, func(number protowire.Number, value []byte) {
		if content, n := protowire.ConsumeBytes(value); number == resultGames && n >= 0 && len(batches) <= MaxAgents {
			batches = append(batches, content)
		}
	})
	if err == nil && len(batches) > MaxAgents {
		err = Refuse(ReasonDecode, "more than %d batches of games", MaxAgents)
	}
	if err != nil {
		return err
	}
	return checkCounts(batches...)
}

// fields calls each with the number and the encoded value of every field of a message.
func fields(data []byte, each func(number protowire.Number, value []byte)) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return Refuse(ReasonDecode, "%v", protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(number, kind, data[n:])
		if size < 0 {
			return Refuse(ReasonDecode, "field %d: %v", number, protowire.ParseError(size))
		}
		each(number, data[n:n+size])
		data = data[n+size:]
	}
	return nil
}
