package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/tysiac"
	"croupier/nn"
)

// taughtKuhn is a small PPO that is taught Kuhn poker by the equilibrium in which a jack bluffs with probability 0.2.
func taughtKuhn(t *testing.T) (Options, *ppo) {
	t.Helper()
	o := testOptions(t)
	c := &o.Config.PPO
	c.Teacher, c.TeacherCoefficient, c.Minibatch, c.EntropyStart = "equilibrium(0.2)", 50, 512, 0
	o.Config.LearningRateStart = 5e-3
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(5))
	require.NoError(t, err)
	tr, err := newPPO(*c, setup{o.Config, []engine.Game{o.Game}, n, 1, 2, nil})
	require.NoError(t, err)
	return o, tr
}

// playRandomly fills a rollout with games of random choices in all seats.
func playRandomly(t *testing.T, game engine.Game, in *recording, games int, seed uint64) {
	rng := engine.NewRNG(seed, engine.ActionStream)
	s := game.NewState()
	results := make([]float64, game.Spec().Seats)
	for range games {
		in.begin(&Episode{Seed: rng.Uint64()})
		s.Reset()
		for s.Player() != engine.Terminal {
			if s.Player() == engine.Chance {
				step := s.SampleChance(rng)
				in.visit(&Step{s, engine.Chance, step, nil, 0, false})
				require.NoError(t, s.Apply(step))
				continue
			}
			legal := s.LegalActions(nil)
			step := legal[rng.IntN(len(legal))]
			in.visit(&Step{s, s.Player(), step, legal, -1, true})
			require.NoError(t, s.Apply(step))
		}
		s.Returns(results)
		var shares []float32
		for _, x := range results {
			shares = append(shares, float32(x/game.Spec().MaxReturn))
		}
		in.keep(shares...)
	}
}

// TestPolicyBecomesItsTeacher, with a weight beside which what the games bring counts little.
func TestPolicyBecomesItsTeacher(t *testing.T) {
	o, tr := taughtKuhn(t)
	require.Greater(t, exploitability(t, tr.network), 0.2)
	in := &recording{newRollout(o.Game.Spec()), tr.newRecorder()}
	var loss float64
	for i := range 60 {
		in.reset()
		playRandomly(t, o.Game, in, 300, uint64(i))
		rep, err := tr.learn(t.Context(), in.rollout, 0)
		require.NoError(t, err)
		last := rep.readings[len(rep.readings)-1]
		require.Equal(t, "teacher_loss", last.series)
		loss = last.value
	}
	require.Less(t, exploitability(t, tr.network), 0.02)
	require.Less(t, loss, 0.4, "what is left is the teacher's own entropy")

	// Its weight is at an end: nobody asks it any more, and other answers count for nothing.
	_, err := tr.learn(t.Context(), in.rollout, o.Config.PPO.TeacherUntil)
	require.NoError(t, err)
	in.reset()
	playRandomly(t, o.Game, in, 20, 1)
	require.Empty(t, in.decisions.teacherTargets)
	rep, err := tr.learn(t.Context(), in.rollout, 0.9)
	require.NoError(t, err)
	require.Zero(t, rep.readings[len(rep.readings)-1].value)
}

func TestTeacherIsAskedAboutChoices(t *testing.T) {
	hand, err := tysiac.NewHand(nil)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		game    engine.Game
		teacher string
		share   float64
		games   int
	}{
		"probabilities":    {kuhn.Game{}, "equilibrium(0.2)", 1, 100},
		"forced decisions": {hand, "heuristic", 1, 20},
		"a quarter":        {leducGame(t), "caller", 0.25, 2000},
	} {
		t.Run(name, func(t *testing.T) {
			c := DefaultConfig()
			c.PPO.Teacher, c.PPO.TeacherShare = test.teacher, test.share
			layout := testLayout(t, test.game, nn.Description{LSTM: []int{4}}) // has memory, so forced decisions are rows as well
			n, err := nn.NewNetwork(layout, layout.Init(1))
			require.NoError(t, err)
			tr, err := newPPO(c.PPO, setup{c, []engine.Game{test.game}, n, 1, 1, nil})
			require.NoError(t, err)
			in := &recording{newRollout(test.game.Spec()), tr.newRecorder()}
			again := &recording{newRollout(test.game.Spec()), tr.newRecorder()}
			playRandomly(t, test.game, in, test.games, 1)
			playRandomly(t, test.game, again, test.games, 1)
			r := in.rollout
			require.Equal(t, r.teacherTargets, again.rollout.teacherTargets)
			require.Len(t, r.teacherTargets, len(r.legal))
			asked, choices := 0, 0
			for i := range r.len() {
				start, end := r.legalRange(i)
				sum := float32(0)
				for _, p := range r.teacherTargets[start:end] {
					sum += p
				}
				if r.spans[i] > 0 {
					choices++
				} else {
					require.Zero(t, sum, "a forced decision")
				}
				if sum > 0 {
					require.InDelta(t, 1, sum, 1e-6)
					asked++
				}
			}
			require.InDelta(t, test.share, float64(asked)/float64(choices), 0.02)
		})
	}
}

func TestTeacherIsABotOfTheGame(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Teacher = "equilibrum(0.2)"
	_, err := New(o)
	require.ErrorContains(t, err, `ppo.teacher: unknown kuhn bot "equilibrum(0.2)" (did you mean equilibrium?)`)
}

func TestTeacherLosesWeight(t *testing.T) {
	c := &PPOConfig{TeacherCoefficient: 2, TeacherUntil: 0.5}
	require.InDeltaSlice(t, []float64{2, 1, 0, 0}, []float64{c.weight(0), c.weight(0.25), c.weight(0.5), c.weight(1)}, 1e-12)
	c.TeacherUntil = 0
	require.Zero(t, c.weight(0))
}
