package graph

import (
	"fmt"
	"math"
	"slices"

	"croupier/engine"
	"croupier/nn"
)

// reference is the network and the loss in float64, one decision after the other, with no
// regard for speed.
type reference struct {
	layout     *nn.Layout
	parameters []float64
}

// values returns a layer's parameter.
func (r reference) values(p nn.Parameter) []float64 { return r.parameters[p.Offset:][:p.Size()] }

// linear returns x·w + b.
func (r reference) linear(x []float64, w, b nn.Parameter) []float64 {
	y := append([]float64(nil), r.values(b)...)
	weights := r.values(w)
	for i, v := range x {
		for j := range y {
			y[j] += v * weights[i*len(y)+j]
		}
	}
	return y
}

// stack applies layers one after the other. It takes their recurrent states from the front
// of states, advances them, and returns the remaining ones.
func (r reference) stack(x []float64, layers []nn.Layer, states [][]float64) ([]float64, [][]float64) {
	for _, layer := range layers {
		parts := len(layer.Dimensions().State)
		x = r.layer(layer, x, states[:parts])
		states = states[parts:]
	}
	return x, states
}

func (r reference) layer(layer nn.Layer, x []float64, state [][]float64) []float64 {
	switch l := layer.(type) {
	case *nn.DenseLayer:
		return r.dense(l, x)
	case *nn.LSTMLayer:
		r.lstm(l, x, state[0], state[1])
		return slices.Clone(state[0])
	case *nn.AttentionLayer:
		return r.attention(l, x)
	case *traceLayer:
		return r.trace(l, x, state[0])
	}
	panic(fmt.Sprintf("no reference of %T", layer))
}

