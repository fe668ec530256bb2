package messages

import (
	"encoding/binary"
	"math"

	"croupier/engine"
)

// HistoryWidth returns how many bytes a step of an Episode's history has: 1 where
// both the actions and the outcomes of the game have at most 256 members, else 2.
func HistoryWidth(spec *engine.Spec) int {
	if max(spec.Actions, spec.Outcomes) <= 256 {
		return 1
	}
	return 2
}

// AppendStep appends a step of the given width to a history.
func AppendStep(history []byte, width, step int) []byte {
	if width == 1 {
		return append(history, byte(step))
	}
	return binary.LittleEndian.AppendUint16(history, uint16(step))
}

// StepAt returns step i of a history of the given width.
func StepAt(history []byte, width, i int) int {
	if width == 1 {
		return int(history[i])
	}
	return int(binary.LittleEndian.Uint16(history[2*i:]))
}

// AppendFloat appends a value to a float32 column.
func AppendFloat(column []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(column, math.Float32bits(v))
}

// FloatAt returns value i of a float32 column.
func FloatAt(column []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(column[4*i:]))
}
