package kernel

import (
	"fmt"
	"math"
)

// AttentionShape holds the sizes of multi-head attention of tokens to one another (Vaswani
// et al. 2017, arXiv 1706.03762, section 3.2), followed by the addition of a shortcut and
// ReLU.
//
// Token t is the vector of its features followed by the one-hot vector of t. The columns of
// w are [query key value shortcut]; each of the first three parts is divided among the
// heads, d = Size/Heads columns each:
//
//	[Q K V S] = [features, one-hot]·w
//	for each head: C = softmax(Q·Kᵀ/√d)·V
//	y = max(0, S + [C of head 0, C of head 1, …]·o)
type AttentionShape struct {
	Tokens, Features int // Features of one token
	Size, Heads      int // Size counts the units of all heads, a multiple of Heads
	Output           int // outputs of each token
}

// Columns is the width of w, whose height is Features + Tokens.
func (s AttentionShape) Columns() int { return 3*s.Size + s.Output }

// Parts of the columns of w, each Size wide and followed by the shortcut.
const (
	queries = iota
	keys
	values
	parts
)

// part returns a head's columns of a part.
func (s AttentionShape) part(projections Matrix, part, head int) Matrix {
	d := s.Size / s.Heads
	return projections.block(0, part*s.Size+head*d, s.Tokens, d)
}

func (s AttentionShape) shortcut(projections Matrix) Matrix {
	return projections.block(0, parts*s.Size, s.Tokens, s.Output)
}

// units returns a head's columns of a [Tokens, Size] matrix.
func (s AttentionShape) units(context Matrix, head int) Matrix { return s.part(context, 0, head) }

// of returns a head's matrix among the heads' [Tokens, Tokens] matrices side by side.
func (s AttentionShape) of(head int, shares Matrix) Matrix {
	return shares.block(0, head*s.Tokens, s.Tokens, s.Tokens)
}

// scale is 1/√d.
func (s AttentionShape) scale() float32 {
	return float32(1 / math.Sqrt(float64(s.Size/s.Heads)))
}

// AttentionWeights are w and o, packed. Goroutines may share them as long as none packs
// others into them.
type AttentionWeights struct {
	AttentionShape
	features Packed // the features' rows of w
	tokens   Matrix // the tokens' rows of w
	output   Packed // o
}

// NewAttentionWeights returns weights of the shape that are yet to be packed.
func NewAttentionWeights(s AttentionShape) *AttentionWeights {
	if s.Heads < 1 || s.Size%s.Heads != 0 {
		panic(fmt.Sprintf("kernel: attention of %d units in %d heads", s.Size, s.Heads))
	}
	return &AttentionWeights{AttentionShape: s}
}

// Pack takes w, [Features+Tokens, Columns], and o, [Size, Output], both row-major. It
// copies only part of w, which must not change before the next Pack.
func (p *AttentionWeights) Pack(w, o []float32) {
	height := p.Features + p.Tokens
	checkLength(height*p.Columns(), w)
	checkLength(p.Size*p.Output, o)
	all := NewMatrix(w, height, p.Columns())
	p.features.Pack(all.block(0, 0, p.Features, p.Columns()))
	p.tokens = all.block(p.Features, 0, p.Tokens, p.Columns())
	p.output.Pack(NewMatrix(o, p.Size, p.Output))
}

// Attention is the memory for evaluating one row; it is small enough to stay in the fastest
// cache. It belongs to one goroutine.
type Attention struct {
	AttentionShape
	projections Matrix // [Tokens, Columns], [Q K V S]
	// shares, [Tokens, Heads·Tokens], holds the transposed softmax of each head, side by
	// side: row k, column t is the share of token t's attention that goes to token k.
	shares  Matrix
	context Matrix // [Tokens, Size], the heads' C
	right   Packed // right factor of the current product
	scratch Scratch
}

// NewAttention returns memory for weights of the shape.
func NewAttention(s AttentionShape) *Attention {
	return &Attention{
		AttentionShape: s,
		projections:    alignedMatrix(s.Tokens, s.Columns()),
		shares:         alignedMatrix(s.Tokens, s.Heads*s.Tokens),
		context:        alignedMatrix(s.Tokens, s.Size),
	}
}

func alignedMatrix(rows, columns int) Matrix {
	return NewMatrix(makeAligned(rows*columns), rows, columns)
}

// values views all of an alignedMatrix.
func (m Matrix) values() []float32 { return m.data[:m.Rows*m.Columns] }

// Forward computes the output of one row, y [Tokens, Output], from the tokens'
// features, x [Features, Tokens].
func (a *Attention) Forward(w *AttentionWeights, y, x []float32) {
	checkLength(a.Tokens*a.Output, y)
	checkLength(a.Tokens*a.Features, x)
	w.features.Sum(a.projections, w.tokens, NewMatrix(x, a.Features, a.Tokens).T(), false, &a.scratch)
	for h := range a.Heads {
		a.product(a.of(h, a.shares), a.part(a.projections, keys, h), a.part(a.projections, queries, h).T())
	}
	SoftmaxColumns(a.shares.values(), a.Tokens, a.Heads*a.Tokens, a.scale())
	for h := range a.Heads {
		a.product(a.units(a.context, h), a.of(h, a.shares).T(), a.part(a.projections, values, h))
	}
	w.output.Sum(NewMatrix(y, a.Tokens, a.Output), a.shortcut(a.projections), a.context, true, &a.scratch)
}

// product sets c = left·right.
func (a *Attention) product(c, left, right Matrix) {
	a.right.Pack(right)
	a.right.Product(c, left, &a.scratch)
}
