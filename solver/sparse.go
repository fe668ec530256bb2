package solver

// sparse is a matrix in compressed rows.
type sparse struct {
	start  []int32 // by row, its first entry; one more element ends the last row
	column []int32
	value  []float64
}

// newSparse returns the payoff matrix of a seat: an entry for each leaf.
func newSparse(own, other *side) sparse {
	m := sparse{
		start:  make([]int32, own.sequences()+1),
		column: make([]int32, len(own.payoff)),
		value:  make([]float64, len(own.payoff)),
	}
	for _, q := range own.sequence {
		m.start[q+1]++
	}
	for q := range own.sequences() {
		m.start[q+1] += m.start[q]
	}
	next := append([]int32(nil), m.start...)
	for leaf, q := range own.sequence {
		m.column[next[q]], m.value[next[q]] = other.sequence[leaf], own.payoff[leaf]
		next[q]++
	}
	return m
}

// multiply writes the matrix times x to dst.
func (m *sparse) multiply(x, dst []float64) {
	for row := range dst {
		columns := m.column[m.start[row]:m.start[row+1]]
		values := m.value[m.start[row]:m.start[row+1]]
		sum := 0.0
		for i, c := range columns {
			sum += values[i] * x[c]
		}
		dst[row] = sum
	}
}
