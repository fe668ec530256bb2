package langestrasse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Turn returns the expected points of a turn and its chance of a strich.
func (o *Optimum) Turn() (points, strich float64) {
	v := o.values[0][0]
	return v.points, v.strich
}

// Value returns what a move is worth with the given points of finished sets: the expected
// points of the whole turn, and the chance that it ends in a strich.
func (o *Optimum) Value(points int, m Move) (expected, strich float64) {
	v := o.value(points, m)
	return v.points, v.strich
}

// Best returns the best move at a throw that has one.
func (o *Optimum) Best(points, set, throw int) Move {
	m, _ := o.choose(points, o.tables.base[set]+uint16(throw))
	return m
}

// ErrorBound returns a bound on the error of the expected points of a turn. Nothing is cut off,
// so what counts is, at each throw of a turn, the tolerance within which moves count as equal,
// the rounding of a mean over at most 462 throws, and the distance of the lines from their
// fixed point. Values up to the end of the table bound the latter two. No strategy makes more
// than 5.776 throws a turn on average (TestNobodyPlaysTurnsOfMoreSteps), and errors add up
// along the way.
func (o *Optimum) ErrorBound() float64 {
	const throws, unitRoundoff = 5.776, 0x1p-53
	end := float64(len(o.values)*step) + stopPoints
	rounding := 2 * float64(spec.Outcomes) * unitRoundoff * end
	return throws * (same + rounding + (o.lineResidual()+level)*end)
}

// lineResidual is the largest change that another pass of solveLines makes to a chance, or to
// points in units of the end of the table.
func (o *Optimum) lineResidual() float64 {
	largest := 0.0
	for set, old := range o.lines {
		now := o.lineOf(set)
		change := math.Abs(now.gained-old.gained) / float64(len(o.values)*step)
		largest = max(largest, math.Abs(now.kept-old.kept)+change)
	}
	return largest
}

// MarshalBinary returns all values for [ReadOptimum]: the number of rows and of sets, then
// points and strich for each row and set, then each set's line, in little-endian uint32 and
// float64.
func (o *Optimum) MarshalBinary() ([]byte, error) {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(o.values)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(o.lines)))
	for _, row := range o.values {
		for _, v := range row {
			b = appendFloats(b, v.points, v.strich)
		}
	}
	for _, l := range o.lines {
		b = appendFloats(b, l.kept, l.gained)
	}
	return b, nil
}

// ReadOptimum reads what MarshalBinary wrote. It refuses data of the wrong size, and values
// that are not expected points or chances.
func ReadOptimum(data []byte) (*Optimum, error) {
	o := &Optimum{tables: sharedTables()}
	sets := len(o.tables.sets)
	if len(data) < 8 {
		return nil, errors.New("it is cut off")
	}
	rows := int(binary.LittleEndian.Uint32(data))
	if n := int(binary.LittleEndian.Uint32(data[4:])); n != sets {
		return nil, fmt.Errorf("it has %d sets, the rules have %d", n, sets)
	}
	data = data[8:]
	if rows < 1 || len(data)%(16*sets) != 0 || len(data)/(16*sets) != rows+1 {
		return nil, fmt.Errorf("its %d bytes are not %d rows and the lines", len(data), rows)
	}
	float := func() float64 {
		f := math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
		return f
	}
	valid := true
	for range rows {
		row := make([]value, sets)
		for set := range row {
			row[set] = value{float(), float()}
			valid = valid && row[set].points >= 0 && row[set].points < math.MaxInt32 && chance(row[set].strich)
		}
		o.values = append(o.values, row)
	}
	for range sets {
		l := line{float(), float()}
		valid = valid && l.gained >= 0 && l.gained < math.MaxInt32 && chance(l.kept)
		o.lines = append(o.lines, l)
	}
	if !valid {
		return nil, errors.New("it has values that are not points or chances")
	}
	return o, nil
}

// chance reports whether p is a probability, give or take rounding.
func chance(p float64) bool { return p > -1e-9 && p < 1+1e-9 }

func appendFloats(b []byte, floats ...float64) []byte {
	for _, f := range floats {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}
