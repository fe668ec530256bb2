package graph

import (
	"math"

	"croupier/nn/kernel"
)

// minReference is the smallest positive normal float32: a reference probability
// below it, which a softmax gives for a very unlikely action, is taken as this.
const minReference = 0x1p-126

// ppo is the loss of [Loss] over masked logits and values.
type ppo struct {
	terms

	// Of the decision at hand, by legal action:
	probability []float64 // π
	logRatio    []float64 // log π/reference; 0 without a magnet
}

func (*ppo) name() string { return "ppo" }

func (p *ppo) forward(logits, values []float32) {
	p.stats = Stats{}
	copy(p.values, values)
	clear(p.logitGrad)
	for i, w := range p.batch.Weight {
		from, to := i*p.actions, (i+1)*p.actions
		p.setLegal(i)
		logProbs := p.outputs[from:to]
		kernel.MaskedLogSoftmax(logProbs, logits[from:to], p.legal)
		p.valueGrad[i] = 0
		if w == 0 {
			continue
		}
		loss := p.policy(i, logProbs, p.logitGrad[from:to]) + float64(p.loss.ValueCoefficient)*p.value(i, values[i])
		p.stats.Loss += float64(w) * loss
		p.stats.Weight += float64(w)
	}
}

// policy returns all terms of decision i but the value's, counts them in the
// statistics, and writes their weighted gradient in the logits to grad. With
// p = π(a), L = log p, H the entropy and K the KL to the reference, for a legal
// logit z_j:
//
//	∂L_a/∂z_j = δ_aj − p_j,  ∂H/∂z_j = −p_j(L_j + H),  ∂K/∂z_j = p_j(L_j − log ref_j − K)
func (p *ppo) policy(i int, logProbs, grad []float32) float64 {
	w, action := float64(p.batch.Weight[i]), int(p.batch.Actions[i])
	surrogate, slope := p.surrogate(i, float64(logProbs[action]))
	entropy, kl := 0., 0.
	magnet := p.loss.MagnetCoefficient != 0
	for k, a := range p.legal {
		l := float64(logProbs[a])
		q := float64(kernel.Exp(logProbs[a]))
		p.probability[k], p.logRatio[k] = q, 0
		entropy -= q * l
		if magnet {
			p.logRatio[k] = l - math.Log(float64(max(p.batch.Reference[i*p.actions+a], minReference)))
			kl += q * p.logRatio[k]
		}
	}
	ce, cm := float64(p.loss.EntropyCoefficient), float64(p.loss.MagnetCoefficient)
	for k, a := range p.legal {
		l := float64(logProbs[a])
		grad[a] = float32(w * p.probability[k] * (ce*(l+entropy) + cm*(p.logRatio[k]-kl) - slope))
	}
	grad[action] += float32(w * slope)
	p.stats.PolicyLoss += w * surrogate
	p.stats.Entropy += w * entropy
	p.stats.MagnetKL += w * kl
	return surrogate - ce*entropy + cm*kl
}

// surrogate returns the negated clipped surrogate of decision i, −min(r·A,
// clip(r)·A) with r the ratio to the behaviour policy, and its derivative in the
// action's log-probability.
func (p *ppo) surrogate(i int, logProb float64) (loss, slope float64) {
	w, advantage, clip := float64(p.batch.Weight[i]), float64(p.batch.Advantages[i]), float64(p.loss.ClipRange)
	logRatio := logProb - float64(p.batch.LogProbs[i])
	ratio := math.Exp(logRatio)
	p.stats.KL += w * (ratio - 1 - logRatio)
	clipped := min(max(ratio, 1-clip), 1+clip)
	if clipped != ratio {
		p.stats.Clipped += w
	}
	if ratio*advantage > clipped*advantage {
		return -clipped * advantage, 0
	}
	return -ratio * advantage, -ratio * advantage
}

// value returns the value loss of decision i and writes its weighted gradient.
func (p *ppo) value(i int, value float32) float64 {
	b, clip := p.batch, p.loss.ValueClip
	difference := float64(value - b.Targets[i])
	if clip > 0 {
		clipped := min(max(value, b.Values[i]-clip), b.Values[i]+clip)
		if d := float64(clipped - b.Targets[i]); d*d > difference*difference {
			p.stats.ValueLoss += float64(b.Weight[i]) * d * d / 2
			return d * d / 2 // constant in the value: no gradient
		}
	}
	p.stats.ValueLoss += float64(b.Weight[i]) * difference * difference / 2
	p.valueGrad[i] = b.Weight[i] * p.loss.ValueCoefficient * float32(difference)
	return difference * difference / 2
}
