package learner

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"croupier/engine"
	"croupier/nn"
)

// muonSetup is a network with a wide, a high and a square hidden matrix.
func muonSetup(t *testing.T) (setup, *nn.Layout) {
	t.Helper()
	o := testOptions(t)
	o.Config.Optimiser = OptimiserMuon
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{48, 16}, LSTM: []int{16}})
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(3))
	require.NoError(t, err)
	return testSetup(o, n, 2), o.Layout
}

// TestOrthogonalise compares with the singular vectors: the step has those of the momentum, and singular values near 1.
func TestOrthogonalise(t *testing.T) {
	set, l := muonSetup(t)
	o := newMuon(l, set.config)
	require.Greater(t, len(o.matrices), 3)
	rng := engine.NewRNG(1, 0)
	for _, h := range o.matrices {
		m, v, g := make([]float32, h.Size()), make([]float32, h.Size()), make([]float32, h.Size())
		for i := range g {
			g[i] = float32(rng.Float64() - 0.5)
		}
		h.blend(m, v, g, 2, 0.95, 0.999)
		for i := range g {
			require.InDelta(t, 0.05*2*g[i], m[i], 1e-6)
			require.InDelta(t, 0.001*4*g[i]*g[i], v[i], 1e-7)
		}
		require.True(t, h.orthogonalise())
		step := make([]float32, h.Size())
		h.step(step, -1)
		rows, columns := h.Shape[0], h.Shape[1]
		product := mat.NewDense(rows, rows, nil) // of step and gradient: U·S'·Uᵀ, symmetric and not negative
		product.Mul(dense(step, rows, columns), dense(g, rows, columns).T())
		require.True(t, mat.EqualApprox(product, product.T(), 0.02*mat.Max(product)), "the singular vectors are those of the gradient")
		var svd mat.SVD
		require.True(t, svd.Factorize(dense(step, rows, columns), mat.SVDNone))
		values := svd.Values(nil)
		require.Less(t, slices.Max(values), 1.3, h.Name)
		require.Greater(t, slices.Min(values), 0.5, h.Name)
	}
	h := o.matrices[0]
	clear(h.x)
	require.False(t, h.orthogonalise(), "no gradient, no direction")
}

func dense(data []float32, rows, columns int) *mat.Dense {
	wide := make([]float64, len(data))
	for i, x := range data {
		wide[i] = float64(x)
	}
	return mat.NewDense(rows, columns, wide)
}

// TestMuonLeavesTheRestToAdam: biases and output layers take the very steps that they take with Adam alone, and hidden
// matrices steps of Adam's size.
func TestMuonLeavesTheRestToAdam(t *testing.T) {
	set, l := muonSetup(t)
	rng := engine.NewRNG(2, 0)
	gradient := make([]float32, l.Size)
	for i := range gradient {
		gradient[i] = float32(rng.Float64() - 0.5)
	}
	all := func(n int, do func(first, end int)) { do(0, n) }
	each := func(n int, do func(i int)) {
		for i := range n {
			do(i)
		}
	}
	byAdam, byMuon := make([]float32, l.Size), make([]float32, l.Size)
	newAdam(l.Size, set.config).update(byAdam, gradient, 0.5, 0.01, all)
	a := newAdam(l.Size, set.config)
	newMuon(l, set.config).update(a, byMuon, gradient, 0.5, 0.01, each)
	require.EqualValues(t, 1, a.step)
	hidden := map[string]bool{}
	for _, p := range l.Hidden() {
		hidden[p.Name] = true
		squares := 0.0
		for _, x := range p.Of(byMuon) {
			squares += float64(x) * float64(x)
		}
		require.InEpsilon(t, 0.2*0.01, math.Sqrt(squares/float64(p.Size())), 0.25, p.Name)
	}
	for _, p := range l.Parameters {
		if !hidden[p.Name] {
			require.Equal(t, p.Of(byAdam), p.Of(byMuon), p.Name)
		}
	}
	require.True(t, hidden["dense.0.weight"])
	require.False(t, slices.ContainsFunc(l.Hidden(), func(p nn.Parameter) bool { return p.Shape[0] == 1 || p.Shape[1] == 1 }), "the value's last layer")
}

func TestMuonLearns(t *testing.T) {
	requireLearns(t, func(c *Config) { c.Optimiser = OptimiserMuon })
}

// requireLearns checks that a policy learns from a teacher under changed settings, with the same weights from any
// number of workers.
func requireLearns(t *testing.T, change func(*Config)) {
	o := testOptions(t)
	o.Config.LearningRateStart, o.Config.PPO.Minibatch = 3e-3, 512
	o.Config.PPO.Teacher, o.Config.PPO.TeacherCoefficient = "equilibrium(0.2)", 50
	change(&o.Config)
	var weights [][]float32
	for _, workers := range []int{1, 3} {
		n, err := nn.NewNetwork(o.Layout, o.Layout.Init(5))
		require.NoError(t, err)
		tr, err := newPPO(o.Config.PPO, testSetup(o, n, workers))
		require.NoError(t, err)
		before := exploitability(t, tr.network)
		in := tr.newIntake().(*lessons)
		for i := range 40 {
			in.reset()
			playRandomly(t, o.Game, in.recording, 300, uint64(i))
			_, err := in.learn(t.Context(), 0)
			require.NoError(t, err)
		}
		require.Less(t, exploitability(t, tr.network), before/4)
		weights = append(weights, tr.network.Weights)
	}
	require.Equal(t, weights[0], weights[1])
}
