package graph

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"croupier/engine"
	"croupier/nn"
	"croupier/nn/kernel"
)

// These tests compare the fused operations with the same formulas written with gorgonia's
// own operations, at sizes at which those are right (see checkHashes).

// input adds a matrix of random values, which depend only on the name.
func input(g *G.ExprGraph, name string, rows, columns int) *G.Node {
	data := make([]float32, rows*columns)
	fill(engine.NewRNG(uint64(len(name))<<8+uint64(name[0]), 0), 1, data)
	return matrix(g, name, rows, columns, data)
}

func matrix(g *G.ExprGraph, name string, rows, columns int, data []float32) *G.Node {
	return G.NewMatrix(g, tensor.Float32, G.WithName(name), G.WithShape(rows, columns),
		G.WithValue(tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(data))))
}

// run returns the values of the result and of the gradients of cost in the inputs.
func run(t *testing.T, cost, result *G.Node, inputs ...*G.Node) [][]float32 {
	t.Helper()
	grads, err := G.Grad(cost, inputs...)
	require.NoError(t, err)
	for _, n := range cost.Graph().AllNodes() {
		if o, ok := n.Op().(*op); ok {
			o.extent.weights.Pack(oneByOne)
		}
	}
	machine := G.NewTapeMachine(cost.Graph())
	defer func() { require.NoError(t, machine.Close()) }()
	require.NoError(t, machine.RunAll())
	var values [][]float32
	for _, n := range append(G.Nodes{result}, grads...) {
		switch v := n.Value().(type) {
		case *G.F32:
			values = append(values, []float32{float32(*v)})
		case *tensor.Dense:
			values = append(values, v.Float32s())
		}
	}
	return values
}

// applying applies operations to batches of that size.
func applying(rows, steps int) *applier {
	return &applier{extent: &extent{rows: rows, steps: steps, weights: &Weights{}}}
}

// weighted is a scalar whose gradient differs in every element of the result.
func weighted(result *G.Node) *G.Node {
	weights := input(result.Graph(), "weights", result.Shape()[0], result.Shape()[1])
	return G.Must(G.Sum(G.Must(G.HadamardProd(result, weights))))
}

func requireSame(t *testing.T, want, got [][]float32) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		requireClose(t, widen(want[i]), got[i])
	}
}

// upstream makes an input differentiable for the fused operations, which take a node
// without an operation for a constant.
func upstream(n *G.Node) *G.Node { return G.Must(G.Neg(n)) }

func TestDenseIsThePlainComposition(t *testing.T) {
	for _, relu := range []bool{false, true} {
		dense := func(layer func(x, w, b *G.Node) *G.Node) [][]float32 {
			g := G.NewGraph()
			x, w, b := input(g, "x", 5, 3), input(g, "w", 3, 4), input(g, "b", 1, 4)
			y := layer(upstream(x), w, b)
			return run(t, weighted(y), y, x, w, b)
		}
		want := dense(func(x, w, b *G.Node) *G.Node {
			y := G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), b, nil, []byte{0}))
			if relu {
				y = G.Must(G.Rectify(y))
			}
			return y
		})
		got := dense(func(x, w, b *G.Node) *G.Node {
			a := applying(5, 1)
			y := a.dense("layer", x, w, b, relu)
			require.NoError(t, a.err)
			return y
		})
		requireSame(t, want, got)
	}
}

func TestConcatIsThePlainComposition(t *testing.T) {
	concat := func(join func(parts ...*G.Node) *G.Node) [][]float32 {
		g := G.NewGraph()
		x, y, z := input(g, "x", 4, 3), input(g, "y", 4, 1), input(g, "z", 4, 2)
		joined := join(upstream(x), upstream(y), upstream(z))
		return run(t, weighted(joined), joined, x, y, z)
	}
	want := concat(func(parts ...*G.Node) *G.Node { return G.Must(G.Concat(1, parts...)) })
	got := concat(func(parts ...*G.Node) *G.Node {
		a := applying(4, 1)
		joined := a.concat("parts", parts...)
		require.NoError(t, a.err)
		return joined
	})
	requireSame(t, want, got)
}

