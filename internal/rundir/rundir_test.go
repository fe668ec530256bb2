package rundir

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// create makes a run that no process works at.
func create(path string, info Info) error {
	c, err := Take(path)
	if err != nil {
		return err
	}
	return c.Create(info, nil, nil)
}

func TestCreateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bank")
	want := Info{ID: "bank", Game: "bank", Seed: 1<<63 + 1, Created: time.Unix(7, 0).UTC(), Version: "v"}
	err := create(path, want)
	require.NoError(t, err)
	got, err := ReadInfo(path)
	require.NoError(t, err)
	want.Order = 1
	require.Equal(t, want, got)
	err = create(path, want)
	require.ErrorContains(t, err, "--resume")
}

func TestFresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuhn-20260102-030405")
	for _, want := range []string{path, path + "-2", path + "-3"} {
		require.Equal(t, want, fresh(path), "the clock was set back to the same second")
		require.NoError(t, os.Mkdir(want, 0o755))
	}
}

func TestReadInfoErrors(t *testing.T) {
	path := t.TempDir()
	_, err := ReadInfo(path)
	require.ErrorIs(t, err, ErrNoRun)
	require.NoError(t, os.WriteFile(filepath.Join(path, "run.json"), []byte("{"), 0o644))
	_, err = ReadInfo(path)
	require.ErrorContains(t, err, "run.json")
	err = create(path, Info{})
	require.ErrorContains(t, err, "run.json", "a damaged run is not overwritten")
}

func TestNewest(t *testing.T) {
	parent := t.TempDir()
	_, err := Newest(parent)
	require.ErrorContains(t, err, "--run")
	for _, name := range []string{"b", "a", "c"} {
		err := create(filepath.Join(parent, name), Info{})
		require.NoError(t, err)
	}
	newest, err := Newest(parent)
	require.NoError(t, err)
	require.Equal(t, "c", filepath.Base(newest))
}

// The clock jumps: what was made last is the newest whatever it says, also next to runs of a version that did
// not count, and a copy is not newer than its original.
func TestNewestThroughClockJumps(t *testing.T) {
	parent := t.TempDir()
	add := func(name string, created int64) {
		err := create(filepath.Join(parent, name), Info{ID: name, Created: time.Unix(created, 0)})
		require.NoError(t, err)
		newest, err := Newest(parent)
		require.NoError(t, err)
		require.Equal(t, name, filepath.Base(newest))
	}
	old := filepath.Join(parent, "old")
	require.NoError(t, os.Mkdir(old, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(old, "run.json"),
		[]byte(`{"id": "old", "created": "2040-01-01T00:00:00Z"}`), 0o600))
	add("b", 1e9)
	add("a", 1e8)
	add("c", 2e9)
	add("d", 0)
	doc, err := os.ReadFile(filepath.Join(parent, "d", "run.json"))
	require.NoError(t, err)
	for _, name := range []string{"a-copy", "z-copy"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(parent, name, "run.json"), doc, 0o600))
	}
	newest, err := Newest(parent)
	require.NoError(t, err)
	require.Equal(t, "d", filepath.Base(newest), "the original")
	list, err := List(parent, func(_ string, info Info) bool { return info.ID != "b" })
	require.NoError(t, err)
	require.Equal(t, "old", filepath.Base(list[0]))
	require.Len(t, list, 6)
}

func TestSweep(t *testing.T) {
	path := t.TempDir()
	kept, gone := filepath.Join(path, ".ladder.json.7.tmp"), filepath.Join(path, "checkpoints", ".manifest.json.12.tmp")
	require.NoError(t, os.Mkdir(filepath.Dir(gone), 0o755))
	for _, file := range []string{kept, gone} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	require.NoError(t, Sweep(path, "learner"))
	require.NoFileExists(t, gone)
	require.FileExists(t, kept, "the league's, which may be writing it")
	require.NoError(t, Sweep(path, "league"))
	require.NoFileExists(t, kept)
}

func TestLockIsPerRole(t *testing.T) {
	path := t.TempDir()
	learner, err := Lock(path, "learner")
	require.NoError(t, err)
	league, err := Lock(path, "league")
	require.NoError(t, err)
	defer league.Close()
	_, err = Lock(path, "learner")
	require.ErrorContains(t, err, "is in use: another process is its learner")
	require.NoError(t, learner.Close())
	again, err := Lock(path, "learner")
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

// A pipe in the place of a lock keeps no process waiting, neither one that wants the lock nor one that asks for it.
func TestLockThatIsAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes of Windows have no files")
	}
	path := t.TempDir()
	require.NoError(t, exec.Command("mkfifo", filepath.Join(path, "learner.lock")).Run())
	require.False(t, Held(path, "learner"))
	lock, err := Lock(path, "learner")
	require.NoError(t, err)
	require.NoError(t, lock.Close())
}

func TestID(t *testing.T) {
	for path, want := range map[string]string{
		"runs/bank-1": "bank-1", "/x/a.b c": "a-b-c", "runs/_": "_", "runs/Büro": "B-ro",
		"runs/вечер": "run-a6dabeb9", "runs/晚上": "run-a9b1124b", "runs/а-б": "run-3ea3af92", "runs/вечер-2": "--2",
		"runs/" + strings.Repeat("x", 64): strings.Repeat("x", 64),
		"runs/" + strings.Repeat("x", 65): strings.Repeat("x", 55) + "-9537c5fd",
	} {
		id, err := ID(path)
		require.NoError(t, err, path)
		require.Equal(t, want, id, path)
		require.Regexp(t, "^[A-Za-z0-9_-]{1,64}$", id)
	}
	_, err := ID("/")
	require.ErrorContains(t, err, "it has no name")
}

// A sweep that is taken for a run is named in the error.
func TestASweepIsNoRun(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadInfo(dir)
	require.ErrorIs(t, err, ErrNoRun)
	require.EqualError(t, err, "run directory "+dir+" holds no run")
	require.NoError(t, os.WriteFile(filepath.Join(dir, SweepFile), nil, 0o600))
	_, err = ReadInfo(dir)
	require.ErrorIs(t, err, ErrNoRun)
	require.ErrorContains(t, err, "holds no run but a sweep, whose table croupier sweep show prints")
}
