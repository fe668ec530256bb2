package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"croupier/engine"
	"croupier/nn"
	"croupier/nn/kernel"
	"croupier/nn/nntest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDescriptionsHaveEveryKind(t *testing.T) {
	layers := map[reflect.Type]bool{}
	for _, d := range nntest.Descriptions {
		for _, layer := range newLayout(t, d, nntest.Spec).Layers.All() {
			layers[reflect.TypeOf(layer)] = true
		}
	}
	require.Len(t, layers, len(kinds), "one type of layer for each kind of node")
}

func forEachDescription(t *testing.T, test func(*testing.T, *nn.Layout)) {
	for _, d := range nntest.Descriptions {
		t.Run(nameOf(t, d), func(t *testing.T) { test(t, newLayout(t, d, nntest.Spec)) })
		t.Run(nameOf(t, d)+" with traces", func(t *testing.T) { test(t, withTraces(t, d)) })
	}
}

// nameOf returns the description on one line, without addresses.
func nameOf(t testing.TB, d nn.Description) string {
	doc, err := json.Marshal(d)
	require.NoError(t, err)
	return string(doc)
}

func newLayout(t testing.TB, d nn.Description, spec *engine.Spec) *nn.Layout {
	l, err := nn.NewLayout(d, spec)
	require.NoError(t, err)
	return l
}

func newGraph(t testing.TB, l *nn.Layout, rows, steps int) *Graph {
	return newGraphIn(t, kernel.FP32, l, rows, steps)
}

// newGraphIn skips the test where the machine cannot multiply in the given precision.
func newGraphIn(t testing.TB, p kernel.Precision, l *nn.Layout, rows, steps int) *Graph {
	if p == kernel.BF16 && !kernel.HasBF16() {
		t.Skip("needs AVX512-BF16")
	}
	g, err := newWith(testKinds, NewWeights(l, p), rows, steps)
	require.NoError(t, err)
	return g
}

// gradientOf sets the parameters and the batch and returns what Gradient does.
func gradientOf(g *Graph, parameters []float32, b *Batch, loss Loss, gradient []float32) (Stats, error) {
	setParameters(g, parameters)
	g.Batch.Resize(b.Rows)
	copyRows(g.Batch, b)
	return g.Gradient(loss, gradient)
}

// setParameters sets the weights of the graph, which are its own.
func setParameters(g *Graph, parameters []float32) {
	w := g.extent.weights
	copy(w.Flat, parameters)
	w.Pack(oneByOne)
}

// oneByOne is what [Weights.Pack] is given where there is one core.
func oneByOne(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

// uniform returns a number in [-scale, scale).
func uniform(rng *engine.RNG, scale float64) float32 { return float32(scale * (2*rng.Float64() - 1)) }

func fill(rng *engine.RNG, scale float64, arrays ...[]float32) {
	for _, a := range arrays {
		for i := range a {
			a[i] = uniform(rng, scale)
		}
	}
}

// randomParameters returns parameters large enough for every gate and head to matter.
func randomParameters(l *nn.Layout, rng *engine.RNG) []float32 {
	p := make([]float32, l.Size)
	fill(rng, 0.8, p)
	return p
}

// randomBatch fills every array; about one decision in five is padding, one in four
// begins a sequence, and one action in three is illegal.
func randomBatch(l *nn.Layout, rows, steps int, rng *engine.RNG) *Batch {
	b := newBatch(l, rows, steps)
	observation := make([]float32, l.Spec.ObservationSize)
	fill(rng, 1, b.Advantages, b.Targets)
	fill(rng, 1, b.InitialState...)
	for i := range b.Actions {
		fill(rng, 1, observation)
		b.SetObservation(i, observation)
		b.Weight[i] = float32(rng.IntN(5)) / 4
		if rng.IntN(4) == 0 {
			b.Reset[i] = 1
		}
		b.LogProbs[i] = -1.5 + uniform(rng, 0.5)
		from := i * l.Spec.Actions
		reference, teacher := b.Reference[from:], b.Teacher[from:]
		asked := rng.IntN(3) > 0
		action := rng.IntN(l.Spec.Actions)
		b.Actions[i] = int32(action)
		var legal []int
		for a := range l.Spec.Actions {
			reference[a] = float32(math.Log(0.05 + rng.Float64()/4))
			possible := rng.IntN(3) > 0
			if possible && asked {
				teacher[a] = float32(rng.Float64() / 2)
			}
			if possible || a == action {
				legal = append(legal, a)
			}
		}
		b.SetLegal(i, legal)
	}
	return b
}

// lossOf is the loss that trains a network of the layout.
func lossOf(l *nn.Layout, policy PPO) Loss {
	if l.Description.ActionValues() {
		return TemporalDifference{}
	}
	return policy
}

var testLoss = PPO{ClipRange: 0.3, ValueCoefficient: 0.7, EntropyCoefficient: 0.1,
	MagnetCoefficient: 0.2, BarrierCoefficient: 0.25, TeacherCoefficient: 0.3}

// requireClose compares with a tolerance for float32 sums of numbers of about 1.
func requireClose(t testing.TB, want []float64, got []float32) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		require.InDelta(t, w, got[i], 2e-5*(1+math.Abs(w)), "element %d", i)
	}
}

