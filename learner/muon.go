package learner

import (
	"math"

	"croupier/nn"
	"croupier/nn/kernel"
)

// muon moves the weight matrices of hidden layers along the nearest (semi-)orthogonal matrix to the decayed mean of
// their gradients, so that all directions of a matrix are learnt equally fast (Jordan et al. 2024, "Muon: an
// optimizer for hidden layers in neural networks"). Biases and the matrices of output layers are left to Adam.
//
// Its steps are scaled to the size of Adam's, 0.2 in the mean square of an element, by which the same learning
// rate serves both (Liu et al. 2025, "Muon is scalable for LLM training", arXiv 2502.16982, section 2.2).
type muon struct {
	momentum float32
	matrices []*hiddenMatrix
	rest     []span // of the flat list, which Adam moves
}

// span is a range of the flat list of parameters.
type span struct{ first, end int }

// hiddenMatrix is a weight matrix with what it takes to orthogonalise it.
type hiddenMatrix struct {
	nn.Parameter
	rows, columns int // the shorter side first: a high matrix is turned
	turned        bool

	x, next      []float32 // [rows, columns]
	gram, square []float32 // [rows, rows]
	multiplier   *kernel.Multiplier
}

// newMuon returns the optimiser for a network's layers.
func newMuon(l *nn.Layout, c Config) *muon {
	o := &muon{momentum: float32(c.MuonMomentum)}
	at := 0
	for _, p := range l.Hidden() {
		h := &hiddenMatrix{Parameter: p, rows: p.Shape[0], columns: p.Shape[1], multiplier: kernel.NewMultiplier(1, kernel.FP32)}
		if h.turned = h.rows > h.columns; h.turned {
			h.rows, h.columns = h.columns, h.rows
		}
		n, side := h.rows*h.columns, h.rows*h.rows
		h.x, h.next = make([]float32, n), make([]float32, n)
		h.gram, h.square = make([]float32, side), make([]float32, side)
		o.matrices = append(o.matrices, h)
		if p.Offset > at {
			o.rest = append(o.rest, span{at, p.Offset})
		}
		at = p.Offset + n
	}
	if l.Size > at {
		o.rest = append(o.rest, span{at, l.Size})
	}
	return o
}

// update moves the parameters one step against scale times the gradient. a has the moments: of hidden matrices m is
// the momentum, and v is kept for a run that goes on with Adam. each calls its argument for every i below n, on
// several cores.
func (o *muon) update(a *adam, parameters, gradient []float32, scale, learningRate float64, each func(n int, do func(i int))) {
	size, epsilon := a.advance(learningRate)
	for _, r := range o.rest {
		a.move(parameters, gradient, r.first, r.end, scale, size, epsilon)
	}
	each(len(o.matrices), func(i int) {
		h := o.matrices[i]
		h.blend(h.Of(a.m), h.Of(a.v), h.Of(gradient), float32(scale), o.momentum, float32(a.beta2))
		if h.orthogonalise() {
			h.step(h.Of(parameters), float32(learningRate*0.2*math.Sqrt(float64(h.columns))))
		}
	})
}

// blend updates the moments and sets x to the gradient's mean as it will be after another such gradient (Nesterov).
// Products are rounded before they are added, so that all processors compute the same bits.
func (h *hiddenMatrix) blend(m, v, gradient []float32, scale, momentum, beta2 float32) {
	for i, g := range gradient {
		g *= scale
		fresh := float32((1 - momentum) * g)
		m[i] = float32(momentum*m[i]) + fresh
		v[i] = float32(beta2*v[i]) + float32(float32((1-beta2)*g)*g)
		h.x[h.place(i)] = float32(momentum*m[i]) + fresh
	}
}

// place is where element i of the parameter is in x.
func (h *hiddenMatrix) place(i int) int {
	if h.turned {
		return i%h.rows*h.columns + i/h.rows
	}
	return i
}

// Coefficients and number of the iterations by Jordan et al., which bring all singular values near 1, roughly into
// 0.7..1.2.
const (
	newtonSchulzA, newtonSchulzB, newtonSchulzC = 3.4445, -4.7750, 2.0315
	newtonSchulzSteps                           = 5
)

// orthogonalise replaces x = U·S·Vᵀ by about U·Vᵀ, by iterations of Newton and Schulz
//
//	X ← a·X + (b·A + c·A²)·X,  A = X·Xᵀ
//
// on X over its norm. It reports false for a matrix of zeros, which has no direction.
func (h *hiddenMatrix) orthogonalise() bool {
	squares := 0.0
	for _, x := range h.x {
		squares += float64(x) * float64(x)
	}
	if squares == 0 {
		return false
	}
	shrink(h.x, float32(1/math.Sqrt(squares)))
	gram, square := kernel.NewMatrix(h.gram, h.rows, h.rows), kernel.NewMatrix(h.square, h.rows, h.rows)
	for range newtonSchulzSteps {
		x := kernel.NewMatrix(h.x, h.rows, h.columns)
		h.multiplier.Product(gram, x, x.T())
		h.multiplier.Product(square, gram, gram)
		for i, s := range h.square {
			h.square[i] = float32(newtonSchulzB*h.gram[i]) + float32(newtonSchulzC*s)
		}
		h.multiplier.Product(kernel.NewMatrix(h.next, h.rows, h.columns), square, x)
		for i, y := range h.next {
			h.next[i] = float32(newtonSchulzA*h.x[i]) + y
		}
		h.x, h.next = h.next, h.x
	}
	return true
}

func shrink(values []float32, factor float32) {
	for i := range values {
		values[i] *= factor
	}
}

// step moves the parameter against x.
func (h *hiddenMatrix) step(parameter []float32, size float32) {
	for i := range parameter {
		parameter[i] -= float32(size * h.x[h.place(i)])
	}
}
