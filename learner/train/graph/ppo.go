package graph

import "math"

// PPO holds the coefficients of PPO's loss for one decision,
//
//	policy + ValueCoefficient·value − EntropyCoefficient·H(π) + MagnetCoefficient·KL(π ‖ reference)
//	       + BarrierCoefficient·H(uniform, π) + TeacherCoefficient·H(teacher, π)
//
// where policy is PPO's clipped surrogate (Schulman et al. 2017, arXiv 1707.06347, equation
// 7, negated), value is ½(v − target)², H the entropy over the legal actions, the magnet that of MMD
// (Sokota et al. 2023, arXiv 2206.05825), H(uniform, π) the mean of −log π over the legal actions, a barrier
// before probability 0 (Agarwal et al. 2021, arXiv 1908.00261, section 5.2), and the last term the cross-entropy to
// a teacher, as in kickstarting (Schmitt et al. 2018, arXiv 1803.03835, equation 4).
type PPO struct {
	ClipRange          float32 // ε: how far the ratio to the behaviour policy may leave 1; > 0
	ValueCoefficient   float32 // ≥ 0
	EntropyCoefficient float32 // ≥ 0
	MagnetCoefficient  float32 // ≥ 0
	BarrierCoefficient float32 // ≥ 0
	TeacherCoefficient float32 // ≥ 0
}

// Compute implements [Loss] on masked logits and values.
func (p PPO) Compute(t *Terms, outputs []float32) {
	t.LogSoftmax(outputs)
	for i, w := range t.Batch.Weight {
		_, value, logProbs, gradient := t.Decision(i, outputs)
		t.Values[i] = value
		if w == 0 {
			continue
		}
		loss := p.policy(t, i, logProbs, gradient) + float64(p.ValueCoefficient)*p.value(t, i, value, gradient)
		t.Stats.Loss += float64(w) * loss
		t.Stats.Weight += float64(w)
	}
}

// policy returns all terms of decision i except the value's, adds them to the statistics,
// and writes their weighted gradient in the logits to grad. With p = π(a), L = log p, H the
// entropy and K the KL to the reference, for a legal logit z_j:
//
//	∂L_a/∂z_j = δ_aj − p_j,  ∂H/∂z_j = −p_j(L_j + H),  ∂K/∂z_j = p_j(L_j − log ref_j − K)
//
// and, of the barrier over n legal actions, p_j − 1/n.
func (p PPO) policy(t *Terms, i int, logProbs, grad []float32) float64 {
	w, action, legal := t.Batch.Weight[i], int(t.Batch.Actions[i]), t.Batch.Legal(i)
	surrogate, slope := p.surrogate(t, i, float64(logProbs[action]))
	probabilities := t.Probabilities[i*t.Actions:][:t.Actions]
	var entropy, barrier, kl float32
	for _, a := range legal {
		entropy -= probabilities[a] * logProbs[a]
		barrier -= logProbs[a]
	}
	share := 1 / float32(len(legal))
	barrier *= share
	ce, cb := p.EntropyCoefficient, p.BarrierCoefficient
	equal := ce*entropy + cb - float32(slope)
	for _, a := range legal {
		grad[a] = w * (probabilities[a]*(ce*logProbs[a]+equal) - cb*share)
	}
	grad[action] += w * float32(slope)
	if c := p.MagnetCoefficient; c != 0 {
		reference := t.Batch.Reference[i*t.Actions:][:t.Actions]
		for _, a := range legal {
			kl += probabilities[a] * (logProbs[a] - reference[a])
		}
		for _, a := range legal {
			grad[a] += w * c * probabilities[a] * (logProbs[a] - reference[a] - kl)
		}
	}
	t.Stats.PolicyLoss += float64(w) * surrogate
	t.Stats.Entropy += float64(w * entropy)
	t.Stats.MagnetKL += float64(w * kl)
	return surrogate + float64(cb*barrier-ce*entropy+p.MagnetCoefficient*kl) + p.teacherLoss(t, i, logProbs, grad)
}

// teacherLoss returns the teacher's term of decision i and adds its weighted gradient to grad. With T the
// teacher's probabilities, which are all 0 where it was not asked:
//
//	∂H(T, π)/∂z_j = p_j·Σ T − T_j
func (p PPO) teacherLoss(t *Terms, i int, logProbs, grad []float32) float64 {
	if p.TeacherCoefficient == 0 {
		return 0
	}
	legal, teacher := t.Batch.Legal(i), t.Batch.Teacher[i*t.Actions:(i+1)*t.Actions]
	taught, crossEntropy := 0., 0.
	for _, a := range legal {
		if q := float64(teacher[a]); q > 0 {
			taught += q
			crossEntropy -= q * float64(logProbs[a])
		}
	}
	w, c := float64(t.Batch.Weight[i]), float64(p.TeacherCoefficient)
	for _, a := range legal {
		grad[a] += float32(w * c * (float64(t.Probabilities[i*t.Actions+a])*taught - float64(teacher[a])))
	}
	t.Stats.Taught += w * taught
	t.Stats.TeacherLoss += w * crossEntropy
	return c * crossEntropy
}

// surrogate returns the negated clipped surrogate of decision i, −min(r·A,
// clip(r)·A) with r the ratio to the behaviour policy, and its derivative in the
// action's log-probability.
func (p PPO) surrogate(t *Terms, i int, logProb float64) (loss, slope float64) {
	w, advantage, clip := float64(t.Batch.Weight[i]), float64(t.Batch.Advantages[i]), float64(p.ClipRange)
	logRatio := logProb - float64(t.Batch.LogProbs[i])
	ratio := math.Exp(logRatio)
	t.Stats.KL += w * (ratio - 1 - logRatio)
	clipped := min(max(ratio, 1-clip), 1+clip)
	if clipped != ratio {
		t.Stats.Clipped += w
	}
	if ratio*advantage > clipped*advantage {
		return -clipped * advantage, 0
	}
	return -ratio * advantage, -ratio * advantage
}

// value returns the value loss of decision i and writes its weighted gradient to the last element of grad.
func (p PPO) value(t *Terms, i int, value float32, grad []float32) float64 {
	w, difference := t.Batch.Weight[i], float64(value-t.Batch.Targets[i])
	t.Stats.ValueLoss += float64(w) * difference * difference / 2
	grad[t.Actions] = w * p.ValueCoefficient * float32(difference)
	return difference * difference / 2
}
