//go:build !purego

package kernel

// native returns the instruction sets of the processor for which there is assembly. Every
// processor of 64 bits that Go supports has NEON.
func native() []*instructions { return []*instructions{neon} }

const neonWidth = 16

var neon = &instructions{
	name:                   "neon",
	tiles:                  stacked(tile1NEON, tile2NEON, tile3NEON, tile4NEON, tile5NEON, tile6NEON),
	panelWidth:             neonWidth,
	packRows:               packRowsOf(neonWidth),
	packColumns:            packColumnsOf(neonWidth),
	exp:                    expNEON,
	expSum:                 expSumNEON,
	softmaxColumns:         softmaxColumnsNEON,
	softmaxColumnsGradient: softmaxColumnsGradientNEON,
	lstmCell:               lstmCellNEON,
	lstmForward:            lstmForwardNEON,
	lstmBackward:           lstmBackwardNEON,
	add:                    byRows(addNEON),
	reluGradient:           reluGradientNEON,
	sumSquares:             sumSquaresNEON,
	prefetch:               prefetchNEON,
	adam:                   adamNEON,
}
