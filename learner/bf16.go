package learner

import (
	"encoding/binary"
	"math"
)

// appendBF16 appends values as BF16 in little-endian order: FP32 rounded to 8 bits of precision, to nearest even. What
// is not a number stays none.
func appendBF16(dst []byte, values []float32) []byte {
	for _, v := range values {
		bits := math.Float32bits(v)
		if v == v {
			bits += 0x7fff + bits>>16&1
		} else {
			bits |= 1 << 22
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(bits>>16))
	}
	return dst
}

// valuesOfBF16 returns the values that appendBF16 has appended.
func valuesOfBF16(data []byte) []float32 {
	values := make([]float32, len(data)/2)
	for i := range values {
		values[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
	}
	return values
}
