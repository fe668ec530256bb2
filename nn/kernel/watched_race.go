//go:build race

package kernel

// The race detector does not see what assembly reads and writes. In its builds every function in assembly is called
// through one in Go that reads an element of each factor and writes one of each result, so that two goroutines that
// share memory by mistake are seen.

// watched returns copies of the sets with such functions.
func watched(sets []*instructions) (list []*instructions) {
	for _, s := range sets {
		w := *s
		w.watchProducts()
		w.watchElements()
		if s.bf16 != nil {
			w.bf16 = s.bf16.watched()
		}
		list = append(list, &w)
	}
	return list
}

// reads reads the first element of each slice that has one.
func reads(slices ...[]float32) {
	for _, s := range slices {
		if len(s) > 0 {
			sink(s[0])
		}
	}
}

//go:noinline
func sink(float32) {}

// writes writes the first element of each slice that has one, and leaves it as it is.
func writes(slices ...[]float32) {
	for _, s := range slices {
		if len(s) > 0 {
			x := s[0]
			s[0] = x
		}
	}
}

func (s *instructions) watchProducts() {
	s.tiles = watchedTiles(s.tiles)
	s.packRows = watchedPacking(s.packRows)
	s.packColumns = watchedPacking(s.packColumns)
	if affine := s.sparseAffine; affine != nil {
		s.sparseAffine = func(y, x, w, bias []float32, yStride, xStride, rows, inputs, outputs int, floor float32) {
			reads(x, w, bias)
			writes(y)
			affine(y, x, w, bias, yStride, xStride, rows, inputs, outputs, floor)
		}
	}
	if outer := s.sparseOuter; outer != nil {
		s.sparseOuter = func(dw, x, dz []float32, xStride, rows, inputs, outputs int) {
			reads(x, dz)
			writes(dw)
			outer(dw, x, dz, xStride, rows, inputs, outputs)
		}
	}
}

func watchedTiles(tiles []tile) (list []tile) {
	for _, f := range tiles {
		list = append(list, func(a, b, c, start []float32, aRow, aColumn, aTile, cRow, startRow, depth, width, tiles int,
			floor float32) {
			reads(a, b, start)
			writes(c)
			f(a, b, c, start, aRow, aColumn, aTile, cRow, startRow, depth, width, tiles, floor)
		})
	}
	return list
}

type packing = func(dst, src []float32, dstStride, stride, depth, width int)

func watchedPacking(pack packing) packing {
	return func(dst, src []float32, dstStride, stride, depth, width int) {
		reads(src)
		writes(dst)
		pack(dst, src, dstStride, stride, depth, width)
	}
}

func (s *instructions) watchElements() {
	exp, expSum, columns, columnsGradient := s.exp, s.expSum, s.softmaxColumns, s.softmaxColumnsGradient
	s.exp = func(dst, x []float32) { reads(x); writes(dst); exp(dst, x) }
	s.expSum = func(x []float32) (top, sum float32) { reads(x); return expSum(x) }
	s.softmaxColumns = func(x []float32, rows, width int, scale float32) {
		writes(x)
		columns(x, rows, width, scale)
	}
	s.softmaxColumnsGradient = func(dy, y []float32, rows, width int, scale float32) {
		reads(y)
		writes(dy)
		columnsGradient(dy, y, rows, width, scale)
	}
	cell, forward, backward := s.lstmCell, s.lstmForward, s.lstmBackward
	s.lstmCell = func(gates, h, c []float32) { reads(gates); writes(h, c); cell(gates, h, c) }
	s.lstmForward = func(gates, previousCell, cell, tanhCell, h []float32) {
		reads(previousCell)
		writes(gates, cell, tanhCell, h)
		forward(gates, previousCell, cell, tanhCell, h)
	}
	s.lstmBackward = func(gates, previousCell, tanhCell, hiddenGrad, cellGrad []float32) {
		reads(previousCell, tanhCell, hiddenGrad)
		writes(gates, cellGrad)
		backward(gates, previousCell, tanhCell, hiddenGrad, cellGrad)
	}
	add, relu, sumSquares, prefetch, adam := s.add, s.reluGradient, s.sumSquares, s.prefetch, s.adam
	s.add = func(y, x []float32) { reads(x); writes(y); add(y, x) }
	s.reluGradient = func(dz, y, dy []float32) { reads(y, dy); writes(dz); relu(dz, y, dy) }
	s.sumSquares = func(x []float32) float64 { reads(x); return sumSquares(x) }
	s.prefetch = func(x []byte) { prefetch(x) } // a hint: it reads nothing
	s.adam = func(parameters, gradient, m, v []float32, scale, beta1, beta2, size, epsilon float32) {
		reads(gradient)
		writes(parameters, m, v)
		adam(parameters, gradient, m, v, scale, beta1, beta2, size, epsilon)
	}
}

// watched returns a copy of the arithmetic in BF16. Its tiles and packing are seen like those of [instructions].
func (b *bf16) watched() *bf16 {
	w := *b
	w.tiles = watchedTiles(b.tiles)
	w.pairRows = watchedPacking(b.pairRows)
	w.pairRow = func(dst, src []float32, count int) { reads(src); writes(dst); b.pairRow(dst, src, count) }
	if b.transpose != nil {
		w.transpose = func(dst, src []float32, dstStride, count int) {
			reads(src)
			writes(dst)
			b.transpose(dst, src, dstStride, count)
		}
	}
	return &w
}
