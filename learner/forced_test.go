package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
)

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

// TestForcedDecisionsAreCounted: samples are the decisions with a choice, whatever the algorithm and the network. The
// ledger counts games, whatever was decided in them.
func TestForcedDecisionsAreCounted(t *testing.T) {
	x := playingActor(t, handOptions(t, nn.Description{Dense: []int{8}}), "actor-1", 4).batch(2000)
	for _, d := range []nn.Description{{Dense: []int{8}}, {LSTM: []int{4}}, {Dense: []int{8}, Dueling: true}} {
		o := handOptions(t, d)
		if d.Dueling {
			o.Config.Algorithm = "dqn"
		}
		decisions, choices := countChoices(t, o.Game, x)
		require.Less(t, choices, decisions*95/100, "the game has forced decisions")
		g := testIngestion(t, o, 5)
		deliver(t, o, g, "actor-1", encode(t, x))
		l := readLedger(t, o, "actor-1")
		require.EqualValues(t, len(x.Episodes), l.Consumed)
		require.Equal(t, l.Episodes, l.Consumed+l.Stale+l.Refused+l.Lost)
		require.Equal(t, choices, g.rollout.Size.Samples)
		require.Equal(t, decisions, g.rollout.Size.Decisions)
		require.EqualValues(t, decisions, g.decisions.Load())
	}
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
			before := l.trainer.Published()
			require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
			require.NotSame(t, before, l.trainer.Published(), "no rollback")
			require.EqualValues(t, choices, l.now().Samples)
		})
	}
}
