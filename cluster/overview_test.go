package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/learner"
	"croupier/messages"
	"croupier/messages/presence"
)

// What was in flight when the learner was killed is lost, and what only those weights had learnt from with it.
func TestFallenLedger(t *testing.T) {
	l := fallen(&messages.Ledger{Consumed: 70, Trained: 60, Checkpointed: 50, Lost: 3})
	require.EqualValues(t, 23, l.Lost)
	require.EqualValues(t, 50, l.Consumed)
	require.EqualValues(t, 50, l.Trained)
	require.EqualValues(t, 50, l.Checkpointed)
}

// A run that ended in order has lost nothing by that; one that was interrupted has lost what it had not learnt from.
func TestAccountAsARunIsLeft(t *testing.T) {
	a := learner.Account{Produced: 110, Received: 100, Trained: 90, Checkpointed: 90, InFlight: 10, Stale: 7, Lost: 3}
	require.Equal(t, learner.Account{Produced: 110, Received: 100, Trained: 92, Checkpointed: 92, InFlight: 8, Stale: 7,
		Lost: 3},
		a.AsLeft(92, true))
	require.Equal(t, learner.Account{Produced: 110, Received: 92, Trained: 92, Checkpointed: 92, Stale: 7, Lost: 11},
		a.AsLeft(92, false))
	require.Equal(t, learner.Account{Produced: 113, Received: 103, Trained: 103, Checkpointed: 103, Stale: 7, Lost: 3},
		a.AsLeft(103, true), "the first games of a batch that is not booked yet")
}

// The status of a directory has what its ladder says of what versions can lose.
func TestLossesOfADirectory(t *testing.T) {
	ladder := &messages.Ladder{
		Game: "kuhn", NoExploitability: "the tree of kuhn has more than 10 nodes",
		HeldBack: &messages.HeldBack{Agent: "main@9", Over: "main@8", Exploitability: 0.375, ExploitabilityOfBest: 0.244},
	}
	o := newOverview("evening")
	o.takeLadder(nil)
	require.Nil(t, o.HeldBack)
	o.takeLadder(ladder)
	require.Equal(t, ladder.HeldBack, o.HeldBack)
	require.Equal(t, ladder.NoExploitability, o.NoExploitability)
}

// An agent that waits in vain for training games is named, one that is at work or has just begun to wait is not.
func TestProblemsNameAnAgentWithoutGames(t *testing.T) {
	learner := func(agent string, waited float64) presence.Heartbeat {
		return presence.Heartbeat{Role: messages.LearnerRole, Agent: agent,
			Values: map[string]float64{messages.WithoutGames: waited}}
	}
	o := newOverview("evening")
	o.Roles = []presence.Heartbeat{
		{Role: messages.ActorRole}, {Role: messages.LeagueRole}, learner("main", 0), learner("scout", 59),
		learner("hunter", 112.4),
	}
	o.findProblems()
	require.Equal(t, []string{"agent hunter waits and has had no training games for 1m52s"}, o.Problems)
}
