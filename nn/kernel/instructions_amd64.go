//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// native returns the instruction sets of the processor for which there is assembly, fastest
// first.
func native() []*instructions {
	var sets []*instructions
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI1 && x.HasBMI2 {
		if pairs := nativeBF16(); len(pairs) > 0 {
			avx512.bf16 = pairs[0]
		}
		sets = append(sets, avx512)
	}
	if x.HasAVX2 && x.HasFMA && x.HasBMI1 && x.HasBMI2 {
		sets = append(sets, avx2)
	}
	return sets
}

// nativeBF16 returns the processor's ways to multiply in BF16 next to AVX-512, fastest first.
func nativeBF16() []*bf16 {
	var list []*bf16
	x := &cpu.X86
	if !x.HasAVX512BF16 || !x.HasAVX512BW {
		return nil
	}
	if x.HasAMXTile && x.HasAMXBF16 && allowTiles() {
		list = append(list, amx)
	}
	return append(list, avx512BF16)
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
	name: "bf16",
	tiles: []tile{
		tile1BF16, tile2BF16, tile3BF16, tile4BF16, tile5BF16, tile6BF16,
		tile7BF16, tile8BF16, tile9BF16, tile10BF16, tile11BF16, tile12BF16,
	},
	step:     1,
	pairRows: pairRowsBF16,
	pairRow:  pairRowBF16,
}

// amx multiplies in the processor's tile registers.
var amx = &bf16{
	name:      "amx",
	tiles:     amxTiles(),
	step:      pairUnit,
	pairRows:  pairRowsBF16,
	pairRow:   pairRowBF16,
	transpose: transposeAMX,
}

// amxTiles returns the tiles of 1 to 32 rows.
func amxTiles() []tile {
	var list []tile
	for rows := 1; rows <= 2*tileRows; rows++ {
		list = append(list, func(a, b, c, start []float32, aRow, _, aTile, cRow, startRow, depth, width, tiles int,
			floor float32) {
			config := configure(rows, width)
			tilesAMX(&config, a, b, c, start, rows, aRow, aTile, cRow, startRow, depth/pairUnit, width, tiles, floor)
		})
	}
	return list
}

const tileRows = 16 // and columns of 32 bits, of a tile register

// configure returns the tile configuration (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
// section
// 18.2) for sums of that many rows and columns, at most 32 each, in the order that tilesAMX wants.
func configure(rows, columns int) (config [64]byte) {
	config[0] = 1 // palette
	tile := 0
	add := func(rows, columns int) {
		if rows > 0 && columns > 0 {
			config[16+2*tile], config[48+tile] = byte(4*columns), byte(rows)
		}
		tile++
	}
	high := [2]int{min(rows, tileRows), max(0, rows-tileRows)}
	wide := [2]int{min(columns, tileRows), max(0, columns-tileRows)}
	for _, rows := range high {
		for _, columns := range wide {
			add(rows, columns)
		}
	}
	for _, rows := range high {
		add(rows, tileRows)
	}
	for _, columns := range wide {
		add(tileRows, columns)
	}
	return config
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
