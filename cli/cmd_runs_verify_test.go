package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/backup"
	"croupier/catalog"
	"croupier/games/standard"
)

// unchecked are the files of a run that has ended of which verify says nothing, and why.
var unchecked = map[string]string{
	"nats/": "the broker's store, which has checksums of its own and is made again from the other files",
	".lock": "a lock, which is empty",
}

// checkedFiles returns the files of a run directory that verify has to check.
func checkedFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			name, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			name = filepath.ToSlash(name)
			if !strings.HasPrefix(name, "nats/") && !strings.HasSuffix(name, ".lock") {
				names = append(names, name)
			}
		}
		return err
	}))
	return names
}

// faultyFiles returns the files of which verify says that something is wrong.
func faultyFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	r, err := backup.Verify(t.Context(), standard.Games, dir)
	require.NoError(t, err)
	for _, f := range r.Faults {
		if !slices.Contains(names, f.File) {
			names = append(names, f.File)
		}
	}
	return names
}

// flipAt flips a bit of a file: in part at of its content, which has of parts.
func flipAt(t *testing.T, path string, at, of int) {
	t.Helper()
	data := readFile(t, path)
	i := at * (len(data) - 1) / of
	data[i] ^= 1 << (i % 8)
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// requireFlipsFound flips bits of all files of a run or tournament: verify names them, and no other.
func requireFlipsFound(t *testing.T, dir string) {
	t.Helper()
	files := checkedFiles(t, dir)
	require.Empty(t, faultyFiles(t, dir))
	for _, name := range files { // each alone
		whole := readFile(t, filepath.Join(dir, name))
		flipAt(t, filepath.Join(dir, name), 1, 2)
		require.Equal(t, []string{name}, faultyFiles(t, dir))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), whole, 0o600))
	}
	before := tree(t, dir)
	const places = 13
	for at := range places + 1 { // all, from the first byte to the last
		for _, name := range files {
			flipAt(t, filepath.Join(dir, name), at, places)
		}
		require.ElementsMatch(t, files, faultyFiles(t, dir), "%d of %d", at, places)
		for path, content := range before {
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		}
	}
}

// requireCutsFound empties each file of a run or tournament, and ends it before its last line: verify names it.
func requireCutsFound(t *testing.T, dir string) {
	t.Helper()
	for _, name := range checkedFiles(t, dir) {
		path := filepath.Join(dir, name)
		whole := readFile(t, path)
		cuts := [][]byte{nil}
		last := bytes.LastIndexByte(bytes.TrimSuffix(whole, []byte("\n")), '\n')
		if last >= 0 && name != "config.yaml" { // whose last line is its checksum, and whose settings have a copy
			cuts = append(cuts, whole[:last+1])
		}
		for _, cut := range cuts {
			require.NoError(t, os.WriteFile(path, cut, 0o600))
			require.Contains(t, faultyFiles(t, dir), name, "%d of %d bytes", len(cut), len(whole))
		}
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	}
}

// A file that ends at a line is intact line by line. How many there were is known from elsewhere.
func TestVerifyFindsFilesThatWereCut(t *testing.T) {
	dir := trained(t)
	require.Contains(t, checkedFiles(t, dir), "promotions.jsonl")
	requireCutsFound(t, dir)
	cup := filepath.Join(t.TempDir(), "cup")
	status, _, stderr := croupier("", "arena", "random", "always-bet", "--game", "kuhn", "--games", "100", "--out", cup)
	require.Zero(t, status, stderr)
	requireCutsFound(t, cup)
}

// A file that is gone is as bad as one that is damaged, unless the run removes files of its kind itself.
func TestVerifyFindsFilesThatAreGone(t *testing.T) {
	dir := trained(t)
	for _, name := range checkedFiles(t, dir) {
		if name == "session.json" || strings.HasPrefix(name, "archive/") || strings.HasPrefix(name, "actors/") ||
			name == "checkpoints/unlearnt.json" {
			continue // a sample, journals of actors that come and go, games that count as lost then, and what says
			// which files there were
		}
		path := filepath.Join(dir, name)
		whole := readFile(t, path)
		require.NoError(t, os.Remove(path))
		require.Contains(t, faultyFiles(t, dir), name)
		require.NoError(t, os.WriteFile(path, whole, 0o600))
	}
}

// A run that was killed has no list of its files. Its ladder says that there were promotions.
func TestVerifyMissesPromotionsOfARunThatWasKilled(t *testing.T) {
	dir := trained(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "session.json")))
	require.Empty(t, faultyFiles(t, dir))
	require.NoError(t, os.Remove(filepath.Join(dir, "promotions.jsonl")))
	require.Equal(t, []string{"promotions.jsonl"}, faultyFiles(t, dir))
}