func TestGradientIsThatOfFiniteDifferences(t *testing.T) {
	losses := []PPO{testLoss, {ClipRange: 0.1, ValueCoefficient: 1}, {ClipRange: 10, EntropyCoefficient: 1},
		{ClipRange: 0.2, MagnetCoefficient: 1}, {ClipRange: 0.2, BarrierCoefficient: 1},
		{ClipRange: 0.2, TeacherCoefficient: 1}}
	forEachDescription(t, func(t *testing.T, l *nn.Layout) {
		rng := engine.NewRNG(1, 0)
		g := newGraph(t, l, 3, 4)
		for _, loss := range losses {
			parameters, b := randomParameters(l, rng), randomBatch(l, 3, 4, rng)
			ref := reference{l, widen(parameters)}
			gradient := make([]float32, l.Size)
			stats, err := gradientOf(g, parameters, b, lossOf(l, loss), gradient)
			require.NoError(t, err)
			requireClose(t, ref.gradient(b, loss), gradient)
			requireStats(t, ref.stats(b, loss), stats)
		}
	})
}

func requireStats(t *testing.T, want, got Stats) {
	t.Helper()
	numbers := func(s Stats) []float64 {
		return []float64{s.Weight, s.Loss, s.PolicyLoss, s.ValueLoss, s.Entropy, s.KL, s.Clipped, s.MagnetKL, s.Taught,
			s.TeacherLoss}
	}
	require.InDeltaSlice(t, numbers(want), numbers(got), 1e-4)
}

// TestBeyond255 has more rows, units and gates than gorgonia's own slices can hold.
func TestBeyond255(t *testing.T) {
	l := newLayout(t, nn.Description{Dense: []int{7}, LSTM: []int{70}}, nntest.Spec)
	rng := engine.NewRNG(2, 0)
	parameters, b := l.Init(1), randomBatch(l, 150, 2, rng)
	gradient := make([]float32, l.Size)
	_, err := gradientOf(newGraph(t, l, 150, 2), parameters, b, testLoss, gradient)
	require.NoError(t, err)
	ref := reference{l, widen(parameters)}
	const step = 1e-6
	for range 20 { // of some 23,000 parameters, to stay fast
		i := rng.IntN(l.Size)
		p := ref.parameters[i]
		ref.parameters[i] = p + step
		up := ref.stats(b, testLoss).Loss
		ref.parameters[i] = p - step
		want := (up - ref.stats(b, testLoss).Loss) / (2 * step)
		ref.parameters[i] = p
		require.InDelta(t, want, gradient[i], 1e-4*(1+math.Abs(want)), "parameter %d", i)
	}
}

func TestRunsAreIndependent(t *testing.T) {
	l := newLayout(t, nntest.Descriptions[len(nntest.Descriptions)-1], nntest.Spec)
	rng := engine.NewRNG(3, 0)
	g := newGraph(t, l, 3, 4)
	parameters := randomParameters(l, rng)
	first, second := randomBatch(l, 3, 4, rng), randomBatch(l, 3, 4, rng)
	gradient := func(b *Batch, into []float32) Stats {
		s, err := gradientOf(g, parameters, b, testLoss, into)
		require.NoError(t, err)
		return s
	}
	a, b, again := make([]float32, l.Size), make([]float32, l.Size), make([]float32, l.Size)
	statsA := gradient(first, a)
	gradient(second, b)
	require.NotEqual(t, a, b)
	require.Equal(t, statsA, gradient(first, again))
	require.Equal(t, a, again, "the same batch gives the same gradient, whatever came before")
}

