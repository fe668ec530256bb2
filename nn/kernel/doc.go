// Package kernel holds the networks' float32 arithmetic for inference and training: matrix
// products, dense layers, multi-head attention and the LSTM cell forward and backward,
// activations, the masked log-softmax and the steps of the optimiser.
//
// Terms:
//
//   - [Rows] is a batch of equally long vectors, one decision each; a [Matrix] is a view of
//     them, or of their transpose.
//   - A right factor is packed into panels of columns, the order in which products read it.
//     A [Packed] matrix serves many products, a [Linear] also has a bias, and a
//     [Multiplier] packs as it goes.
//   - A row most of whose values are 0, as observations are, may be multiplied without them
//     ([MostlyZero]).
//   - An instruction set is a full set of these functions: AVX-512 and AVX2 (with FMA) for
//     amd64 and NEON for arm64, in assembly that asm/ generates, and portable Go, the only
//     one under the build tag purego. The fastest one that the processor supports is used.
//   - A [Precision] is that of the factors of a product. Everything is FP32, unless training asks for
//     [BF16], which some processors multiply faster: with AVX-512 twice, with the tile registers of AMX
//     several times.
//
// In every instruction set a row is treated by itself and in the same order of operations,
// whatever the number of rows. The result of a row is the same to the last bit in any batch
// and on any number of cores. AVX2, AVX-512 and NEON agree to the last bit, except in
// [SumSquares], which AVX-512 adds in another order, and in which NaN a result is. Portable
// Go rounds differently: a game replays bit for bit among machines that have those
// extensions and among machines that lack them, but not from one group to the other.
//
// Errors: a product of depth k is within γ = (k+1)·u/(1−(k+1)·u), u = 2⁻²⁴, times the sum
// of the absolute terms (Higham 2002, section 3.1), unless it overflows or underflows. The
// activations state theirs in ulp, units in the last place.
//
// Only functions that make or pack something allocate. Wrong sizes panic: they are the
// caller's mistake.
package kernel

//go:generate ./generate.sh
