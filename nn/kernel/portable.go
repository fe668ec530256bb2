package kernel

import (
	"math"
	"slices"
)

// portable is the arithmetic in plain Go, for every machine.
var portable = &instructions{
	name:                   "portable",
	tiles:                  stacked(portableTile),
	panelWidth:             portableWidth,
	packRows:               packRowsOf(portableWidth),
	packColumns:            packColumnsOf(portableWidth),
	exp:                    func(dst, x []float32) { apply(Exp, dst, x) },
	expSum:                 portableExpSum,
	softmaxColumns:         portableSoftmaxColumns,
	softmaxColumnsGradient: portableSoftmaxColumnsGradient,
	lstmCell:               portableLSTMCell,
	lstmForward:            portableLSTMForward,
	lstmBackward:           portableLSTMBackward,
	add:                    byRows(portableAdd),
	reluGradient:           portableReLUGradient,
	sumSquares:             portableSumSquares,
	prefetch:               func([]byte) {},
	adam:                   portableAdam,
}

// portableWidth is the number of output columns computed together: as many sums as fit the
// scalar registers next to one input and one product.
const portableWidth = 8

func portableTile(a, b, c, start []float32, _, aColumn, _, _, depth, width int, floor float32) {
	var s [portableWidth]float32
	copy(s[:width], start)
	s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	b = b[:depth*portableWidth]
	for k := 0; len(b) >= portableWidth; k += aColumn {
		x, w := a[k], (*[portableWidth]float32)(b)
		b = b[portableWidth:]
		s0 += x * w[0]
		s1 += x * w[1]
		s2 += x * w[2]
		s3 += x * w[3]
		s4 += x * w[4]
		s5 += x * w[5]
		s6 += x * w[6]
		s7 += x * w[7]
	}
	s = [portableWidth]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	for j, v := range s[:width] {
		c[j] = max(v, floor)
	}
}

// stacked returns the tiles of 1, 2, … rows given those that compute a single tile.
func stacked(single ...singleTile) (tiles []tile) {
	for i, one := range single {
		rows := i + 1
		tiles = append(tiles, func(a, b, c, start []float32,
			aRow, aColumn, aTile, cRow, startRow, depth, width, tiles int, floor float32) {
			for t := range tiles {
				one(a[min(t*aTile, len(a)):], b, c[t*rows*cRow:], start[t*rows*startRow:],
					aRow, aColumn, cRow, startRow, depth, width, floor)
			}
		})
	}
	return tiles
}

type singleTile = func(a, b, c, start []float32, aRow, aColumn, cRow, startRow, depth, width int, floor float32)

// packRowsOf returns the function packRows for panels of the given width.
func packRowsOf(panelWidth int) func(dst, src []float32, dstStride, stride, depth, width int) {
	return func(dst, src []float32, dstStride, stride, depth, width int) {
		for k := range depth {
			row := dst[k*dstStride:][:panelWidth]
			clear(row[copy(row, src[k*stride:][:width]):])
		}
	}
}

// packColumnsOf returns the function packColumns for panels of the given width.
func packColumnsOf(panelWidth int) func(dst, src []float32, dstStride, stride, depth, width int) {
	return func(dst, src []float32, dstStride, stride, depth, width int) {
		for k := range depth {
			clear(dst[k*dstStride+width:][:panelWidth-width])
		}
		for j := range width {
			for k, v := range src[j*stride:][:depth] {
				dst[k*dstStride+j] = v
			}
		}
	}
}

func portableExpSum(x []float32) (top, sum float32) {
	top = slices.Max(x)
	for _, v := range x {
		sum += Exp(v - top)
	}
	return top, sum
}

func portableSoftmaxColumns(x []float32, _, columns int, scale float32) {
	for j := range columns {
		top := x[j]
		for i := j; i < len(x); i += columns {
			top = max(top, x[i])
		}
		sum := float32(0)
		for i := j; i < len(x); i += columns {
			x[i] = Exp((x[i] - top) * scale)
			sum += x[i]
		}
		inverse := 1 / sum
		for i := j; i < len(x); i += columns {
			x[i] *= inverse
		}
	}
}

