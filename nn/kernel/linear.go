package kernel

// Rows is a batch of vectors: row i begins at Data[i*Stride].
type Rows struct {
	Data   []float32
	Stride int
}

// MakeRows returns rows×width zeros.
func MakeRows(rows, width int) Rows {
	return Rows{Data: make([]float32, rows*width), Stride: width}
}

// Row returns the first width values of row i; its capacity ends with them.
func (r Rows) Row(i, width int) []float32 {
	start := i * r.Stride
	return r.Data[start : start+width : start+width]
}

// From returns the same rows without those columns before the given one.
func (r Rows) From(column int) Rows {
	return Rows{Data: r.Data[column:], Stride: r.Stride}
}

// panelWidth is the number of output columns that are computed together: as many
// accumulators as fit the scalar registers beside one input and one product.
const panelWidth = 8

// panel is one input's weights to panelWidth outputs.
type panel [panelWidth]float32

// Linear is y = x·W + b with the weights packed for [Linear.Apply]. It is immutable.
type Linear struct {
	in, out int
	// panels holds for every panelWidth outputs the bias and then the weights of
	// each input: 1+in panels. Columns past out are zero.
	panels []panel
}

// Pack packs a layer of len(bias) outputs. The weights are row-major matrices
// [in, out] that are stacked: the inputs of the second follow those of the first.
func Pack(bias []float32, weights ...[]float32) *Linear {
	l := &Linear{out: len(bias)}
	for _, w := range weights {
		l.in += len(w) / l.out
	}
	depth := 1 + l.in
	l.panels = make([]panel, (l.out+panelWidth-1)/panelWidth*depth)
	row := 0
	for _, w := range append([][]float32{bias}, weights...) {
		for ; len(w) > 0; w = w[l.out:] {
			for j, v := range w[:l.out] {
				l.panels[j/panelWidth*depth+row][j%panelWidth] = v
			}
			row++
		}
	}
	return l
}

// Apply computes the first rows of dst from those of x, and with relu replaces
// what is negative by 0. An output is summed from the bias over the inputs in
// ascending order. dst and x must not overlap.
func (l *Linear) Apply(dst, x Rows, rows int, relu bool) {
	depth := 1 + l.in
	for column := 0; column < l.out; column += panelWidth {
		panels := l.panels[column/panelWidth*depth:][:depth]
		width := min(panelWidth, l.out-column)
		for i := range rows {
			sums := accumulate(panels, x.Row(i, l.in))
			if relu {
				sums.relu()
			}
			copy(dst.Data[i*dst.Stride+column:][:width], sums[:])
		}
	}
}

// accumulate returns panels[0] + Σ x[k]·panels[1+k].
func accumulate(panels []panel, x []float32) panel {
	b := panels[0]
	s0, s1, s2, s3, s4, s5, s6, s7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
	panels = panels[1:][:len(x)]
	for k, a := range x {
		w := &panels[k]
		s0 += a * w[0]
		s1 += a * w[1]
		s2 += a * w[2]
		s3 += a * w[3]
		s4 += a * w[4]
		s5 += a * w[5]
		s6 += a * w[6]
		s7 += a * w[7]
	}
	return panel{s0, s1, s2, s3, s4, s5, s6, s7}
}

func (p *panel) relu() {
	for i, v := range p {
		p[i] = max(v, 0)
	}
}
