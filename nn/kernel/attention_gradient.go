package kernel

// AttentionGradient computes the gradients of an attention, row by row. It recomputes a
// row's forward pass, which is faster than fetching its results from beyond the cache. It
// belongs to one goroutine.
type AttentionGradient struct {
	*Attention
	weights          *AttentionWeights
	outputTransposed Packed // oᵀ

	y []float32 // [Tokens, Output]
	// Gradients in the output before ReLU and in what Attention holds.
	output, projectionsGrad, sharesGrad, contextGrad Matrix
}

// NewAttentionGradient returns memory for weights of the shape.
func NewAttentionGradient(s AttentionShape) *AttentionGradient {
	return &AttentionGradient{
		Attention:       NewAttention(s),
		weights:         NewAttentionWeights(s),
		y:               make([]float32, s.Tokens*s.Output),
		output:          alignedMatrix(s.Tokens, s.Output),
		projectionsGrad: alignedMatrix(s.Tokens, s.Columns()),
		sharesGrad:      alignedMatrix(s.Tokens, s.Heads*s.Tokens),
		contextGrad:     alignedMatrix(s.Tokens, s.Size),
	}
}

// Pack takes the weights as [AttentionWeights.Pack] does.
func (g *AttentionGradient) Pack(w, o []float32) {
	g.weights.Pack(w, o)
	g.outputTransposed.Pack(NewMatrix(o, g.Size, g.Output).T())
}

// Add adds to dw and do the gradients in w and o that one row contributes; x, [Features,
// Tokens], holds its features and dy the gradient in its output.
func (g *AttentionGradient) Add(dw, do, x, dy []float32) {
	g.Forward(g.weights, g.y, x)
	ReLUGradient(g.output.values(), g.y, dy)
	g.addProduct(NewMatrix(do, g.Size, g.Output), g.context.T(), g.output)
	g.outputTransposed.Product(g.contextGrad, g.output, &g.scratch)
	g.throughSoftmax()

	columns := g.Columns()
	g.addProduct(NewMatrix(dw, g.Features, columns), NewMatrix(x, g.Features, g.Tokens), g.projectionsGrad)
	Add(dw[g.Features*columns:], g.projectionsGrad.values())
}

// throughSoftmax sets projectionsGrad from contextGrad and output. With P the softmax of a
// head and S its argument before scaling:
//
//	dV = Pᵀ·dC,  dP = dC·Vᵀ,  dQ = dS·K,  dK = dSᵀ·Q
func (g *AttentionGradient) throughSoftmax() {
	for h := range g.Heads {
		context := g.units(g.contextGrad, h)
		g.product(g.of(h, g.sharesGrad), g.part(g.projections, values, h), context.T())
		g.product(g.part(g.projectionsGrad, values, h), g.of(h, g.shares), context)
	}
	SoftmaxColumnsGradient(g.sharesGrad.values(), g.shares.values(), g.Tokens, g.Heads*g.Tokens, g.scale())
	for h := range g.Heads {
		shares := g.of(h, g.sharesGrad)
		g.product(g.part(g.projectionsGrad, queries, h), shares.T(), g.part(g.projections, keys, h))
		g.product(g.part(g.projectionsGrad, keys, h), shares, g.part(g.projections, queries, h))
	}
	copyMatrix(g.shortcut(g.projectionsGrad), g.output)
}

func (g *AttentionGradient) addProduct(c, a, b Matrix) {
	g.right.Pack(b)
	g.right.AddProduct(c, a, &g.scratch)
}

func copyMatrix(dst, src Matrix) {
	for i := range src.Rows {
		copy(dst.rows().Row(i, dst.Columns), src.rows().Row(i, src.Columns))
	}
}
