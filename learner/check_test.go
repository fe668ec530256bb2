package learner

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/check/checktest"
	"croupier/internal/rundir"
	"croupier/messages"
)

// kept has two checkpoints of the main agent and one of another, and returns the files of the run.
func kept(t *testing.T) (dir string, files checktest.Files) {
	t.Helper()
	o := testOptions(t)
	c := testCheckpoints(t, o)
	require.NoError(t, c.save(testSnapshot(c, 1)))
	s := testSnapshot(c, 2)
	s.Ledgers = &messages.Ledgers{Ledgers: []*messages.Ledger{{Actor: "anna-1-0", Consumed: 7, Checkpointed: 5}}}
	require.NoError(t, c.save(s))
	require.NoError(t, c.leave(&unlearnt{Run: c.run, Version: 2, Batches: []leftBatch{{Batch: []byte("games")}}}))
	files = checktest.Of(t, o.Dir)
	hunter := path.Join(rundir.AgentsFolder, "hunter", checkpointFolder)
	for _, name := range []string{manifestName, "000000000002.safetensors"} {
		data := files[path.Join(checkpointFolder, name)]
		require.NotEmpty(t, data, name)
		files[path.Join(hunter, name)] = data
	}
	files[path.Join(hunter, "000000000001.safetensors")] = files[path.Join(checkpointFolder, "000000000001.safetensors")]
	return o.Dir, files
}

// Each byte of the checkpoints of every agent counts.
func TestDamagedCheckpointsAreFound(t *testing.T) {
	_, files := kept(t)
	require.Empty(t, checktest.Found(t, Part, files))
	for name, data := range files {
		require.True(t, Part.Has(name), name)
		step := max(1, len(data)/20)
		for i := 0; i < len(data); i += step {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << (i % 8)
			faults := checktest.Found(t, Part, files.With(name, damaged))
			require.NotEmpty(t, faults, "%s, byte %d", name, i)
			require.Equal(t, name, faults[0].File)
		}
		require.NotEmpty(t, checktest.Found(t, Part, files.With(name, nil)), name)
	}
	require.Empty(t, checktest.Found(t, Part, checktest.Files{"run.json": nil}), "a run without checkpoints has none")
}

// A checkpoint that no manifest lists is read as well, and one that is listed must be as trained as the manifest says.
func TestCheckpointsAndManifestAreCompared(t *testing.T) {
	_, files := kept(t)
	one := path.Join(checkpointFolder, "000000000001.safetensors")
	two := path.Join(checkpointFolder, "000000000002.safetensors")
	require.Contains(t, files, one)
	require.Equal(t, []check.Fault{{File: one, What: "its SHA-256 is not that of the manifest"}},
		checktest.Found(t, Part, files.With(one, files[two])))
	left := path.Join(checkpointFolder, "000000000009.safetensors")
	require.Empty(t, checktest.Found(t, Part, files.With(left, files[two])))
	require.NotEmpty(t, checktest.Found(t, Part, files.With(left, []byte("half a file"))))
}

func TestTotalsAreThoseOfTheNewestCheckpoint(t *testing.T) {
	dir, _ := kept(t)
	totals, err := ReadTotals(dir)
	require.NoError(t, err)
	require.Equal(t, Totals{Version: 2, Updates: 20, Samples: 200, Games: 100, Trained: 1500 * time.Millisecond}, totals)
	_, err = ReadTotals(filepath.Join(dir, "nowhere"))
	require.ErrorIs(t, err, fs.ErrNotExist)

	saved, err := ReadLedgers(dir)
	require.NoError(t, err)
	var a Account
	for _, l := range saved.GetLedgers() {
		a.Add(l)
	}
	require.Equal(t, Account{Received: 7, Checkpointed: 5, InFlight: 2}, a)
	a.Merge(Account{Produced: 9, Received: 1, Trained: 1, Stale: 8})
	require.Equal(t, Account{Produced: 9, Received: 8, Trained: 1, Checkpointed: 5, InFlight: 2, Stale: 8}, a)
	_, err = ReadLedgers(filepath.Join(dir, "nowhere"))
	require.True(t, errors.Is(err, fs.ErrNotExist))
}
