package cluster

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/league"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// The outcome of the games of all learning agents is one account, and no worker's ledger is taken for another's.
func TestLedgersOfSeveralAgents(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	put := func(key string, m messages.Message) {
		data, err := messages.Encode(m)
		require.NoError(t, err)
		_, err = b.State().Put(t.Context(), key, data)
		require.NoError(t, err)
	}
	ledger := func(worker string, games uint64) *messages.Ledger {
		return &messages.Ledger{Schema: messages.SchemaVersion, Actor: worker, Sequence: 1, Episodes: games, Consumed: games}
	}
	put(messages.LedgerKey("a-1-0", "main"), ledger("a-1-0", 1))
	put(messages.LedgerKey("a-1-1", "hunter"), ledger("a-1-1", 20))
	put(messages.MergedKey("main"), &messages.MergedLedgers{Schema: messages.SchemaVersion, Sum: ledger("", 300)})
	put(messages.MergedKey("hunter"), &messages.MergedLedgers{Schema: messages.SchemaVersion, Sum: ledger("", 4000)})
	put(messages.MergedKey("scout"), &messages.MergedLedgers{Schema: messages.SchemaVersion, Sum: ledger("", 50000)})
	workers, others, err := ledgers(t.Context(), b.State())
	require.NoError(t, err)
	var sum learner.Account
	for _, l := range append(workers, others...) {
		sum.Add(l)
	}
	require.EqualValues(t, 54321, sum.Produced)
	list, err := contributions(t.Context(), b, workers)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.EqualValues(t, 21, list[0].Consumed)

	_, err = b.State().Put(t.Context(), messages.MergedKey("scout"), []byte("x"))
	require.NoError(t, err)
	_, _, err = ledgers(t.Context(), b.State())
	require.ErrorContains(t, err, "account of workers that are gone")
}

func TestCoresByShares(t *testing.T) {
	all := []league.Agent{{Share: 1000}, {Share: 1}, {Share: 1}}
	require.Equal(t, runtime.GOMAXPROCS(0), workersOf(all[0], all))
	require.Equal(t, 1, workersOf(all[1], all))
}

func TestDirectoriesOfAgents(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, []string{dir}, agentDirs(dir))
	hunter := filepath.Join(dir, "agents", "hunter")
	require.Equal(t, hunter, agentDir(dir, "hunter"))
	require.Equal(t, dir, agentDir(dir, "main"))
	require.NoError(t, os.MkdirAll(filepath.Join(hunter, "checkpoints"), 0o755))
	require.Equal(t, []string{dir, hunter}, agentDirs(dir))
}