// A run of a game that is not known here is checked but for the values of its settings, and has no fault.
func TestVerifyReadsRunsOfGamesThatAreNotKnown(t *testing.T) {
	dir, others := trained(t), catalog.New(catalog.Game{Name: "pig", New: standard.Games.Games()[0].New})
	r, err := backup.Verify(t.Context(), others, dir)
	require.NoError(t, err)
	require.Empty(t, r.Faults)
	require.Len(t, r.Partly, 1)
	require.Equal(t, "config.yaml", r.Partly[0].File)
	require.Contains(t, r.Partly[0].What, `unknown game "kuhn"`)
	flipAt(t, filepath.Join(dir, "config.yaml"), 1, 2)
	r, err = backup.Verify(t.Context(), others, dir)
	require.NoError(t, err)
	require.Equal(t, "config.yaml", r.Faults[0].File)
}

func TestVerifyFindsFlippedBitsOfARun(t *testing.T) {
	t.Parallel()
	dir := trained(t)
	for _, kind := range []string{
		"actors/", "archive/", "checkpoints/", "checkpoints/manifest.json", "config.yaml", "config-copy.yaml", "curves.jsonl",
		"ladder.json", "league.json", "league-copy.json", "population/", "population/members.jsonl", "promotions.jsonl",
		"results.log",
		"run.json", "session.json",
	} {
		is := func(name string) bool { return strings.HasPrefix(name, kind) }
		require.True(t, slices.ContainsFunc(checkedFiles(t, dir), is), "the run has no %s", kind)
	}
	requireFlipsFound(t, dir)
}

func TestVerifyFindsFlippedBitsOfATournament(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cup")
	status, _, stderr := croupier("", "arena", "random", "always-bet", "--game", "kuhn", "--games", "100", "--out", dir)
	require.Zero(t, status, stderr)
	require.Contains(t, checkedFiles(t, dir), "tournament.json")
	requireFlipsFound(t, dir)
}