func TestLSTMIsThePlainComposition(t *testing.T) {
	const rows, steps, in, hidden = 2, 4, 3, 5
	resets := []float32{1, 0, 0, 1, 0, 0, 1, 0}
	layer := func(unroll func(x, w, u, b, h, c *G.Node) *G.Node) [][]float32 {
		g := G.NewGraph()
		x, w, u := input(g, "x", steps*rows, in), input(g, "w", in, 4*hidden), input(g, "u", hidden, 4*hidden)
		b, h, c := input(g, "b", 1, 4*hidden), input(g, "h", rows, hidden), input(g, "c", rows, hidden)
		out := unroll(upstream(x), w, u, b, h, c)
		return run(t, weighted(out), out, x, w, u, b)
	}
	want := layer(func(x, w, u, b, h, c *G.Node) *G.Node {
		var outputs G.Nodes
		for step := range steps {
			keep := make([]float32, rows*hidden)
			for i := range keep {
				keep[i] = 1 - resets[step*rows+i/hidden]
			}
			mask := matrix(x.Graph(), fmt.Sprintf("keep %d", step), rows, hidden, keep)
			h, c = plainLSTMStep(G.Must(G.Slice(x, G.S(step*rows, (step+1)*rows))), w, u, b,
				G.Must(G.HadamardProd(h, mask)), G.Must(G.HadamardProd(c, mask)), hidden)
			outputs = append(outputs, h)
		}
		return G.Must(G.Concat(0, outputs...))
	})
	got := layer(func(x, w, u, b, h, c *G.Node) *G.Node {
		a := applying(rows, steps)
		reset := matrix(x.Graph(), "reset", steps*rows, 1, resets)
		out := a.lstm("layer", x, w, u, b, h, c, reset)
		require.NoError(t, a.err)
		return out
	})
	requireSame(t, want, got)
}

func TestAttentionIsThePlainComposition(t *testing.T) {
	const n = 3
	s := kernel.AttentionShape{Tokens: 4, Features: 2, Size: 6, Heads: 2, Output: 5}
	layer := func(apply func(x, w, o *G.Node) *G.Node) [][]float32 {
		g := G.NewGraph()
		x, w, o := input(g, "x", n, s.Features*s.Tokens), input(g, "w", s.Features+s.Tokens, s.Columns()),
			input(g, "o", s.Size, s.Output)
		y := apply(x, w, o)
		return run(t, weighted(y), y, w, o)
	}
	want := layer(func(x, w, o *G.Node) *G.Node {
		var rows G.Nodes
		for i := range n {
			features := matrix(x.Graph(), fmt.Sprintf("row %d", i), s.Tokens, s.Features+s.Tokens,
				tokensOf(s, x.Value().Data().([]float32), i))
			rows = append(rows, G.Must(G.Reshape(plainAttention(s, features, w, o), tensor.Shape{1, s.Tokens * s.Output})))
		}
		return G.Must(G.Concat(0, rows...))
	})
	got := layer(func(x, w, o *G.Node) *G.Node {
		a := applying(n, 1)
		y := a.attention("layer", s, x, w, o)
		require.NoError(t, a.err)
		return y
	})
	requireSame(t, want, got)
}

// tokensOf returns the tokens of row i, features and one-hot vectors.
func tokensOf(s kernel.AttentionShape, x []float32, i int) []float32 {
	width := s.Features + s.Tokens
	tokens := make([]float32, s.Tokens*width)
	for t := range s.Tokens {
		for f := range s.Features {
			tokens[t*width+f] = x[(i*s.Features+f)*s.Tokens+t]
		}
		tokens[t*width+s.Features+t] = 1
	}
	return tokens
}

func plainAttention(s kernel.AttentionShape, tokens, w, o *G.Node) *G.Node {
	projections, d := G.Must(G.Mul(tokens, w)), s.Size/s.Heads
	columns := func(first, width int) *G.Node { return G.Must(G.Slice(projections, nil, G.S(first, first+width))) }
	var heads G.Nodes
	for h := range s.Heads {
		q, k, v := columns(h*d, d), columns(s.Size+h*d, d), columns(2*s.Size+h*d, d)
		scale := G.NewConstant(float32(1 / math.Sqrt(float64(d))))
		share := G.Must(G.Exp(G.Must(G.Mul(G.Must(G.Mul(q, G.Must(G.Transpose(k)))), scale))))
		sum := G.Must(G.Reshape(G.Must(G.Sum(share, 1)), tensor.Shape{s.Tokens, 1}))
		heads = append(heads, G.Must(G.Mul(G.Must(G.BroadcastHadamardDiv(share, sum, nil, []byte{1})), v)))
	}
	return G.Must(G.Rectify(G.Must(G.Add(columns(3*s.Size, s.Output), G.Must(G.Mul(G.Must(G.Concat(1, heads...)), o))))))
}

