package advice

import "croupier/internal/stat"

// tally sums samples: the results x[a] of all actions under the same chance, with a weight
// w. Estimates are ratios of weighted sums; their errors are those of the self-normalised
// importance sampler (Owen, "Monte Carlo theory, methods and examples", section 9.2).
type tally struct {
	actions int
	samples int       // with a positive weight
	w, ww   float64   // Σ w, Σ w²
	x       []float64 // Σ w·x[a]
	wx      []float64 // Σ w²·x[a]
	xx      []float64 // Σ w²·x[a]·x[b] at a·actions + b
	struck  []float64 // Σ w of the samples in which the hazard struck
}

func newTally(actions int) *tally {
	return &tally{
		actions: actions,
		x:       make([]float64, actions),
		wx:      make([]float64, actions),
		xx:      make([]float64, actions*actions),
		struck:  make([]float64, actions),
	}
}

func (t *tally) add(w float64, x []float64, struck []bool) {
	if w <= 0 {
		return
	}
	t.samples++
	t.w += w
	t.ww += w * w
	for a, v := range x {
		t.x[a] += w * v
		t.wx[a] += w * w * v
		for b, u := range x {
			t.xx[a*t.actions+b] += w * w * v * u
		}
		if struck[a] {
			t.struck[a] += w
		}
	}
}

// merge adds the samples of another tally.
func (t *tally) merge(o *tally) {
	t.samples += o.samples
	t.w += o.w
	t.ww += o.ww
	for _, sums := range [][2][]float64{{t.x, o.x}, {t.wx, o.wx}, {t.xx, o.xx}, {t.struck, o.struck}} {
		for i, v := range sums[1] {
			sums[0][i] += v
		}
	}
}

func (t *tally) mean(a int) float64 { return t.x[a] / t.w }

// margin returns half the width of the interval of a's mean.
func (t *tally) margin(a int) float64 {
	m := t.mean(a)
	return t.half(t.xx[a*t.actions+a] - 2*m*t.wx[a] + m*m*t.ww)
}

// lead returns how much better a is than b, and half the width of the difference's
// interval.
func (t *tally) lead(a, b int) (lead, margin float64) {
	n := t.actions
	lead = t.mean(a) - t.mean(b)
	squares := t.xx[a*n+a] - 2*t.xx[a*n+b] + t.xx[b*n+b]
	return lead, t.half(squares - 2*lead*(t.wx[a]-t.wx[b]) + lead*lead*t.ww)
}

// half turns a weighted sum of squares about the mean into half an interval.
func (t *tally) half(squares float64) float64 {
	return stat.RatioMargin(float64(t.samples), squares, t.w)
}

// best returns the actions with the two greatest means; second is -1 if there is only one
// action.
func (t *tally) best() (best, second int) {
	best, second = 0, -1
	for a := 1; a < t.actions; a++ {
		switch {
		case t.mean(a) > t.mean(best):
			best, second = a, best
		case second < 0 || t.mean(a) > t.mean(second):
			second = a
		}
	}
	return best, second
}

// separated reports whether the best action is known, requiring twice the margin: the test
// is repeated as samples come in, and a single margin would be exceeded by chance sooner or
// later.
func (t *tally) separated() bool {
	best, second := t.best()
	if second < 0 {
		return true
	}
	lead, margin := t.lead(best, second)
	return lead > 2*margin
}
