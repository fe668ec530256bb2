package train

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/tysiac"
	"croupier/learner/train/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// seatInGame is one seat's way through a game, forced decisions and all. Its numbers are
// few and dyadic, so that estimates are exact in float32 and can be compared bit for bit.
type seatInGame struct {
	forced          []bool
	values, rewards []float32 // at each decision, and after it
	result          float32
	gamma           float64
}

func drawSeat(t *rapid.T) seatInGame {
	n := rapid.IntRange(1, 7).Draw(t, "decisions")
	eighths := rapid.Map(rapid.IntRange(-8, 8), func(k int) float32 { return float32(k) / 8 })
	return seatInGame{
		forced:  rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "forced"),
		values:  rapid.SliceOfN(eighths, n, n).Draw(t, "values"),
		rewards: rapid.SliceOfN(eighths, n, n).Draw(t, "rewards"),
		result:  eighths.Draw(t, "result"),
		gamma:   rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "gamma"),
	}
}

// choices lists the decisions that are samples.
func (g seatInGame) choices() (list []int) {
	for i, forced := range g.forced {
		if !forced {
			list = append(list, i)
		}
	}
	return list
}

// worth is the discounted return from decision i on if decision j, or the end with j =
// len(values), is worth as much as the game says.
func (g seatInGame) worth(i, j int) (sum float64) {
	for k := i; k < j; k++ {
		sum += math.Pow(g.gamma, float64(k-i)) * float64(g.rewards[k])
	}
	if end := len(g.values); j == end {
		return sum + math.Pow(g.gamma, float64(end-1-i))*float64(g.result)
	}
	return sum + math.Pow(g.gamma, float64(j-i))*float64(g.values[j])
}

// after is worth up to n choices later, or to the end.
func (g seatInGame) after(choices []int, k, n int) float64 {
	if k+n < len(choices) {
		return g.worth(choices[k], choices[k+n])
	}
	return g.worth(choices[k], len(g.values))
}

// blank is a state of which nothing is seen.
type blank struct{ engine.State }

func (blank) Observe(int, []float32) {}

// rollout has the rows of a seat visit the decisions.
func (g seatInGame) rollout(memory bool) *Rollout {
	r, d := NewRollout(testLayoutSpec), seatRows{Decisions: Decisions{spec: testLayoutSpec}}
	d.clear()
	for i, forced := range g.forced {
		legal := []int{0, 1}
		if forced {
			legal = legal[:1]
		}
		d.visit(blank{}, 0, 0, legal, 0, memory)
		d.credit(g.rewards[i], float32(g.gamma))
		if memory || !forced {
			r.Values = append(r.Values, g.values[i])
		}
	}
	r.addSequence(&d, g.result, 1, 1)
	r.Values = r.Values[:r.Len()]
	return r
}

// sampled returns the samples' entries of a column.
func (r *Rollout) sampled(column []float32) (list []float32) {
	for i, span := range r.Spans {
		if span > 0 {
			list = append(list, column[i])
		}
	}
	return list
}

// TestAdvantagesBridgeForcedDecisions compares with the definition of the λ-return on the
// whole game: (1 − λ)·Σ λⁿ⁻¹·(return up to the nth choice), and the whole return for the rest.
// Whether a network with memory sees the forced decisions makes no difference.
func TestAdvantagesBridgeForcedDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, lambda := drawSeat(t), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "lambda")
		choices := g.choices()
		var targets, advantages []float32
		for k, at := range choices {
			want, weight := 0.0, 1.0
			for n := 1; k+n < len(choices); n++ {
				want += weight * (1 - lambda) * g.after(choices, k, n)
				weight *= lambda
			}
			want += weight * g.after(choices, k, len(choices))
			targets = append(targets, float32(want))
			advantages = append(advantages, float32(want)-g.values[at])
		}
		for _, memory := range []bool{false, true} {
			r := g.rollout(memory)
			r.estimate(r.Values, g.gamma, lambda)
			require.Equal(t, targets, r.sampled(r.Targets), "memory: %v", memory)
			require.Equal(t, advantages, r.sampled(r.Advantages), "memory: %v", memory)
		}
	})
}

// TestNStepTargetsBridgeForcedDecisions compares with the return up to the nth choice.
func TestNStepTargetsBridgeForcedDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, n := drawSeat(t), rapid.IntRange(1, 4).Draw(t, "n")
		var want []float32
		for k := range g.choices() {
			want = append(want, float32(g.after(g.choices(), k, n)))
		}
		for _, memory := range []bool{false, true} {
			r := g.rollout(memory)
			r.estimateActions(n, float32(g.gamma))
			require.Equal(t, want, r.sampled(r.Targets), "memory: %v", memory)
		}
	})
}

// TestExplainedVarianceBridgesForcedDecisions: values that are the returns explain them.
func TestExplainedVarianceBridgesForcedDecisions(t *testing.T) {
	a := seatInGame{
		forced: []bool{true, false, true, true, false, true}, rewards: []float32{1, 0.5, 0.25, 0, -1, 0.5},
		values: make([]float32, 6), result: 1, gamma: 0.5,
	}
	for _, memory := range []bool{false, true} {
		r := a.rollout(memory)
		r.estimate(r.Values, a.gamma, 1)
		copy(r.Values, r.Targets)
		require.InDelta(t, 1, r.ExplainedVariance(a.gamma), 1e-9)
	}
}

// TestForcedDecisionsAreNoSamples: both kinds of networks and both algorithms count the same
// samples and decisions; only networks with memory keep rows of forced decisions, and no loss
// counts them.
func TestForcedDecisionsAreNoSamples(t *testing.T) {
	game, err := tysiac.NewHand(nil)
	require.NoError(t, err)
	for name, d := range map[string]nn.Description{"dense": {Dense: []int{8}}, "recurrent": {LSTM: []int{4}}} {
		t.Run(name, func(t *testing.T) {
			r, _, got := recordedTwice(t, game, d, 1)
			choices := r.Size.Samples
			require.Less(t, choices, r.Size.Decisions*95/100, "the game has forced decisions")
			require.Len(t, r.sampled(r.Rewards), choices)
			if len(d.LSTM) == 0 {
				require.Equal(t, choices, r.Len())
			} else {
				require.Greater(t, r.Len(), choices)
			}
			require.Equal(t, r.Sequences, got.Sequences)
			require.Equal(t, r.Spans, got.Spans)
			require.Equal(t, r.Observations, got.Observations)
			require.EqualValues(t, choices, weightOf(testLayout(t, game, d), r))
		})
	}
}

// weightOf sums the weights in the batches of an epoch. No row of them ends in a forced
// decision.
func weightOf(l *nn.Layout, r *Rollout) (sum float64) {
	d := &Descent{steps: 1}
	if l.StateSize > 0 {
		d.steps = 4
	}
	r.prepare(d.steps, l.StateSize)
	r.Targets = resize(r.Targets, r.Len())
	d.shuffle(r, &d.packing)
	g, err := graph.New(graph.NewWeights(l, kernel.FP32), 1, d.steps)
	if err != nil {
		panic(err)
	}
	batch := g.Batch
	for _, row := range d.packing.rows {
		d.packing.fill(batch, 0, row, r, (*Rollout).WriteAction)
		for _, w := range batch.Weight {
			sum += float64(w)
		}
		if batch.Weight[row.used-1] == 0 {
			return math.NaN()
		}
	}
	return sum
}
