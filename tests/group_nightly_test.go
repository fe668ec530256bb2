//go:build (nightly || long) && unix

package tests

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/learner"
)

// TestLearnersOfAGroup has learners on hosts of their own join another one. One is killed, one is frozen and comes
// back, and the leader itself is killed and begins again: the training continues, and every game is accounted for.
func TestLearnersOfAGroup(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "evening")
	c.broker()
	// Minibatches that take long for few weights: what is exchanged hardly counts on a busy machine.
	settings := append(append([]string{"leduc"}, quick[2:]...), "--set", "network.dense=[64, 64]", "--set",
		"network.lstm=[]", "--set", "learner.ppo.samples=16384", "--set", "learner.ppo.minibatch=16384")
	leader := c.role("learner", settings...)
	c.role("actor", "--actors", "1").hurry()
	leader.hurry()
	updates := func() float64 { return leader.value("croupier_learner_updates_total") }
	goesOn := func() {
		t.Helper()
		before := updates()
		eventually(t, "it learns", func() error { return above(updates(), before+8) })
	}
	goesOn()
	join := func() *role {
		p := startRole(t, "learner", "--join", "--nats", c.nats, "--run", "elsewhere/evening")
		eventually(t, "it computes", func() error {
			return above(p.value("croupier_learner_peer_computing_seconds_total"), 1e-6)
		})
		return p
	}
	killed, frozen := join(), join()
	goesOn()
	require.NoError(t, frozen.cmd.Process.Signal(syscall.SIGSTOP))
	killed.kill()
	goesOn()
	require.NoError(t, frozen.cmd.Process.Signal(syscall.SIGCONT))
	computed := frozen.value("croupier_learner_peer_computing_seconds_total")
	eventually(t, "it computes again", func() error {
		return above(frozen.value("croupier_learner_peer_computing_seconds_total"), computed+1e-6)
	})

	leader.kill()
	leader = c.role("learner")
	leader.hurry()
	goesOn()
	computed = frozen.value("croupier_learner_peer_computing_seconds_total")
	eventually(t, "it computes for the next leader", func() error {
		return above(frozen.value("croupier_learner_peer_computing_seconds_total"), computed+1e-6)
	})
	leader.stop()
	frozen.stop()
	ledgers, err := learner.ReadLedgers(c.run)
	require.NoError(t, err)
	var account learner.Account
	for _, l := range append(ledgers.Ledgers, ledgers.Merged.GetSum()) {
		account.Add(l)
	}
	require.Positive(t, account.Checkpointed)
	require.Equal(t, account.Produced,
		account.Checkpointed+account.InFlight+account.Stale+account.Refused+account.Lost, "%+v", account)
}
