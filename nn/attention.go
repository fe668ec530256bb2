package nn

import (
	"math"

	"croupier/engine"
	"croupier/internal/strict"
	"croupier/nn/kernel"
)

// Attention is multi-head attention over tokens. Token t's features are element t of each
// segment; a segment may also belong to an encoder. The tokens' outputs follow those of the
// encoders in the concatenation, side by side. [AttentionLayer] describes the layer itself.
type Attention struct {
	Segments []string `yaml:"segments,flow" json:"segments"` // one for each feature of a token
	Tokens   int      `yaml:"tokens" json:"tokens"`          // elements of each segment
	Size     int      `yaml:"size" json:"size"`              // units of the queries, keys and values of all heads together
	Heads    int      `yaml:"heads" json:"heads"`            // divides Size
	Output   int      `yaml:"output" json:"output"`          // outputs of each token
}

// AttentionShape is what multi-head attention is made of.
type AttentionShape = kernel.AttentionShape

// AttentionLayer applies [AttentionShape] to tokens whose features are its inputs,
// [Features, Tokens] in a row, and returns [Tokens, Output] in a row. Its parameters W,
// "w" [Features+Tokens, Columns], and O, "o" [Size, Output], are those that it describes.
type AttentionLayer struct {
	AttentionShape
	W, O Parameter
}

// check reports which size is wrong; Description checks the segments.
func (a *Attention) check(field string) error {
	if !validSize(a.Size) {
		return strict.Errorf(field+".size", "%d is not in 1..%d", a.Size, maxLayerSize)
	}
	if a.Heads < 1 || a.Size%a.Heads != 0 {
		return strict.Errorf(field+".heads", "%d heads do not divide the size %d", a.Heads, a.Size)
	}
	if !validSize(a.Output) {
		return strict.Errorf(field+".output", "%d is not in 1..%d", a.Output, maxLayerSize)
	}
	return nil
}

func (a *Attention) place(p *Parameters, name string, in int) Layer {
	s := AttentionShape{
		Tokens: a.Tokens, Features: in / a.Tokens, Size: a.Size, Heads: a.Heads, Output: a.Output,
	}
	return &AttentionLayer{
		AttentionShape: s,
		W:              p.Add(name+".w", s.Features+s.Tokens, s.Columns()),
		O:              p.Add(name+".o", s.Size, s.Output),
	}
}

// Dimensions implements [Layer].
func (l *AttentionLayer) Dimensions() Dimensions {
	return Dimensions{In: l.Features * l.Tokens, Out: l.Tokens * l.Output}
}

// Init implements [Layer]. It fills queries, keys, values and the shortcut in w separately.
// Weights of variance ½ give a token with one feature queries and keys of variance 1;
// dividing by the square root of their number makes the scores' variance 1 (Vaswani et al.
// 2017, section 3.2.1).
func (l *AttentionLayer) Init(flat []float32, seed uint64) {
	w, height, first := l.W.Of(flat), l.Features+l.Tokens, 0
	for part, width := range []int{l.Size, l.Size, l.Size, l.Output} {
		gain := math.Sqrt(float64(max(width, height)) / 2)
		orthogonal(w, height, width, first, l.Columns(), gain, engine.NewRNG(seed, uint64(l.W.Index+part<<32)))
		first += width
	}
	orthogonal(l.O.Of(flat), l.Size, l.Output, 0, l.Output, 1, engine.NewRNG(seed, uint64(l.O.Index)))
}

// Pack implements [Layer].
func (l *AttentionLayer) Pack(flat []float32) Packed {
	weights := kernel.NewAttentionWeights(l.AttentionShape)
	weights.Pack(l.W.Of(flat), l.O.Of(flat))
	return weights
}

// NewStep implements [Layer]. It evaluates the rows one by one, in memory that stays in the
// fastest cache.
func (l *AttentionLayer) NewStep(b Buffers) Step {
	memory := kernel.NewAttention(l.AttentionShape)
	in, out := l.Features*l.Tokens, l.Tokens*l.Output
	return func(weights Packed, rows int) {
		w := weights.(*kernel.AttentionWeights)
		for i := range rows {
			memory.Forward(w, b.Y.Row(i, out), b.X.Row(i, in))
		}
	}
}
