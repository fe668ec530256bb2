package tysiac

import (
	"encoding/binary"
	"math/bits"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// What a seat sees of TakeMusik is uncovered + a number that stands for the musik and its
// cards.
const uncovered = proven + cards.Suits

// Seen hides what is dealt to the other seat and to the musiks, and what the other
// seat returns. Taking a musik shows its cards, a challenge the proof.
func (s *State) Seen(seat, step int) int {
	switch s.phase {
	case dealing:
		if int(s.length)/handCards != seat {
			return engine.Hidden
		}
	case auction:
		if step == Challenge {
			if suit := s.proof(1 - s.player); suit < cards.Suits {
				return proven + suit
			}
		}
	case takingMusik:
		musik := s.musiks[step-TakeMusik]
		return uncovered + ((step-TakeMusik)*cards.Count+musik.First())*cards.Count + musik.Last()
	case returning:
		if seat != int(s.playing) {
			return engine.Hidden
		}
	}
	return step
}

// digest is a chained 128-bit hash of what a seat has seen of earlier hands, so that a state
// need not hold a whole game.
type digest [2]uint64

// extend returns the digest of one more hand.
func (d digest) extend(s *State, seat int) digest {
	var seen [logSize + 8]byte // the last word is padded with zeros
	n := len(s.appendSeen(seat, seen[:0]))
	d[0] ^= uint64(n)
	for at := 0; at < n; at += 8 {
		word := binary.LittleEndian.Uint64(seen[at:])
		high, low := bits.Mul64(d[0]^word, 0x9e3779b97f4a7c15)
		d[0] = high ^ low ^ d[1]
		high, low = bits.Mul64(d[1]^word, 0xd1342543de82ef95)
		d[1] = (high ^ low) + d[0]
	}
	return d
}

// InformationKey appends the digest of the earlier hands, and one byte for each event of this
// one, see record. What the seat cannot see is 0.
func (s *State) InformationKey(seat int, buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, s.past[seat][0])
	buf = binary.LittleEndian.AppendUint64(buf, s.past[seat][1])
	return s.appendSeen(seat, buf)
}

// appendSeen appends the log of the hand as the seat sees it.
func (s *State) appendSeen(seat int, buf []byte) []byte {
	start := len(buf)
	buf = append(buf, s.log[:s.length]...)
	seen := buf[start:]
	dealt := seen[:min(len(seen), cards.Count)]
	clear(dealt[min(len(dealt), 2*handCards):])
	other := (1 - seat) * handCards
	clear(dealt[min(len(dealt), other):min(len(dealt), other+handCards)])
	if s.returnAt > 0 && seat != int(s.playing) {
		from := min(len(seen), int(s.returnAt))
		clear(seen[from:min(len(seen), from+2)])
	}
	return buf
}
