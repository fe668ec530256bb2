package learner

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/learner/graph"
	"croupier/messages"
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

// rollout has a recorder's record visit the decisions.
func (g seatInGame) rollout(memory bool) *rollout {
	r, d := newRollout(testLayoutSpec), record{decisions: decisions{spec: testLayoutSpec}}
	d.clear()
	for i, forced := range g.forced {
		legal := []int{0, 1}
		if forced {
			legal = legal[:1]
		}
		d.visit(blank{}, 0, 0, legal, 0, memory)
		d.credit(g.rewards[i], float32(g.gamma))
		if memory || !forced {
			r.values = append(r.values, g.values[i])
		}
	}
	r.addSequence(&d, g.result, 1, 1)
	r.values = r.values[:r.len()]
	return r
}

// sampled returns the samples' entries of a column.
func (r *rollout) sampled(column []float32) (list []float32) {
	for i, span := range r.spans {
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
			r.estimate(r.values, g.gamma, lambda)
			require.Equal(t, targets, r.sampled(r.targets), "memory: %v", memory)
			require.Equal(t, advantages, r.sampled(r.advantages), "memory: %v", memory)
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
			require.Equal(t, want, r.sampled(r.targets), "memory: %v", memory)
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
		r.estimate(r.values, a.gamma, 1)
		copy(r.values, r.targets)
		require.InDelta(t, 1, r.explainedVariance(a.gamma), 1e-9)
	}
}

// handOptions are those of a game with many forced decisions.
func handOptions(t *testing.T, d nn.Description) Options {
	o := testOptions(t)
	o.Game = testGame(t, "tysiac-hand", "")
	o.Layout = testLayout(t, o.Game, d)
	o.Config.PPO.Samples, o.Config.DQN.Samples = 1<<20, 1<<20
	o.Config.SequenceLength = 4
	return o
}

// countChoices returns the numbers of decisions and of choices in a batch.
func countChoices(t *testing.T, game engine.Game, x *messages.Experience) (decisions, choices int) {
	s := game.NewState()
	for _, e := range x.Episodes {
		s.Reset()
		for i := range len(e.History) {
			if s.Player() >= 0 {
				decisions++
				if len(s.LegalActions(nil)) > 1 {
					choices++
				}
			}
			require.NoError(t, s.Apply(messages.StepAt(e.History, 1, i)))
		}
	}
	return decisions, choices
}

// TestForcedDecisionsAreNoSamples: both kinds of networks and both algorithms count the same
// samples and decisions; only networks with memory keep rows of forced decisions, and no loss
// counts them. The ledger counts games, whatever was decided in them.
func TestForcedDecisionsAreNoSamples(t *testing.T) {
	for name, d := range map[string]nn.Description{"dense": {Dense: []int{8}}, "recurrent": {LSTM: []int{4}}} {
		t.Run(name, func(t *testing.T) {
			o := handOptions(t, d)
			x := playingActor(t, o, "actor-1", 4).batch(2000)
			decisions, choices := countChoices(t, o.Game, x)
			require.Less(t, choices, decisions*95/100, "the game has forced decisions")
			g := testIngestion(t, o, 5)
			deliver(t, o, g, "actor-1", encode(t, x))
			l := readLedger(t, o, "actor-1")
			require.EqualValues(t, len(x.Episodes), l.Consumed)
			require.Equal(t, l.Episodes, l.Consumed+l.Stale+l.Refused+l.Lost)
			r := rolloutOf(g)
			require.Equal(t, choices, r.size.samples)
			require.Equal(t, decisions, r.size.decisions)
			require.EqualValues(t, decisions, g.decisions.Load())
			require.Len(t, r.sampled(r.rewards), choices)
			if o.Layout.StateSize == 0 {
				require.Equal(t, choices, r.len())
			} else {
				require.Greater(t, r.len(), choices)
			}
			o = withRegistry(o)
			o.Config.Algorithm = "dqn"
			g = testIngestion(t, o, 5)
			require.NoError(t, g.batch(t.Context(), fakeMessage{encode(t, x)}))
			in := g.rollout
			require.Equal(t, &r.size, &in.size)
			got, p := newRollout(o.Game.Spec()), newReplayer(o.Config, []engine.Game{o.Game}, o.Layout.StateSize > 0)
			for i := range in.games {
				p.replay(&in.games[i], 1, got)
			}
			require.Equal(t, r.sequences, got.sequences)
			require.Equal(t, r.spans, got.spans)
			require.Equal(t, r.observations, got.observations)
			require.EqualValues(t, choices, weightOf(o.Layout, r))
		})
	}
}

// weightOf sums the weights in the batches of an epoch. No row of them ends in a forced
// decision.
func weightOf(l *nn.Layout, r *rollout) (sum float64) {
	d := &descent{steps: 1}
	if l.StateSize > 0 {
		d.steps = 4
	}
	r.prepare(d.steps, l.StateSize)
	r.targets = resize(r.targets, r.len())
	d.shuffle(r, &d.packing)
	g, err := graph.New(graph.NewWeights(l, kernel.FP32), 1, d.steps)
	if err != nil {
		panic(err)
	}
	batch := g.Batch
	for _, row := range d.packing.rows {
		d.packing.fill(batch, 0, row, r, (*rollout).writeAction)
		for _, w := range batch.Weight {
			sum += float64(w)
		}
		if batch.Weight[row.used-1] == 0 {
			return math.NaN()
		}
	}
	return sum
}

// TestRecurrentNetworkTrainsAcrossForcedDecisions runs iterations of both algorithms on games
// whose rows are partly forced: nothing is divided by zero and the network changes.
func TestRecurrentNetworkTrainsAcrossForcedDecisions(t *testing.T) {
	for _, algorithm := range []string{"ppo", "dqn"} {
		t.Run(algorithm, func(t *testing.T) {
			o := handOptions(t, nn.Description{LSTM: []int{4}, Dueling: algorithm == "dqn"})
			o.Config.Algorithm, o.Config.PPO.Minibatch, o.Config.DQN.Minibatch = algorithm, 8, 8
			l, err := New(o)
			require.NoError(t, err)
			require.NoError(t, l.open(t.Context()))
			a := newTestActor(t, o.Game, "actor-1")
			a.follow(t.Context(), o.Bus)
			x := a.batch(300)
			_, choices := countChoices(t, o.Game, x)
			deliver(t, o, l.ingestion, a.id, encode(t, x))
			before := l.trainer.published()
			require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
			require.NotSame(t, before, l.trainer.published(), "no rollback")
			require.EqualValues(t, choices, l.now().Samples)
		})
	}
}
