package kernel

import "fmt"

// The element-wise part of an LSTM step for one row with n hidden units:
//
//	c = σ(f)·c' + σ(i)·tanh(g),  h = σ(o)·tanh(c)
//
// gates holds i, f, g and o, n values each.

// LSTMCell advances the recurrent state of one row, h and c of n values each. gates, [4·n] in the
// order input, forget, cell, output, holds the sums before
// activation; c holds c' before and c afterwards.
func LSTMCell(gates, h, c []float32) {
	checkLSTM(len(h), gates, c)
	current().lstmCell(gates, h, c)
}

// LSTMForward is LSTMCell keeping what LSTMBackward needs: gates become the activated
// gates, and tanhCell becomes tanh c.
func LSTMForward(gates, previousCell, cell, tanhCell, h []float32) {
	checkLSTM(len(h), gates, previousCell, cell, tanhCell)
	current().lstmForward(gates, previousCell, cell, tanhCell, h)
}

// LSTMBackward is the backward pass of LSTMForward. gates holds the activated gates and
// becomes the gradient before activation; cellGrad is the gradient in c from the following
// step and becomes the gradient in c'. With dh = hiddenGrad:
//
//	dc = cellGrad + dh·o·(1 − tanh²c)
//	do = dh·tanh c·o(1−o),  di = dc·g·i(1−i),  df = dc·c'·f(1−f),  dg = dc·i·(1−g²)
//	dc' = dc·f
func LSTMBackward(gates, previousCell, tanhCell, hiddenGrad, cellGrad []float32) {
	checkLSTM(len(hiddenGrad), gates, previousCell, tanhCell, cellGrad)
	current().lstmBackward(gates, previousCell, tanhCell, hiddenGrad, cellGrad)
}

func checkLSTM(n int, gates []float32, others ...[]float32) {
	if len(gates) != 4*n {
		panic(fmt.Sprintf("kernel: %d gate values for %d hidden units", len(gates), n))
	}
	for _, o := range others {
		checkLength(n, o)
	}
}
