package learner

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/langestrasse"
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
	return setup{o.Config, []engine.Game{o.Game}, n, 1, 2, nil}
}

// bothSeats are those of the agent where it plays alone.
var bothSeats = []bool{true, true}

// playRandomly fills an intake with games of random choices in all seats of a game for two.
func playRandomly(t *testing.T, game engine.Game, in *recording, games int, seed uint64) {
	playAgainst(t, game, in, games, seed, func(*engine.RNG) ([]bool, chooser) { return bothSeats, anyAction })
}

// chooser chooses a legal action of an opponent.
type chooser func(rng *engine.RNG, legal []int) int

func anyAction(rng *engine.RNG, legal []int) int { return legal[rng.IntN(len(legal))] }

// playAgainst fills an intake with games in which the agent makes random choices; meet says, for each game, which
// seats are its own and how the others choose.
func playAgainst(
	t *testing.T, game engine.Game, in *recording, games int, seed uint64, meet func(*engine.RNG) ([]bool, chooser),
) {
	rng := engine.NewRNG(seed, engine.ActionStream)
	s := game.NewState()
	results := make([]float64, game.Spec().Seats)
	for range games {
		own, choose := meet(rng)
		in.begin(0, rng.Uint64(), own)
		s.Reset()
		for s.Player() != engine.Terminal {
			if s.Player() == engine.Chance {
				step := s.SampleChance(rng)
				in.visit(s, engine.Chance, step, nil, 0, false)
				require.NoError(t, s.Apply(step))
				continue
			}
			legal := s.LegalActions(nil)
			seat, step := s.Player(), 0
			if own[seat] {
				step = anyAction(rng, legal)
			} else {
				step = choose(rng, legal)
			}
			in.visit(s, seat, step, legal, -1, own[seat])
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
	require.Len(t, in.everyone, in.len()*(2*size+1))
	others := false
	for i := range in.len() {
		all := in.everyone[i*(2*size+1) : (i+1)*(2*size+1)]
		require.Equal(t, in.observation(i), all[:size], "one's own first")
		require.EqualValues(t, 1, all[2*size], "the agent plays itself")
		others = others || !slices.Equal(all[:size], all[size:2*size])
	}
	require.True(t, others)
}

// TestCriticKnowsWhoPlays: of three seats, the agent's are 0 and 2.
func TestCriticKnowsWhoPlays(t *testing.T) {
	spec := newGame(t, langestrasse.New).Spec()
	s, own := newGame(t, langestrasse.New).NewState(), []bool{true, false, true}
	require.NoError(t, s.Apply(0))
	v := view{spec, true}
	first, last := v.observe(s, 0, own, nil), v.observe(s, 2, own, nil)
	require.Len(t, first, v.size())
	require.Equal(t, criticSpec(spec).ObservationSize, v.size())
	require.Equal(t, []float32{0, 1}, first[v.size()-2:], "the seats after 0 are 1 and 2")
	require.Equal(t, []float32{1, 0}, last[v.size()-2:], "those after 2 are 0 and 1")
}

// TestCriticTellsOpponentsApart: somebody who folds whenever he can loses to random play, which by itself breaks even.
func TestCriticTellsOpponentsApart(t *testing.T) {
	o, set := criticOptions(t)
	o.Config.PPO.ChanceCorrection = false
	tr, err := newPPO(o.Config.PPO, set)
	require.NoError(t, err)
	in := tr.newIntake().(*recording)
	folds := func(_ *engine.RNG, legal []int) int { return legal[0] } // fold is the first of the actions
	meet := func(rng *engine.RNG) ([]bool, chooser) {
		if rng.IntN(2) == 0 {
			return bothSeats, nil
		}
		return []bool{true, false}, folds
	}
	for i := range 40 {
		in.reset()
		playAgainst(t, o.Game, in, 600, uint64(i), meet)
		_, err := tr.learn(t.Context(), in.rollout, 0)
		require.NoError(t, err)
	}
	in.reset()
	playAgainst(t, o.Game, in, 2000, 1000, meet)
	told := in.explainedBy(tr.critic)
	size := criticSize(o.Game.Spec())
	for i := range in.len() {
		flag := &in.everyone[(i+1)*size-1]
		*flag = 1 - *flag
	}
	lied := in.explainedBy(tr.critic)
	t.Logf("explained variance %.3f, and %.3f if the flags are turned round", told, lied)
	require.Greater(t, told, lied+0.02)
}

// explainedBy returns the share of the results' variance that the critic's values explain.
func (r *recording) explainedBy(c *critic) float64 {
	r.values = c.see(r.rollout)
	return r.explainedVariance(1)
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
	all := in.explainedBy(tr.critic)
	t.Logf("explained variance %.2f by the seat's own view, %.2f by the critic", own, all)
	require.Greater(t, all, 1.5*own)
}

func TestCriticOfImpossibleLayersIsRefused(t *testing.T) {
	o, set := criticOptions(t)
	o.Config.PPO.Critic = []int{0}
	_, err := newPPO(o.Config.PPO, set)
	require.ErrorContains(t, err, "ppo.critic: ")
}
