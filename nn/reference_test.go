package nn

import (
	"fmt"
	"math"
)

// reference is the forward pass of one row in float64, as simple as possible: it finds its
// parameters by name.
type reference struct {
	network *Network
	h, c    [][]float64 // by LSTM layer
}

func newReference(n *Network) *reference {
	r := &reference{network: n}
	for _, size := range n.Layout.Description.LSTM {
		r.h = append(r.h, make([]float64, size))
		r.c = append(r.c, make([]float64, size))
	}
	return r
}

// step returns the logits of all actions and the value.
func (r *reference) step(observation []float32) (logits []float64, value float64) {
	d, spec := r.network.Layout.Description, r.network.Layout.Spec
	read := map[string]bool{}
	segment := func(name string) (x []float64) {
		for _, s := range spec.Segments {
			if s.Name == name {
				for _, v := range observation[s.Offset : s.Offset+s.Size] {
					x = append(x, float64(v))
				}
			}
		}
		return x
	}
	var x []float64
	for i, e := range d.Encoders {
		var in []float64
		for _, name := range e.Segments {
			read[name] = true
			in = append(in, segment(name)...)
		}
		x = append(x, r.dense(fmt.Sprintf("encoder.%d", i), in, len(e.Dense))...)
	}
	if a := d.Attention; a != nil {
		var segments [][]float64
		for _, name := range a.Segments {
			read[name] = true
			segments = append(segments, segment(name))
		}
		x = append(x, r.attention(a, segments)...)
	}
	for _, s := range spec.Segments {
		if !read[s.Name] {
			x = append(x, segment(s.Name)...)
		}
	}
	x = r.dense("dense", x, len(d.Dense))
	for i := range d.LSTM {
		x = r.lstm(i, x)
	}
	for _, g := range spec.ActionGroups {
		logits = append(logits, r.head("policy."+g.Name, x, r.hiddenLayers(g.Name))...)
	}
	return logits, r.head("value", x, len(d.ValueHidden))[0]
}

func (r *reference) head(prefix string, x []float64, hidden int) []float64 {
	name := fmt.Sprintf("%s.%d", prefix, hidden)
	return r.linear(r.dense(prefix, x, hidden), name+".weight", name+".bias")
}

func (r *reference) hiddenLayers(group string) int {
	for _, h := range r.network.Layout.Description.Heads {
		for _, name := range h.Groups {
			if name == group {
				return len(h.Dense)
			}
		}
	}
	return len(r.network.Layout.Description.PolicyHidden)
}

// attention appends the one-hot vector of each token to its features, and then follows
// Vaswani et al. 2017, section 3.2, to the letter.
func (r *reference) attention(a *Attention, segments [][]float64) (y []float64) {
	d := a.Size / a.Heads
	var projections [][]float64 // by token
	for t := range a.Tokens {
		var token []float64
		for _, s := range segments {
			token = append(token, s[t])
		}
		oneHot := make([]float64, a.Tokens)
		oneHot[t] = 1
		projections = append(projections, r.linear(append(token, oneHot...), "attention.w", ""))
	}
	for t := range a.Tokens {
		var context []float64
		for h := range a.Heads {
			part := func(token, part int) []float64 { return projections[token][part*a.Size+h*d:][:d] }
			scores := make([]float64, a.Tokens)
			for k := range scores {
				scores[k] = dot(part(t, 0), part(k, 1)) / math.Sqrt(float64(d))
			}
			head := make([]float64, d)
			for k, logShare := range logSoftmax(scores, all(a.Tokens)) {
				axpy(head, math.Exp(logShare), part(k, 2))
			}
			context = append(context, head...)
		}
		for j, z := range r.linear(context, "attention.o", "") {
			y = append(y, max(0, projections[t][3*a.Size+j]+z))
		}
	}
	return y
}

func (r *reference) dense(prefix string, x []float64, layers int) []float64 {
	for i := range layers {
		name := fmt.Sprintf("%s.%d", prefix, i)
		x = r.linear(x, name+".weight", name+".bias")
		for j := range x {
			x[j] = max(x[j], 0)
		}
	}
	return x
}

func (r *reference) lstm(layer int, x []float64) []float64 {
	name := fmt.Sprintf("lstm.%d", layer)
	h, c := r.h[layer], r.c[layer]
	wx := r.linear(x, name+".w", name+".b")
	uh := r.linear(h, name+".u", "")
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	n := len(h)
	gate := func(g, j int) float64 { return wx[g*n+j] + uh[g*n+j] }
	next := make([]float64, n)
	for j := range n {
		c[j] = sigmoid(gate(1, j))*c[j] + sigmoid(gate(0, j))*math.Tanh(gate(2, j))
		next[j] = sigmoid(gate(3, j)) * math.Tanh(c[j])
	}
	r.h[layer] = next
	return next
}

func (r *reference) linear(x []float64, weight, bias string) []float64 {
	w, b := r.parameter(weight), r.parameter(bias)
	y := make([]float64, len(w)/len(x))
	for j := range y {
		if b != nil {
			y[j] = float64(b[j])
		}
		for k := range x {
			y[j] += x[k] * float64(w[k*len(y)+j])
		}
	}
	return y
}

func (r *reference) parameter(name string) []float32 {
	for i, p := range r.network.Layout.Parameters {
		if p.Name == name {
			return r.network.Layout.Slice(r.network.Weights, i)
		}
	}
	return nil
}
