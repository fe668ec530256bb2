//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// native returns the instruction sets of the processor for which there is assembly, fastest
// first.
func native() []*instructions {
	var sets []*instructions
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI1 && x.HasBMI2 {
		if x.HasAVX512BF16 {
			avx512.bf16 = avx512BF16
		}
		sets = append(sets, avx512)
	}
	if x.HasAVX2 && x.HasFMA && x.HasBMI1 && x.HasBMI2 {
		sets = append(sets, avx2)
	}
	return sets
}

var avx512 = &instructions{
	name: "avx512",
	tiles: []tile{
		tile1AVX512, tile2AVX512, tile3AVX512, tile4AVX512, tile5AVX512, tile6AVX512,
		tile7AVX512, tile8AVX512, tile9AVX512, tile10AVX512, tile11AVX512, tile12AVX512,
	},
	panelWidth:             32,
	packRows:               packRowsAVX512,
	packColumns:            packColumnsAVX512,
	sparseAffine:           sparseAffineAVX512,
	sparseOuter:            sparseOuterAVX512,
	exp:                    expAVX512,
	expSum:                 expSumAVX512,
	softmaxColumns:         softmaxColumnsAVX512,
	softmaxColumnsGradient: softmaxColumnsGradientAVX512,
	lstmCell:               lstmCellAVX512,
	lstmForward:            lstmForwardAVX512,
	lstmBackward:           lstmBackwardAVX512,
	add:                    addAVX512,
	reluGradient:           reluGradientAVX512,
	sumSquares:             sumSquaresAVX512,
	prefetch:               prefetchAVX512,
	adam:                   adamAVX512,
}

var avx512BF16 = &bf16{
	tiles: []tile{
		tile1BF16, tile2BF16, tile3BF16, tile4BF16, tile5BF16, tile6BF16,
		tile7BF16, tile8BF16, tile9BF16, tile10BF16, tile11BF16, tile12BF16,
	},
	pairRows: pairRowsBF16,
	pairRow:  pairRowBF16,
}

var avx2 = &instructions{
	name:                   "avx2",
	tiles:                  []tile{tile1AVX2, tile2AVX2, tile3AVX2, tile4AVX2, tile5AVX2, tile6AVX2},
	panelWidth:             16,
	packRows:               packRowsAVX2,
	packColumns:            packColumnsAVX2,
	sparseAffine:           sparseAffineAVX2,
	sparseOuter:            sparseOuterAVX2,
	exp:                    expAVX2,
	expSum:                 expSumAVX2,
	softmaxColumns:         softmaxColumnsAVX2,
	softmaxColumnsGradient: softmaxColumnsGradientAVX2,
	lstmCell:               lstmCellAVX2,
	lstmForward:            lstmForwardAVX2,
	lstmBackward:           lstmBackwardAVX2,
	add:                    addAVX2,
	reluGradient:           reluGradientAVX2,
	sumSquares:             sumSquaresAVX2,
	prefetch:               prefetchAVX2,
	adam:                   adamAVX2,
}
