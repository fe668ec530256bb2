package learner

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
)

// criticOptions are those of a small PPO with a critic on Leduc hold'em.
func criticOptions(t *testing.T) (Options, setup) {
	o := testOptions(t)
	o.Game = leducGame(t)
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{16}})
	o.Config.PPO.Critic, o.Config.PPO.ChanceCorrection = []int{32}, true
	o.Config.PPO.Minibatch = 256
	return o, setupOf(t, o)
}

// setupOf gives a trainer a new network and two workers.
func setupOf(t *testing.T, o Options) setup {
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(5))
	require.NoError(t, err)
	return setup{o.Config, []engine.Game{o.Game}, n, 1, 2}
}

// playRandomly fills an intake with games of random choices in all seats.
func playRandomly(t *testing.T, game engine.Game, in *recording, games int, seed uint64) {
	rng := engine.NewRNG(seed, engine.ActionStream)
	s := game.NewState()
	results := make([]float64, game.Spec().Seats)
	for range games {
		in.begin(0, rng.Uint64())
		s.Reset()
		for s.Player() != engine.Terminal {
			if s.Player() == engine.Chance {
				step := s.SampleChance(rng)
				in.visit(s, engine.Chance, step, nil, 0, false)
				require.NoError(t, s.Apply(step))
				continue
			}
			legal := s.LegalActions(nil)
			step := legal[rng.IntN(len(legal))]
			in.visit(s, s.Player(), step, legal, -1, true)
			require.NoError(t, s.Apply(step))
		}
		s.Returns(results)
		g := played{versions: make([]uint64, len(results))}
		for _, x := range results {
			g.results = append(g.results, float32(x/game.Spec().MaxReturn))
		}
		in.keep(g)
	}
}

func TestCriticSeesWhatAllSeatsSee(t *testing.T) {
	o, set := criticOptions(t)
	tr, err := newPPO(o.Config.PPO, set)
	require.NoError(t, err)
	in := tr.newIntake().(*recording)
	playRandomly(t, o.Game, in, 50, 1)
	size := o.Game.Spec().ObservationSize
	require.Len(t, in.everyone, 2*len(in.observations))
	others := false
	for i := range in.len() {
		all := in.everyone[2*i*size : 2*(i+1)*size]
		require.Equal(t, in.observation(i), all[:size], "one's own first")
		others = others || !slices.Equal(all[:size], all[size:])
	}
	require.True(t, others)
}

// TestCriticExplainsMore: in random play one's own cards leave most of the result open; the other's explain as much
// again.
func TestCriticExplainsMore(t *testing.T) {
	o, set := criticOptions(t)
	tr, err := newPPO(o.Config.PPO, set)
	require.NoError(t, err)
	in := tr.newIntake().(*recording)
	for i := range 40 {
		in.reset()
		playRandomly(t, o.Game, in, 600, uint64(i))
		_, err := tr.learn(t.Context(), in.rollout, 0)
		require.NoError(t, err)
	}
	in.reset()
	playRandomly(t, o.Game, in, 3000, 1000)
	in.prepare(tr.steps, 0)
	tr.evaluate(tr.network, in.rollout, takeAll)
	own := in.explainedVariance(1)
	in.values = tr.critic.see(in.rollout)
	all := in.explainedVariance(1)
	t.Logf("explained variance %.2f by the seat's own view, %.2f by the critic", own, all)
	require.Greater(t, all, 1.5*own)
}

func TestCriticOfImpossibleLayersIsRefused(t *testing.T) {
	o, set := criticOptions(t)
	o.Config.PPO.Critic = []int{0}
	_, err := newPPO(o.Config.PPO, set)
	require.ErrorContains(t, err, "ppo.critic: ")
}
