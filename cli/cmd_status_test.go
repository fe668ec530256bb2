package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/cluster"
	"croupier/learner"
	"croupier/messages"
)

// overview runs `croupier status --json`.
func overview(t *testing.T, dir string) (o cluster.Overview) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "status", "--run", dir, "--json")), &o))
	requireBalance(t, &o)
	return o
}

// requireBalance requires that the games of a run add up.
func requireBalance(t *testing.T, o *cluster.Overview) {
	t.Helper()
	l := o.Ledger
	require.Equal(t, l.Produced, l.Checkpointed+l.InFlight+l.Stale+l.Refused+l.Lost)
	require.Equal(t, l.Received, l.Checkpointed+l.InFlight)
	require.LessOrEqual(t, l.Checkpointed, l.Trained)
	require.LessOrEqual(t, l.Trained, l.Received)
}

// The status of a run that is over is in its directory.
func TestStatusOfADirectory(t *testing.T) {
	dir := trained(t)
	o := overview(t, dir)
	require.Equal(t, cluster.FromDirectory, o.Source)
	require.Equal(t, "kuhn", o.Game)
	require.Equal(t, "ended", o.State)
	require.NotZero(t, o.Members)
	require.NotZero(t, o.Version)
	require.GreaterOrEqual(t, o.Ledger.Received, uint64(40000), "of the last batches, a part may not have been trained on")
	require.Greater(t, o.Ledger.Checkpointed, uint64(30000))
	require.Equal(t, lostBefore(t, dir, false), o.Ledger.Lost, "nothing is lost by an end in order")
	totals, err := learner.ReadTotals(dir)
	require.NoError(t, err)
	require.Equal(t, totals.Games, o.Ledger.Trained, "as in the list of runs")
	require.Empty(t, o.Problems)
	require.Contains(t, succeed(t, "", "status", "--run", dir), "kuhn, ended; what follows is in the directory")
	require.Contains(t, refused(t, 1, "status", "--run", filepath.Join(dir, "nothing")), "nothing")
}

// Why there is no curve of exploitability, and that a version is held back by what it can lose, is in the status.
func TestStatusSaysWhatIsKnownOfLosses(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, printOverview(&text, &cluster.Overview{Run: "night", Game: "bank", Best: "main@8",
		NoExploitability: "it is computed in games for two, and bank has 3 seats",
		HeldBack: &messages.HeldBack{Agent: "main@9", Over: "main@8", Exploitability: 0.375,
			ExploitabilityOfBest: 0.244}}))
	require.Contains(t, text.String(),
		"\nthere is no curve of exploitability: it is computed in games for two, and bank has 3 seats\n")
	require.Contains(t, text.String(),
		"\nmain@9 beats main@8 but does not become best: an opponent that knows it wins 0.375 a game, "+
			"of main@8 only 0.244\n")
}

// The status of a run that is running is asked at its broker; when it was killed, what was in flight is lost.
func TestStatusOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night")
	training := process(t, trainArgs("kuhn", "--run", dir, "-q")...)
	var o cluster.Overview
	require.Eventually(t, func() bool { // on a busy machine a heartbeat may be missing for a moment
		status, out, _ := croupier("", "status", "--run", dir, "--json")
		o = cluster.Overview{}
		if status != 0 || json.Unmarshal([]byte(out), &o) != nil {
			return false
		}
		roles := map[string]bool{}
		for _, r := range o.Roles {
			roles[r.Role] = true
		}
		return o.Source == cluster.FromBroker && o.Ledger.Checkpointed > 0 && len(o.Problems) == 0 && maps.Equal(roles,
			map[string]bool{"actor": true, "broker": true, "league": true, "learner": true})
	}, patience, 100*time.Millisecond)
	requireBalance(t, &o)
	require.Equal(t, "running", o.State)
	require.Len(t, o.Actors, 1)
	require.Equal(t, o.Ledger.Received, o.Actors[0].Consumed)
	leases := map[string]bool{}
	for _, l := range o.Leases {
		leases[l.Role] = l.Holder.PID == training.Process.Pid
	}
	require.Equal(t, map[string]bool{"league": true, "learner": true}, leases)
	require.Contains(t, succeed(t, "", "status", "--run", dir), "night: kuhn, running")

	require.NoError(t, training.Process.Kill())
	training.Wait()
	o = overview(t, dir)
	require.Equal(t, "interrupted", o.State)
	require.Zero(t, o.Ledger.InFlight)
	require.Equal(t, lostBefore(t, dir, true), o.Ledger.Lost, "what the checkpoint has in flight")
}

// lostBefore sums what the newest checkpoint has as lost, and with inFlight what it has not learnt from.
func lostBefore(t *testing.T, dir string, inFlight bool) uint64 {
	t.Helper()
	ledgers, err := learner.ReadLedgers(dir)
	require.NoError(t, err)
	var all learner.Account
	if sum := ledgers.GetMerged().GetSum(); sum != nil {
		all.Add(sum)
	}
	for _, l := range ledgers.GetLedgers() {
		all.Add(l)
	}
	if !inFlight {
		return all.Lost
	}
	totals, err := learner.ReadTotals(dir)
	require.NoError(t, err)
	return all.Lost + all.Received - min(totals.Games, all.Received)
}