func plainLSTMStep(x, w, u, b, h, c *G.Node, hidden int) (nextH, nextC *G.Node) {
	gates := G.Must(G.BroadcastAdd(G.Must(G.Add(G.Must(G.Mul(x, w)), G.Must(G.Mul(h, u)))), b, nil, []byte{0}))
	gate := func(i int) *G.Node { return G.Must(G.Slice(gates, nil, G.S(i*hidden, (i+1)*hidden))) }
	i, f, o := G.Must(G.Sigmoid(gate(0))), G.Must(G.Sigmoid(gate(1))), G.Must(G.Sigmoid(gate(3)))
	nextC = G.Must(G.Add(G.Must(G.HadamardProd(f, c)), G.Must(G.HadamardProd(i, G.Must(G.Tanh(gate(2)))))))
	return G.Must(G.HadamardProd(o, G.Must(G.Tanh(nextC)))), nextC
}

// TestLossIsThePlainComposition covers all terms except the clipping, with all actions
// legal; finite differences cover the rest.
func TestLossIsThePlainComposition(t *testing.T) {
	const n, actions = 4, 3
	rng := engine.NewRNG(1, 0)
	b := &Batch{
		Rows: n, Steps: 1, Actions: []int32{0, 2, 1, 1}, Weight: []float32{1, 0.5, 2, 0},
		Reference: make([]float32, n*actions), actions: actions, legal: make([]int, n*actions), legalCount: make([]int, n),
		LogProbs: make([]float32, n), Advantages: make([]float32, n), Targets: make([]float32, n),
	}
	for i := range b.Reference {
		b.SetLegal(i/actions, []int{0, 1, 2})
		b.Reference[i] = float32(math.Log(0.2 + 0.1*float64(i%actions)))
	}
	fill(rng, 1, b.LogProbs, b.Advantages, b.Targets)
	loss := PPO{ClipRange: 100, ValueCoefficient: 0.7, EntropyCoefficient: 0.2, MagnetCoefficient: 0.3,
		BarrierCoefficient: 0.4}
	term := func(build func(logits, values *G.Node) *G.Node) [][]float32 {
		g := G.NewGraph()
		logits, values := input(g, "logits", n, actions), input(g, "values", n, 1)
		cost := build(logits, values)
		return run(t, cost, cost, logits, values)
	}
	got := term(func(logits, values *G.Node) *G.Node {
		terms := newTerms(&nn.Layout{Spec: &engine.Spec{Actions: actions}}, b)
		a := applying(n, 1)
		var l Loss = loss
		cost := a.loss(terms, &l, a.concat("outputs", upstream(logits), upstream(values)))
		require.NoError(t, a.err)
		return cost
	})
	want := term(func(logits, values *G.Node) *G.Node { return plainLoss(b, loss, upstream(logits), upstream(values)) })
	requireSame(t, want, got)
}