// A changed learning rate or a truncated file is reported with its place.
func TestVerifySaysWhatIsWrongAndWhere(t *testing.T) {
	dir := trained(t)
	status, stdout, stderr := croupier("", "runs", "verify", dir)
	require.Zero(t, status, stderr)
	require.Regexp(t, `^\S+/copy: \d+ files, \d+ bytes and \d+ games read, 0 faults\n$`, stdout)

	var found backup.Result
	status, stdout, _ = croupier("", "runs", "verify", dir, "--json")
	require.Zero(t, status)
	require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	require.Equal(t, len(checkedFiles(t, dir)), found.Files)
	require.Positive(t, found.Games)
	require.Equal(t, []any{"trained", "kuhn", 0, 0}, []any{found.Run, found.Game, len(found.Faults), len(found.Unsealed)})
	for _, u := range found.Unchecked {
		known := false
		for part, reason := range unchecked {
			known = known || strings.Contains(u.File, part) && u.Reason == reason
		}
		require.True(t, known, u)
	}

	replaceIn := func(name, of, into string) {
		text := string(readFile(t, filepath.Join(dir, name)))
		require.Contains(t, text, of)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(text, of, into, 1)), 0o600))
	}
	replaceIn("config.yaml", "learning_rate_start: 0.001", "learning_rate_start: 0.009")
	replaceIn("checkpoints/manifest.json", `"version": `, `"version": 3`)
	replaceIn("promotions.jsonl", `"number":1,`, `"number":6,`)
	log := readFile(t, filepath.Join(dir, "results.log"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results.log"), log[:len(log)-7], 0o600))
	require.NoError(t, os.Remove(filepath.Join(dir, "population", "main@1.safetensors")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	games := filepath.Join(dir, "archive", "training-000001.games")
	require.NoError(t, os.WriteFile(games, append(readFile(t, games), "rest"...), 0o600))

	status, stdout, stderr = croupier("", "runs", "verify", dir)
	require.Equal(t, 1, status)
	require.Regexp(t, `copy: \d+ faults\n$`, stderr)
	for _, want := range []string{
		"config.yaml: it was changed after it was written: learner.learning_rate_start is 0.009 and was 0.001",
		"checkpoints/manifest.json: its checksum is not that of its content",
		"promotions.jsonl: line 1: its checksum is not",
		"results.log: line 1: the journal has ",
		"and has lost 7",
		"population/main@1.safetensors: there is no such file",
		"archive/training-000001.games: byte ",
		": 4 bytes at the end are not a block of games",
		"notes.txt: not read, since it is not a file of a run",
	} {
		require.Contains(t, stdout, want)
	}
}

// A run of version 0.1, which wrote fewer checksums, is read as it is, and continues.
func TestRunsWithoutChecksumsAreReadAndContinue(t *testing.T) {
	dir := trained(t)
	unseal(t, dir)
	var found backup.Result
	status, stdout, stderr := croupier("", "runs", "verify", dir, "--json")
	require.Zero(t, status, stdout+stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	require.Equal(t, []string{"run.json", "session.json", "config.yaml", "checkpoints/manifest.json", "promotions.jsonl",
		"ladder.json"},
		found.Unsealed)
	// Where the run has played that many games before, it writes nothing that needs a game.
	for games := 1000; games <= 64_000 && len(found.Unsealed) > 1; games *= 4 {
		status, _, stderr = croupier("", trainArgs("--resume", "--run", dir, "--games", strconv.Itoa(games))...)
		require.Zero(t, status, stderr)
		status, stdout, _ = croupier("", "runs", "verify", dir, "--json")
		require.Zero(t, status, stdout)
		found = backup.Result{}
		require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	}
	require.Equal(t, []string{"run.json"}, found.Unsealed, "it never changes")
}

func TestSettingsChangedByHandAreSaidAloud(t *testing.T) {
	dir := trained(t)
	path := filepath.Join(dir, "config.yaml")
	text := strings.Replace(string(readFile(t, path)), "learning_rate_start: 0.001", "learning_rate_start: 0.002", 1)
	before := text[:strings.LastIndex(text, "# crc32c")]
	require.NoError(t, os.WriteFile(path, []byte(before+"# changed by hand\n"), 0o600))
	status, _, stderr := croupier("", trainArgs("--resume", "--run", dir, "--games", "1000")...)
	require.Zero(t, status, stderr)
	require.Contains(t, stderr, "settings are not as they were written: they were changed by hand")
	require.Contains(t, stderr, "learner.learning_rate_start is 0.002 and was 0.001")
	require.Contains(t, string(readFile(t, path)), "learning_rate_start: 0.002")
	require.Equal(t, string(readFile(t, path)), string(readFile(t, filepath.Join(dir, "config-copy.yaml"))))
}

func TestVerifyBackupAndRestoreRefuse(t *testing.T) {
	dir := trained(t)
	parent := filepath.Dir(dir)
	file := filepath.Join(parent, "kept.tar")
	status, stdout, stderr := croupier("", "runs", "backup", dir, "--out", file)
	require.Zero(t, status, stderr)
	require.Regexp(t, `copy written to \S+kept.tar: \d+ files, \d+ bytes and \d+ games, verified.\n$`, stdout)
	require.Contains(t, refused(t, 2, "runs", "backup", dir, "--out", file), "add --force to replace it")
	require.Contains(t, refused(t, 1, "runs", "backup", parent, "--out", filepath.Join(parent, "none")), "holds no run")
	require.Contains(t, refused(t, 1, "runs", "verify", parent), "holds no run")
	require.Contains(t, refused(t, 1, "runs", "verify", filepath.Join(dir, "config.yaml")), "it is not a backup of a run")
	require.Contains(t, refused(t, 1, "runs", "restore", file, "--run", dir), "it exists already")
	before := tree(t, parent)

	again := filepath.Join(parent, "again")
	status, stdout, stderr = croupier("", "runs", "restore", file, "--run", again)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "trained of "+file+" restored to "+again)
	for _, name := range checkedFiles(t, dir) {
		require.Equal(t, readFile(t, filepath.Join(dir, name)), readFile(t, filepath.Join(again, name)), name)
	}
	require.NoError(t, os.RemoveAll(again))

	flipAt(t, file, 1, 2)
	status, stdout, stderr = croupier("", "runs", "restore", file, "--run", again)
	require.Equal(t, 1, status)
	require.NotEmpty(t, stdout+stderr)
	require.NoDirExists(t, again)
	flipAt(t, file, 1, 2)

	flipAt(t, filepath.Join(dir, "curves.jsonl"), 1, 2)
	status, stdout, stderr = croupier("", "runs", "backup", dir, "--out", filepath.Join(parent, "none"))
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "curves.jsonl: line ")
	require.Contains(t, stderr, "1 fault; nothing was written")
	flipAt(t, filepath.Join(dir, "curves.jsonl"), 1, 2)
	require.Equal(t, before, tree(t, parent))
}
