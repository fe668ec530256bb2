package rundir_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/check"
	"croupier/internal/check/checktest"
	"croupier/internal/rundir"
)

const damaged = "its checksum is not that of its content: it is damaged, or was changed by hand"

// evening are the files of a run that has a configuration and was at work.
func evening(t *testing.T) checktest.Files {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "evening")
	claim, err := rundir.Take(dir)
	require.NoError(t, err)
	info := rundir.Info{ID: "evening", Game: "pig", Seed: 1, Created: time.Unix(7, 0).UTC(), Version: "v"}
	require.NoError(t, claim.Create(info, []byte("seed: 1\n"), nil))
	require.NoError(t, rundir.Begin(dir))
	require.NoError(t, rundir.Relabel(dir, became(rundir.Label{Name: "lower rate", Note: "why"})))
	claim.Release()
	return checktest.Of(t, dir)
}

// Each bit of what a run says of itself counts.
func TestDamagedIdentityIsFound(t *testing.T) {
	files := evening(t)
	identity := check.Part{Patterns: rundir.IdentityFiles, Check: func(c *check.Check) { rundir.CheckIdentity(c) }}
	require.Empty(t, checktest.Found(t, identity, files))
	for _, name := range rundir.IdentityFiles {
		require.Contains(t, files, name)
		for i := range files[name] {
			data := bytes.Clone(files[name])
			data[i] ^= 1 << (i % 8)
			faults := checktest.Found(t, identity, files.With(name, data))
			require.NotEmpty(t, faults, "%s, byte %d", name, i)
			require.Equal(t, name, faults[0].File, "byte %d", i)
		}
		faults := checktest.Found(t, identity, files.With(name, nil))
		require.NotEmpty(t, faults, name)
		require.Equal(t, check.Fault{File: name, What: "input/output error"}, faults[0])
	}
	// A configuration whose copy is damaged too cannot be compared with what it was.
	both := files.With(rundir.ConfigFile, []byte("seed: 2\n")).With(rundir.ConfigCopy, []byte("seed: 1\n"))
	require.Equal(t, check.Fault{File: rundir.ConfigCopy, What: damaged}, checktest.Found(t, identity, both)[0])
}

func TestFilesOfAnotherRunAreFound(t *testing.T) {
	for run, want := range map[string][]check.Fault{
		"evening": nil,
		"morning": {{File: "ladder.json", What: "it is of another run"}},
	} {
		part := check.Part{Check: func(c *check.Check) { rundir.CheckOwner(c, "ladder.json", run) }}
		require.Equal(t, want, checktest.Found(t, part, evening(t)))
		require.Empty(t, checktest.Found(t, part, checktest.Files{}), "nothing says which run it is of")
	}
}

// What ends with the process that wrote it is neither checked nor copied; everything else is.
func TestPassingFiles(t *testing.T) {
	for name, passes := range map[string]bool{
		rundir.BrokerFolder + "/jetstream/x/y": true, "learner.lock": true, "agents/hunter.lock": true, rundir.KeyFile: true,
		".run.json-1.tmp": true, "population/.main@1.tmp": true, "members.jsonl.damaged-1": true,
		rundir.ConfigFile: false, "notes.txt": false, "checkpoints/1.safetensors": false,
	} {
		reason, is := rundir.Passing(name)
		require.Equal(t, passes, is, name)
		require.Equal(t, passes, reason != "", name)
	}
}

// The key of a run depends on everything with which it was made, and only on that.
func TestKeysOfRuns(t *testing.T) {
	info := rundir.Info{ID: "evening", Game: "pig", Seed: 1, Created: time.Unix(7, 0)}
	key := info.Key()
	require.Regexp(t, "^evening-[0-9a-f]{8}$", key)
	info.Version = "of another program"
	require.Equal(t, key, info.Key())
	for name, other := range map[string]rundir.Info{
		"game":  {ID: "evening", Game: "bank", Seed: 1, Created: info.Created},
		"seed":  {ID: "evening", Game: "pig", Created: info.Created},
		"time":  {ID: "evening", Game: "pig", Seed: 1, Created: info.Created.Add(1)},
		"order": {ID: "evening", Game: "pig", Seed: 1, Created: info.Created, Order: 1},
		"kind":  {ID: "evening", Game: "pig", Seed: 1, Created: info.Created, Kind: rundir.Tournament},
	} {
		require.NotEqual(t, key, other.Key(), name)
	}
}

func TestPlacesBelowARun(t *testing.T) {
	require.Equal(t, filepath.Join("population", "main@12.safetensors"), rundir.VersionFile("main@12"))
	require.Equal(t, "evening", rundir.AgentDir("evening", ""))
	require.Equal(t, filepath.Join("evening", "agents", "hunter"), rundir.AgentDir("evening", "hunter"))
	require.Regexp(t, `^runs.pig-\d{8}-\d{6}(-\d+)?$`, rundir.Fresh("pig"))
}

// Files that are only appended to are not shorter than at the end of the session.
func TestFilesThatWereCutAreFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evening")
	claim, err := rundir.Take(dir)
	require.NoError(t, err)
	require.NoError(t, claim.Create(rundir.Info{ID: "evening", Game: "pig", Version: "v"}, []byte("seed: 1\n"), nil))
	defer claim.Release()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "games"), 0o700))
	for _, name := range []string{"curves", "games/1", "games/2"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("one\ntwo\n"), 0o600))
	}
	require.NoError(t, rundir.Begin(dir))
	require.NoError(t, rundir.End(dir, "", "curves", "games/*", "none"))
	sizes := check.Part{Check: rundir.CheckSizes}
	files := checktest.Of(t, dir)
	require.Empty(t, checktest.Found(t, sizes, files))
	require.Empty(t, checktest.Found(t, sizes, files.With("curves", []byte("one\ntwo\nthree\n"))), "it may grow")
	for name, cut := range map[string]string{"curves": "one\n", "games/2": ""} {
		want := fmt.Sprintf("it has %d bytes and had 8 when the run ended", len(cut))
		require.Equal(t, []check.Fault{{File: name, What: want}},
			checktest.Found(t, sizes, files.With(name, []byte(cut))))
	}
	delete(files, "games/1")
	require.Empty(t, checktest.Found(t, sizes, files), "a run keeps a bounded number of games")
	delete(files, "curves")
	require.Equal(t, []check.Fault{{File: "curves", What: "there is no such file"}},
		checktest.Found(t, sizes, files))
	require.NoError(t, rundir.Begin(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "curves"), nil, 0o600))
	require.Empty(t, checktest.Found(t, sizes, checktest.Of(t, dir)), "the next session may write it again")
	require.Error(t, rundir.End(dir, "", "["))
}
