// Package kernel holds the float32 arithmetic of the networks, of inference and of
// training: products of matrices, dense layers, multi-head attention and the LSTM
// cell forward and backward, activations, the masked log-softmax and the steps of the
// optimiser.
//
// Terms:
//
//   - [Rows] is a batch of equally long vectors, one decision each; a [Matrix] is a
//     view of them, or of the transposed.
//   - A right factor is packed into panels of columns, the order in which products
//     read it. A [Packed] matrix is for many products, a [Linear] has a bias too, a
//     [Multiplier] packs as it goes.
//   - An instruction set is a full set of these functions: AVX-512 and AVX2 (with
//     FMA), in assembly that asm/ generates, and portable Go, which the build tag
//     purego leaves alone. The fastest that the processor has is used.
//
// What holds in every instruction set: a row is treated by itself and in the same
// order of operations, whatever the number of rows. The result of a row is the same
// to the last bit in any batch and on any number of cores. AVX2 and AVX-512 agree to
// the last bit, but for [SumSquares]; portable Go rounds differently, so that a game
// replays bit for bit on machines with those extensions or on machines without.
//
// Errors. A product of depth k is within γ = (k+1)·u/(1−(k+1)·u), u = 2⁻²⁴, times the
// sum of the absolute terms (Higham 2002, section 3.1), unless it overflows or
// underflows. The activations state theirs in ulp, units of the last place.
//
// Nothing here allocates but what makes or packs something. Wrong sizes panic: they
// are the caller's mistake.
package kernel

//go:generate ./generate.sh