// TestParametersStayUntilTheyAreSet: products take the weights that were set last, also where
// they keep them in another order.
func TestParametersStayUntilTheyAreSet(t *testing.T) {
	forEachDescription(t, func(t *testing.T, l *nn.Layout) {
		rng := engine.NewRNG(10, 0)
		g := newGraph(t, l, 3, 4)
		b, loss := randomBatch(l, 3, 4, rng), lossOf(l, testLoss)
		for range 3 {
			parameters := randomParameters(l, rng)
			want, got := make([]float32, l.Size), make([]float32, l.Size)
			_, err := gradientOf(newGraph(t, l, 3, 4), parameters, b, loss, want)
			require.NoError(t, err)
			_, err = gradientOf(g, parameters, b, loss, got)
			require.NoError(t, err)
			require.Equal(t, want, got)
			parameters[0]++ // the graph has a copy
			_, err = g.Gradient(loss, got)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

// TestSmallerBatches: a batch with fewer rows than the graph can take gives, to the bit, what a
// graph of its own size and a batch filled up with padding give.
func TestSmallerBatches(t *testing.T) {
	const most, steps = 5, 4
	forEachDescription(t, func(t *testing.T, l *nn.Layout) {
		rng := engine.NewRNG(11, 0)
		g, loss := newGraph(t, l, most, steps), lossOf(l, testLoss)
		resized := newBatch(l, most, steps)
		for _, rows := range []int{5, 2, 3, 1} {
			parameters, b := randomParameters(l, rng), randomBatch(l, rows, steps, rng)
			want, got := make([]float32, l.Size), make([]float32, l.Size)
			wantStats, err := gradientOf(newGraph(t, l, rows, steps), parameters, b, loss, want)
			require.NoError(t, err)
			for _, size := range []int{rows, most} {
				resized.Resize(size)
				for i := range resized.Actions {
					resized.Pad(i)
				}
				copyRows(resized, b)
				gotStats, err := gradientOf(g, parameters, resized, loss, got)
				require.NoError(t, err)
				require.Equal(t, wantStats, gotStats)
				require.Equal(t, want, got, "%d rows of %d", rows, size)
				actions, values := g.Outputs()
				require.Len(t, values, size*steps)
				require.Len(t, actions, size*steps*l.Spec.Actions)
			}
		}
	})
}

// copyRows copies all rows of a batch to the first ones of another.
func copyRows(to, from *Batch) {
	actions, fromRows, toRows := from.actions, from.Rows*from.Steps, to.Rows*to.Steps
	for step := range from.Steps {
		for row := range from.Rows {
			i, k := step*to.Rows+row, step*from.Rows+row
			for branch, o := range from.Observations {
				copy(rowOf(to.Observations[branch], i, toRows), rowOf(o, k, fromRows))
			}
			to.SetLegal(i, from.Legal(k))
			copy(to.Reference[i*actions:], from.Reference[k*actions:(k+1)*actions])
			copy(to.Teacher[i*actions:], from.Teacher[k*actions:(k+1)*actions])
			to.Actions[i], to.LogProbs[i], to.Advantages[i] = from.Actions[k], from.LogProbs[k], from.Advantages[k]
			to.Targets[i], to.Weight[i], to.Reset[i] = from.Targets[k], from.Weight[k], from.Reset[k]
		}
	}
	for i, s := range from.InitialState {
		copy(to.InitialState[i], s)
	}
}

func TestPaddingContributesNothing(t *testing.T) {
	forEachDescription(t, func(t *testing.T, l *nn.Layout) {
		rng := engine.NewRNG(4, 0)
		parameters, b := randomParameters(l, rng), randomBatch(l, 3, 4, rng)
		// Padding follows the decisions of a row, as with sequences of several lengths.
		for row := range 3 {
			for step := row + 1; step < 4; step++ {
				b.Weight[step*3+row] = 0
			}
		}
		g := newGraph(t, l, 3, 4)
		want, got := make([]float32, l.Size), make([]float32, l.Size)
		wantStats, err := gradientOf(g, parameters, b, lossOf(l, testLoss), want)
		require.NoError(t, err)
		for row := range 3 {
			for i := (row+1)*3 + row; i < 12; i += 3 {
				for _, o := range b.Observations {
					fill(rng, 100, rowOf(o, i, 12))
				}
				fill(rng, 100, b.Reference[i*6:][:6], b.Teacher[i*6:][:6], b.Advantages[i:][:1],
					b.Targets[i:][:1], b.LogProbs[i:][:1])
				b.Actions[i] = int32(rng.IntN(6))
			}
		}
		gotStats, err := gradientOf(g, parameters, b, lossOf(l, testLoss), got)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, wantStats, gotStats)
		for i := range b.Actions {
			b.Pad(i)
		}
		clear(got)
		gotStats, err = gradientOf(g, parameters, b, lossOf(l, testLoss), got)
		require.NoError(t, err)
		require.Equal(t, Stats{}, gotStats)
		require.Equal(t, make([]float32, l.Size), got)
	})
}

// TestMasks uses a linear network, in which the gradient of a logit's bias is that of the
// logit.
func TestMasks(t *testing.T) {
	l := newLayout(t, nn.Description{}, nntest.Spec)
	rng := engine.NewRNG(5, 0)
	parameters, b := randomParameters(l, rng), randomBatch(l, 4, 1, rng)
	for i := range 4 {
		b.SetLegal(i, []int{0, 2, 4})
		b.Actions[i], b.Weight[i] = 2, 1
	}
	g := newGraph(t, l, 4, 1)
	gradient := make([]float32, l.Size)
	_, err := gradientOf(g, parameters, b, testLoss, gradient)
	require.NoError(t, err)
	logProbs, _ := g.Outputs()
	var biases []float32
	for _, p := range l.Layers.Heads[0].Layers[0].(*nn.DenseLayer).Parts {
		biases = append(biases, p.Bias.Of(gradient)...)
	}
	require.Len(t, biases, 7, "six actions and the value")
	sum := 0.
	for a, bias := range biases[:6] {
		sum += float64(bias)
		for i := range 4 {
			require.Equal(t, a%2 == 1, math.Exp(float64(logProbs[i*6+a])) == 0)
		}
		require.Equal(t, a%2 == 1, bias == 0)
	}
	require.InDelta(t, 0, sum, 1e-5, "adding a constant to all logits does not change a softmax")
}

func TestSingleDecision(t *testing.T) {
	for _, d := range nntest.Descriptions {
		l := newLayout(t, d, nntest.Spec)
		rng := engine.NewRNG(7, 0)
		parameters, b := randomParameters(l, rng), randomBatch(l, 1, 1, rng)
		b.Weight[0] = 1
		gradient := make([]float32, l.Size)
		_, err := gradientOf(newGraph(t, l, 1, 1), parameters, b, lossOf(l, testLoss), gradient)
		require.NoError(t, err)
		requireClose(t, reference{l, widen(parameters)}.gradient(b, testLoss), gradient)
	}
}

// TestSideBySide builds and runs graphs in two goroutines; it is for the race detector.
func TestSideBySide(t *testing.T) {
	l := newLayout(t, nntest.Descriptions[len(nntest.Descriptions)-1], nntest.Spec)
	parameters := l.Init(1)
	gradients := [2][]float32{make([]float32, l.Size), make([]float32, l.Size)}
	var group sync.WaitGroup
	for _, gradient := range gradients {
		group.Go(func() {
			g, err := New(NewWeights(l, kernel.FP32), 3, 4)
			if err != nil {
				t.Error(err)
				return
			}
			rng := engine.NewRNG(8, 0)
			for range 5 {
				if _, err := gradientOf(g, parameters, randomBatch(l, 3, 4, rng), testLoss, gradient); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, gradients[0], gradients[1])
}

// TestGraphsShareWeights: graphs of the same weights run at the same time, in batches of other sizes, and compute what
// one alone does, also after the weights have changed.
func TestGraphsShareWeights(t *testing.T) {
	l := newLayout(t, nntest.Descriptions[len(nntest.Descriptions)-1], nntest.Spec)
	for _, p := range []kernel.Precision{kernel.FP32, kernel.BF16} {
		t.Run(p.String(), func(t *testing.T) {
			graphs := []*Graph{newGraphIn(t, p, l, 3, 4)}
			for rows := range 2 {
				g, err := newWith(testKinds, graphs[0].extent.weights, 3+rows, 4)
				require.NoError(t, err)
				graphs = append(graphs, g)
			}
			for seed := range uint64(3) {
				parameters := l.Init(seed)
				setParameters(graphs[0], parameters)
				var group sync.WaitGroup
				for i, g := range graphs {
					b, want := randomBatch(l, 1+i, 4, engine.NewRNG(seed, 0)), make([]float32, l.Size)
					_, err := gradientOf(newGraphIn(t, p, l, 1+i, 4), parameters, b, lossOf(l, testLoss), want)
					require.NoError(t, err)
					g.Batch.Resize(b.Rows)
					copyRows(g.Batch, b)
					group.Go(func() {
						got := make([]float32, l.Size)
						_, err := g.Gradient(lossOf(l, testLoss), got)
						assert.NoError(t, err)
						assert.Equal(t, want, got)
					})
				}
				group.Wait()
			}
		})
	}
}

// TestNoAllocation: once a graph has run, it allocates nothing more.
func TestNoAllocation(t *testing.T) {
	for _, d := range nntest.Descriptions {
		l := newLayout(t, d, nntest.Spec)
		b := randomBatch(l, 3, 4, engine.NewRNG(9, 0))
		g, loss := newGraph(t, l, 3, 4), lossOf(l, testLoss)
		gradient := make([]float32, l.Size)
		setParameters(g, l.Init(1))
		copyRows(g.Batch, b)
		require.Zero(t, testing.AllocsPerRun(3, func() {
			if _, err := g.Gradient(loss, gradient); err != nil {
				t.Error(err)
			}
		}), "%+v", d)
	}
}

func TestErrors(t *testing.T) {
	l := newLayout(t, nn.Description{LSTM: []int{3}}, nntest.Spec)
	_, err := New(NewWeights(l, kernel.FP32), 0, 4)
	require.EqualError(t, err, "training graph: 0×4 decisions: both must be at least 1")

	g := newGraph(t, l, 2, 2)
	for want, spoil := range map[string]func(*Batch){
		"batch: action 6 of step 1, row 1 is outside 0..5": func(b *Batch) { b.Actions[3] = 6 },
		"batch: action 0 of step 0, row 1 is not legal":    func(b *Batch) { b.SetLegal(1, []int{1, 5}); b.Weight[1] = 1 },
		"batch: step 1, row 0 has no legal action":         func(b *Batch) { b.SetLegal(2, nil) },
	} {
		for i := range g.Batch.Actions {
			g.Batch.Pad(i)
		}
		spoil(g.Batch)
		_, err := g.Gradient(testLoss, make([]float32, l.Size))
		require.EqualError(t, err, "training graph: "+want)
	}
	_, err = g.Gradient(testLoss, nil)
	require.EqualError(t, err, fmt.Sprintf("training graph: 0 gradients where the layout has %d", l.Size))
}

// TestBF16GradientIsNearThatOfFP32: rounding factors to 8 bits changes the gradient by a few thousandths, as a whole,
// or hundredths where one unit of a few falls on the other side of 0.
func TestBF16GradientIsNearThatOfFP32(t *testing.T) {
	forEachDescription(t, func(t *testing.T, l *nn.Layout) {
		rng := engine.NewRNG(3, 0)
		parameters, b := l.Init(1), randomBatch(l, 8, 4, rng)
		loss := lossOf(l, PPO{ClipRange: 10, ValueCoefficient: 0.7, EntropyCoefficient: 0.1})
		gradients := [2][]float32{}
		for i, p := range []kernel.Precision{kernel.FP32, kernel.BF16} {
			gradients[i] = make([]float32, l.Size)
			_, err := gradientOf(newGraphIn(t, p, l, 8, 4), parameters, b, loss, gradients[i])
			require.NoError(t, err)
		}
		size, distance := 0., 0.
		for i, x := range gradients[0] {
			size += float64(x) * float64(x)
			distance += math.Pow(float64(gradients[1][i]-x), 2)
		}
		require.Less(t, math.Sqrt(distance/size), 0.1) // found: up to 0.07 where gradients of few weights cancel
		require.NotZero(t, distance)
	})
}