func (r reference) dense(l *nn.DenseLayer, x []float64) []float64 {
	var y []float64
	for _, p := range l.Parts {
		y = append(y, r.linear(x, p.Weight, p.Bias)...)
	}
	for j := range y {
		if l.ReLU {
			y[j] = math.Max(y[j], 0)
		}
	}
	return y
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// lstm advances h and c in place.
func (r reference) lstm(layer *nn.LSTMLayer, x, h, c []float64) {
	gates := r.linear(x, layer.W, layer.B)
	n, u := layer.Hidden, r.values(layer.U)
	for i, v := range h {
		for j := range gates {
			gates[j] += v * u[i*4*n+j]
		}
	}
	for j := range h {
		c[j] = sigmoid(gates[n+j])*c[j] + sigmoid(gates[j])*math.Tanh(gates[2*n+j])
		h[j] = sigmoid(gates[3*n+j]) * math.Tanh(c[j])
	}
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// observationOf puts together what the branches read of decision i's observation.
func observationOf(b *Batch, i int, spec *engine.Spec) []float32 {
	observation := make([]float32, spec.ObservationSize)
	for branch, columns := range b.columns {
		row := rowOf(b.Observations[branch], i, b.Rows*b.Steps)
		for _, s := range columns {
			row = row[copy(observation[s.Offset:][:s.Size], row):]
		}
	}
	return observation
}

// outputs returns the log-probabilities or action values of every decision, and its value.
// (In a network whose heads give action values on their own the value is unused.)
func (r reference) outputs(b *Batch) (outputs [][]float64, values []float64) {
	n := b.Rows * b.Steps
	outputs, values = make([][]float64, n), make([]float64, n)
	for row := range b.Rows {
		var states [][]float64
		for i, size := range r.layout.States {
			states = append(states, widen(b.InitialState[i][row*size:][:size]))
		}
		for t := range b.Steps {
			i := t*b.Rows + row
			if b.Reset[i] != 0 {
				for _, s := range states {
					clear(s)
				}
			}
			var logits []float64
			logits, values[i] = r.heads(widen(observationOf(b, i, r.layout.Spec)), states)
			legal := make([]float32, len(logits))
			for _, a := range b.Legal(i) {
				legal[a] = 1
			}
			switch d := r.layout.Description; {
			case d.Dueling:
				outputs[i] = duel(values[i], logits, legal)
			case d.ActionValues():
				outputs[i] = masked(logits, legal)
			default:
				outputs[i] = logSoftmax(logits, legal)
			}
		}
	}
	return outputs, values
}

// heads returns the outputs of policy heads and value head for one observation, and
// advances the recurrent states.
func (r reference) heads(observation []float64, states [][]float64) (logits []float64, value float64) {
	var x, y []float64
	for _, b := range r.layout.Layers.Branches {
		var in []float64
		for _, s := range b.Input {
			in = append(in, observation[s.Offset:][:s.Size]...)
		}
		y, states = r.stack(in, b.Layers, states)
		x = append(x, y...)
	}
	x, states = r.stack(x, r.layout.Layers.Trunk, states)
	var outputs []float64
	for _, h := range r.layout.Layers.Heads {
		y, states = r.stack(x, h.Layers, states)
		outputs = append(outputs, y...)
	}
	return outputs[:len(outputs)-1], outputs[len(outputs)-1]
}

func duel(value float64, advantages []float64, legal []float32) []float64 {
	sum, n := 0., 0.
	for a, l := range legal {
		sum, n = sum+advantages[a]*float64(l), n+float64(l)
	}
	q := masked(advantages, legal)
	for a := range q {
		q[a] += value - sum/n
	}
	return q
}

func masked(values []float64, legal []float32) []float64 {
	q := slices.Clone(values)
	for a, l := range legal {
		if l == 0 {
			q[a] = math.Inf(-1)
		}
	}
	return q
}

// attention is the formula of kernel.AttentionShape on the tokens' features x.
func (r reference) attention(a *nn.AttentionLayer, x []float64) (y []float64) {
	w, o, columns, d := r.values(a.W), r.values(a.O), a.Columns(), a.Size/a.Heads
	projection := make([][]float64, a.Tokens)
	for t := range projection {
		projection[t] = append([]float64(nil), w[(a.Features+t)*columns:][:columns]...)
		for f := range a.Features {
			for j := range columns {
				projection[t][j] += x[f*a.Tokens+t] * w[f*columns+j]
			}
		}
	}
	for t := range a.Tokens {
		out := append([]float64(nil), projection[t][3*a.Size:]...)
		for i := range a.Size {
			head := i / d * d // the first unit of the head of unit i
			weighted, sum := 0., 0.
			for _, other := range projection {
				score := 0.
				for j := head; j < head+d; j++ {
					score += projection[t][j] * other[a.Size+j]
				}
				share := math.Exp(score / math.Sqrt(float64(d)))
				weighted, sum = weighted+share*other[2*a.Size+i], sum+share
			}
			for j := range out {
				out[j] += weighted / sum * o[i*a.Output+j]
			}
		}
		for _, z := range out {
			y = append(y, math.Max(z, 0))
		}
	}
	return y
}

func logSoftmax(logits []float64, legal []float32) []float64 {
	sum := 0.
	for i, z := range logits {
		if legal[i] != 0 {
			sum += math.Exp(z)
		}
	}
	out := make([]float64, len(logits))
	for i, z := range logits {
		out[i] = math.Inf(-1)
		if legal[i] != 0 {
			out[i] = z - math.Log(sum)
		}
	}
	return out
}

// stats returns the loss and the statistics, term by term as [PPO] (or
// [TemporalDifference], where the network gives action values) and [Stats] define them.
func (r reference) stats(b *Batch, loss PPO) Stats {
	logProbs, values := r.outputs(b)
	var s Stats
	if r.layout.Description.ActionValues() {
		for i, w := range b.Weight {
			s.Weight += float64(w)
			s.Loss += float64(w) * smoothed(logProbs[i][b.Actions[i]]-float64(b.Targets[i]))
		}
		return s
	}
	for i, weight := range b.Weight {
		w, advantage, eps := float64(weight), float64(b.Advantages[i]), float64(loss.ClipRange)
		logRatio := logProbs[i][b.Actions[i]] - float64(b.LogProbs[i])
		ratio := math.Exp(logRatio)
		policy := -math.Min(ratio*advantage, math.Max(1-eps, math.Min(ratio, 1+eps))*advantage)
		value := math.Pow(values[i]-float64(b.Targets[i]), 2) / 2
		entropy, magnet, barrier, legal, teacherLoss, taught := 0., 0., 0., 0., 0., 0.
		for a, l := range logProbs[i] {
			if !math.IsInf(l, -1) {
				entropy -= math.Exp(l) * l
				barrier -= l
				legal++
				if loss.MagnetCoefficient != 0 {
					magnet += math.Exp(l) * (l - float64(b.Reference[i*len(logProbs[i])+a]))
				}
				if loss.TeacherCoefficient != 0 {
					teacher := float64(b.Teacher[i*len(logProbs[i])+a])
					taught += teacher
					teacherLoss -= teacher * l
				}
			}
		}
		s.Loss += w * float64(loss.BarrierCoefficient) * barrier / legal
		s.Weight += w
		s.PolicyLoss += w * policy
		s.ValueLoss += w * value
		s.Entropy += w * entropy
		s.MagnetKL += w * magnet
		s.Taught += w * taught
		s.TeacherLoss += w * teacherLoss
		s.KL += w * (ratio - 1 - logRatio)
		if math.Abs(ratio-1) > eps {
			s.Clipped += w
		}
	}
	s.Loss += s.PolicyLoss + float64(loss.ValueCoefficient)*s.ValueLoss - float64(loss.EntropyCoefficient)*s.Entropy +
		float64(loss.MagnetCoefficient)*s.MagnetKL + float64(loss.TeacherCoefficient)*s.TeacherLoss
	return s
}

// smoothed is ½x² up to |x| = 1 and continues as a straight line beyond.
func smoothed(x float64) float64 {
	if math.Abs(x) <= 1 {
		return x * x / 2
	}
	return math.Abs(x) - 0.5
}

// gradient returns the gradient of the loss in all parameters by central differences.
func (r reference) gradient(b *Batch, loss PPO) []float64 {
	const step = 1e-6
	grad := make([]float64, len(r.parameters))
	for i, p := range r.parameters {
		r.parameters[i] = p + step
		up := r.stats(b, loss).Loss
		r.parameters[i] = p - step
		grad[i] = (up - r.stats(b, loss).Loss) / (2 * step)
		r.parameters[i] = p
	}
	return grad
}
