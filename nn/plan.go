package nn

import "croupier/nn/kernel"

// plan is the layers as steps between buffers, in the order of execution.
type plan struct {
	copies    []copyStep // observation columns to the inputs of encoders and attention and to the concatenation
	attention *attentionStep
	trunk     []denseStep
	lstm      []lstmStep
	heads     []denseStep

	maxBatch int
}

// copyStep copies columns of the observation to the beginning of dst's rows.
type copyStep struct {
	from Span
	dst  kernel.Rows
}

// denseStep is a dense layer.
type denseStep struct {
	linear int // index into Network.linear
	x, dst kernel.Rows
	relu   bool
}

// attentionStep is the attention, which takes the rows one by one.
type attentionStep struct {
	*kernel.Attention
	x, dst kernel.Rows
}

// lstmStep is an LSTM layer. A row of x has room for h after the layer's input.
type lstmStep struct {
	layer         LSTMLayer
	x, gates, dst kernel.Rows
	state         int // where the layer's h and c begin in a slot's state
}

func newPlan(l *Layers, maxBatch int, logits, values kernel.Rows) plan {
	p := plan{maxBatch: maxBatch}
	inputs := p.inputs(l)
	p.concatenate(l, inputs[0])
	for i, d := range l.Dense {
		p.trunk = append(p.trunk, denseStep{d.Weight, inputs[i], inputs[i+1], d.ReLU})
	}
	inputs = inputs[len(l.Dense):]
	state := 0
	for i, r := range l.LSTM {
		p.lstm = append(p.lstm, lstmStep{r, inputs[i], p.buffer(4 * r.Hidden), inputs[i+1], state})
		state += 2 * r.Hidden
	}
	features := inputs[len(l.LSTM)]
	for _, h := range l.Policy {
		p.heads = p.stack(p.heads, h.Dense, features, logits.From(h.Group.First))
	}
	p.heads = p.stack(p.heads, l.Value, features, values)
	return p
}

// inputs returns the input buffers of the dense and LSTM layers after the
// concatenation, and the features: each layer writes to the next one's input.
func (p *plan) inputs(l *Layers) []kernel.Rows {
	var inputs []kernel.Rows
	for _, d := range l.Dense {
		inputs = append(inputs, p.buffer(d.In))
	}
	for _, r := range l.LSTM {
		inputs = append(inputs, p.buffer(r.In+r.Hidden))
	}
	return append(inputs, p.buffer(l.Features))
}

// concatenate plans the encoders, the attention and the direct segments, side by side
// in dst.
func (p *plan) concatenate(l *Layers, dst kernel.Rows) {
	column := 0
	for _, e := range l.Encoders {
		x := p.buffer(e.Dense[0].In)
		p.copySpans(e.Input, x)
		p.trunk = p.stack(p.trunk, e.Dense, x, dst.From(column))
		column += e.Dense[len(e.Dense)-1].Out
	}
	if a := l.Attention; a != nil {
		p.attention = &attentionStep{kernel.NewAttention(a.AttentionShape), p.buffer(a.Tokens * a.Features), dst.From(column)}
		p.copySpans(a.Input, p.attention.x)
		column += a.Width()
	}
	p.copySpans(l.Direct, dst.From(column))
}

func (p *plan) copySpans(spans []Span, dst kernel.Rows) {
	for _, s := range spans {
		p.copies = append(p.copies, copyStep{s, dst})
		dst = dst.From(s.Size)
	}
}

// stack appends dense layers from x to dst.
func (p *plan) stack(steps []denseStep, layers []DenseLayer, x, dst kernel.Rows) []denseStep {
	for i, d := range layers {
		out := dst
		if i < len(layers)-1 {
			out = p.buffer(d.Out)
		}
		steps = append(steps, denseStep{d.Weight, x, out, d.ReLU})
		x = out
	}
	return steps
}

func (p *plan) buffer(width int) kernel.Rows { return kernel.MakeRows(p.maxBatch, width) }