func portableSoftmaxColumnsGradient(dy, y []float32, _, columns int, scale float32) {
	for j := range columns {
		mean := float32(0)
		for i := j; i < len(dy); i += columns {
			mean += dy[i] * y[i]
		}
		for i := j; i < len(dy); i += columns {
			dy[i] = (dy[i] - mean) * (y[i] * scale)
		}
	}
}

func apply(f func(float32) float32, dst, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = f(v)
	}
}

// gates4 splits the gates of n units.
func gates4(gates []float32, n int) (input, forget, cell, output []float32) {
	return gates[:n], gates[n:][:n], gates[2*n:][:n], gates[3*n:][:n]
}

func portableLSTMCell(gates, h, c []float32) {
	c = c[:len(h)]
	input, forget, update, output := gates4(gates, len(h))
	for j := range h {
		c[j] = Sigmoid(forget[j])*c[j] + Sigmoid(input[j])*Tanh(update[j])
		h[j] = Sigmoid(output[j]) * Tanh(c[j])
	}
}

func portableLSTMForward(gates, previousCell, cell, tanhCell, h []float32) {
	n := len(h)
	previousCell, cell, tanhCell = previousCell[:n], cell[:n], tanhCell[:n]
	input, forget, update, output := gates4(gates, n)
	for j := range h {
		input[j] = Sigmoid(input[j])
		forget[j] = Sigmoid(forget[j])
		update[j] = Tanh(update[j])
		output[j] = Sigmoid(output[j])
		cell[j] = forget[j]*previousCell[j] + input[j]*update[j]
		tanhCell[j] = Tanh(cell[j])
		h[j] = output[j] * tanhCell[j]
	}
}

func portableLSTMBackward(gates, previousCell, tanhCell, hiddenGrad, cellGrad []float32) {
	n := len(hiddenGrad)
	previousCell, tanhCell, cellGrad = previousCell[:n], tanhCell[:n], cellGrad[:n]
	input, forget, update, output := gates4(gates, n)
	for j, dh := range hiddenGrad {
		i, f, g, o, tc := input[j], forget[j], update[j], output[j], tanhCell[j]
		dc := cellGrad[j] + dh*o*(1-tc*tc)
		input[j] = dc * g * i * (1 - i)
		forget[j] = dc * previousCell[j] * f * (1 - f)
		update[j] = dc * i * (1 - g*g)
		output[j] = dh * tc * o * (1 - o)
		cellGrad[j] = dc * f
	}
}

// byRows returns the function add given one for a single row.
func byRows(add func(y, x []float32)) func(y, x []float32) {
	return func(y, x []float32) {
		for ; len(x) > 0; x = x[len(y):] {
			add(y, x[:len(y)])
		}
	}
}

func portableAdd(y, x []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += v
	}
}

func portableReLUGradient(dz, y, dy []float32) {
	dz, dy = dz[:len(y)], dy[:len(y)]
	for i, v := range y {
		bits := math.Float32bits(dy[i]) // selecting an integer compiles without a branch
		if v == 0 {
			bits = 0
		}
		dz[i] = math.Float32frombits(bits)
	}
}

func portableSumSquares(x []float32) float64 {
	sum := 0.
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

func portableAdam(parameters, gradient, m, v []float32, scale, beta1, beta2, size, epsilon float32) {
	n := len(parameters)
	m, v = m[:n], v[:n]
	for i, g := range gradient[:n] {
		g *= scale
		m[i] = beta1*m[i] + (1-beta1)*g
		v[i] = beta2*v[i] + (1-beta2)*(g*g)
		parameters[i] -= size * m[i] / (float32(math.Sqrt(float64(v[i]))) + epsilon)
	}
}