// plainLoss writes each term as a sum over all elements of a function of log π,
// times constants.
func plainLoss(b *Batch, loss PPO, logits, values *G.Node) *G.Node {
	n, actions := logits.Shape()[0], logits.Shape()[1]
	constant := func(name string, value func(i, action int) float32) *G.Node {
		data := make([]float32, n*actions)
		for k := range data {
			data[k] = value(k/actions, k%actions)
		}
		return matrix(logits.Graph(), name, n, actions, data)
	}
	weight := constant("weight", func(i, _ int) float32 { return b.Weight[i] })
	behaviour := constant("behaviour", func(i, _ int) float32 { return b.LogProbs[i] })
	surrogate := constant("surrogate", func(i, a int) float32 {
		if int(b.Actions[i]) != a {
			return 0
		}
		return -b.Weight[i] * b.Advantages[i]
	})
	reference := constant("reference", func(i, a int) float32 {
		return loss.MagnetCoefficient * b.Reference[i*actions+a]
	})
	sum := G.Must(G.Sum(G.Must(G.Exp(logits)), 1))
	logProbs := G.Must(G.BroadcastSub(logits, G.Must(G.Reshape(G.Must(G.Log(sum)), tensor.Shape{n, 1})), nil, []byte{1}))
	ratio := G.Must(G.Exp(G.Must(G.Sub(logProbs, behaviour))))
	policy := G.Must(G.Sum(G.Must(G.HadamardProd(surrogate, ratio))))

	// −ce·H + cm·KL = Σ p·((ce+cm)·log p − cm·log reference), and the barrier −cb/n·Σ log p
	scale := constant("scale", func(int, int) float32 { return loss.EntropyCoefficient + loss.MagnetCoefficient })
	regularizer := G.Must(G.HadamardProd(G.Must(G.Exp(logProbs)),
		G.Must(G.Sub(G.Must(G.HadamardProd(scale, logProbs)), reference))))
	barrier := constant("barrier", func(int, int) float32 { return loss.BarrierCoefficient / float32(actions) })
	regularizer = G.Must(G.Sub(regularizer, G.Must(G.HadamardProd(barrier, logProbs))))

	targets := matrix(logits.Graph(), "targets", n, 1, b.Targets)
	half := make([]float32, n)
	for i, w := range b.Weight {
		half[i] = loss.ValueCoefficient * w / 2
	}
	value := G.Must(G.HadamardProd(matrix(logits.Graph(), "half", n, 1, half),
		G.Must(G.Square(G.Must(G.Sub(values, targets))))))
	return G.Must(G.Add(G.Must(G.Add(policy, G.Must(G.Sum(G.Must(G.HadamardProd(weight, regularizer)))))),
		G.Must(G.Sum(value))))
}

// TestTemporalDifferenceIsThePlainComposition covers the quadratic part of the loss; finite
// differences cover the rest.
func TestTemporalDifferenceIsThePlainComposition(t *testing.T) {
	const n, actions = 4, 3
	b := &Batch{
		Rows: n, Steps: 1, Actions: []int32{0, 2, 1, 1}, Weight: []float32{1, 0.5, 2, 0},
		Targets: make([]float32, n), actions: actions, legal: make([]int, n*actions), legalCount: make([]int, n),
	}
	for i, legal := range [][]int{{0, 1, 2}, {1, 2}, {1}, {0, 1}} {
		b.SetLegal(i, legal)
	}
	term := func(build func(advantages, values *G.Node) *G.Node) [][]float32 {
		g := G.NewGraph()
		advantages, values := input(g, "advantages", n, actions), input(g, "values", n, 1)
		cost := build(advantages, values)
		return run(t, cost, cost, advantages, values)
	}
	got := term(func(advantages, values *G.Node) *G.Node {
		terms := newTerms(&nn.Layout{Description: nn.Description{Dueling: true}, Spec: &engine.Spec{Actions: actions}}, b)
		a := applying(n, 1)
		var l Loss = TemporalDifference{}
		cost := a.loss(terms, &l, a.concat("outputs", upstream(advantages), upstream(values)))
		require.NoError(t, a.err)
		return cost
	})
	want := term(func(advantages, values *G.Node) *G.Node {
		advantages, values = upstream(advantages), upstream(values)
		// Q(s, a) = V + Σ A_j·(δ_aj − legal_j/m)
		share := make([]float32, n*actions)
		half := make([]float32, n)
		for i, action := range b.Actions {
			legal := b.Legal(i)
			for _, a := range legal {
				share[i*actions+a] = -1 / float32(len(legal))
			}
			share[i*actions+int(action)]++
			half[i] = b.Weight[i] / 2
		}
		g := advantages.Graph()
		advantage := G.Must(G.Sum(G.Must(G.HadamardProd(advantages, matrix(g, "share", n, actions, share))), 1))
		q := G.Must(G.Add(values, G.Must(G.Reshape(advantage, tensor.Shape{n, 1}))))
		delta := G.Must(G.Sub(q, matrix(g, "targets", n, 1, b.Targets)))
		return G.Must(G.Sum(G.Must(G.HadamardProd(matrix(g, "half", n, 1, half), G.Must(G.Square(delta))))))
	})
	requireSame(t, want, got)
}
