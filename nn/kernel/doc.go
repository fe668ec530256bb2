// Package kernel holds the float32 arithmetic of the networks: dense layers on
// batches of rows, the LSTM cell and the masked log-softmax.
//
// Terms: a [Rows] is a batch of equally long vectors, one decision each; a
// [Linear] is the weights and bias of a layer, packed into panels of columns.
//
// Every function treats each row by itself and in the same order of operations,
// whatever the number of rows: the result of a row is the same to the last bit in
// any batch. A faster implementation for a machine must keep that; it replaces
// Linear.Apply with the packing it wants, LSTMCell or MaskedLogSoftmax, and has to
// pass the same tests.
//
// Nothing here allocates but the functions that make something (Pack, MakeRows).
// Sizes are the caller's responsibility: wrong ones panic.
package kernel
