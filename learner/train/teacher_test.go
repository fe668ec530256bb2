package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/tysiac"
	"croupier/nn"
)

// taughtKuhn is a small PPO that is taught Kuhn poker by the equilibrium in which a jack bluffs with probability 0.2.
func taughtKuhn(t *testing.T) (trial, *ppo) {
	t.Helper()
	o := kuhnTrial(t)
	c := &o.Config.PPO
	c.Teacher, c.TeacherCoefficient, c.Minibatch, c.EntropyStart = "equilibrium(0.2)", 50, 512, 0
	o.Config.LearningRateStart = 5e-3
	return o, o.ppo(t, 2)
}

// TestPolicyBecomesItsTeacher, with a weight next to which what the games bring counts little.
func TestPolicyBecomesItsTeacher(t *testing.T) {
	o, tr := taughtKuhn(t)
	require.Greater(t, exploitability(t, tr.Network), 0.2)
	in := recordingOf(o.Game, tr)
	var loss float64
	for i := range 60 {
		in.Reset()
		playRandomly(t, o.Game, in, 300, uint64(i))
		rep, err := tr.Learn(t.Context(), in.Rollout, 0)
		require.NoError(t, err)
		last := rep.Readings[len(rep.Readings)-1]
		require.Equal(t, "teacher_loss", last.Series)
		loss = last.Value
	}
	require.Less(t, exploitability(t, tr.Network), 0.02)
	require.Less(t, loss, 0.4, "what is left is the teacher's own entropy")

	// Its weight is at an end: it is no longer asked, and other answers count for nothing.
	_, err := tr.Learn(t.Context(), in.Rollout, o.Config.PPO.TeacherUntil)
	require.NoError(t, err)
	in.Reset()
	playRandomly(t, o.Game, in, 20, 1)
	require.Empty(t, in.Decisions.TeacherTargets)
	rep, err := tr.Learn(t.Context(), in.Rollout, 0.9)
	require.NoError(t, err)
	require.Zero(t, rep.Readings[len(rep.Readings)-1].Value)
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
			// has memory, so forced decisions are rows as well
			layout := testLayout(t, test.game, nn.Description{LSTM: []int{4}})
			n, err := nn.NewNetwork(layout, layout.Init(1))
			require.NoError(t, err)
			tr, err := newPPO(c.PPO, Setup{c, []engine.Game{test.game}, n, 1, 1, nil, 0, nil})
			require.NoError(t, err)
			in := recordingOf(test.game, tr)
			again := recordingOf(test.game, tr)
			playRandomly(t, test.game, in, test.games, 1)
			playRandomly(t, test.game, again, test.games, 1)
			r := in.Rollout
			require.Equal(t, r.TeacherTargets, again.Rollout.TeacherTargets)
			require.Len(t, r.TeacherTargets, len(r.Legal))
			asked, choices := 0, 0
			for i := range r.Len() {
				start, end := r.LegalRange(i)
				sum := float32(0)
				for _, p := range r.TeacherTargets[start:end] {
					sum += p
				}
				if r.Spans[i] > 0 {
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

func TestTeacherLosesWeight(t *testing.T) {
	c := &PPOConfig{TeacherCoefficient: 2, TeacherUntil: 0.5}
	require.InDeltaSlice(t, []float64{2, 1, 0, 0}, []float64{c.weight(0), c.weight(0.25), c.weight(0.5), c.weight(1)},
		1e-12)
	c.TeacherUntil = 0
	require.Zero(t, c.weight(0))
}
