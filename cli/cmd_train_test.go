package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/cluster"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/messages"
)

func TestTrainEndsAndResumes(t *testing.T) {
	t.Parallel()
	dir := trained(t)
	first := readManifest(t, dir).newest()
	require.GreaterOrEqual(t, first.Games, uint64(40000))
	require.Positive(t, first.Updates)
	ladder, err := league.ReadLadder(dir)
	require.NoError(t, err)
	points := curvesIn(t, dir, "trained")

	more := strconv.FormatUint(first.Games+40_000, 10)
	status, stdout, stderr := croupier("", trainArgs("kuhn", "--resume", "--run", dir, "--games", more)...)
	require.Equal(t, 0, status, stderr)
	require.Contains(t, stdout, "kuhn: ratings in antes per game")

	second := readManifest(t, dir).newest()
	require.Greater(t, second.Version, first.Version)
	require.Greater(t, second.Updates, first.Updates)
	require.Greater(t, second.Samples, first.Samples)
	require.Greater(t, second.Games, first.Games)
	require.Greater(t, second.Seconds, first.Seconds)
	resumed, err := league.ReadLadder(dir)
	require.NoError(t, err)
	require.Greater(t, len(resumed.Agents), len(ladder.Agents), "no version was frozen")
	before := map[string]uint64{}
	for _, a := range ladder.Agents {
		before[a.Name] = a.Games
	}
	for _, a := range resumed.Agents {
		require.GreaterOrEqual(t, a.Games, before[a.Name], "%s has lost games", a.Name)
	}
	after := curvesIn(t, dir, "trained")
	require.Greater(t, len(after), len(points))
	for i, p := range after {
		if i < len(points) {
			require.Equal(t, points[i].Samples, p.Samples, "the curves of the first part are kept")
		} else if p.Source == "learner" {
			require.Greater(t, p.Samples, first.Samples, "the curves continue")
			require.Greater(t, p.Seconds, first.Seconds)
		}
	}
}

func TestTrainInterruptedSavesAndPrintsPlainLines(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr bytes.Buffer
	done := make(chan int)
	args := trainArgs("kuhn", "--run", dir)
	go func() { done <- installed.run(ctx, args, strings.NewReader(""), &stdout, &stderr) }()
	require.Eventually(t, func() bool {
		ladder, err := league.ReadLadder(dir)
		return err == nil && len(ladder.Agents) > 5
	}, time.Minute, 50*time.Millisecond)
	interrupt()
	require.Equal(t, 0, <-done, stderr.String())
	require.Contains(t, stdout.String(), "Run directory  "+dir+"\n")
	require.NotContains(t, stdout.String(), "\x1b", "control sequences without a terminal")
	require.NotContains(t, stdout.String(), "\r")
	require.Contains(t, stdout.String(), "kuhn: ratings in antes per game")
	saved := readManifest(t, dir).newest()

	more := strconv.FormatUint(saved.Games+1, 10)
	require.Equal(t, 0, installed.run(t.Context(), trainArgs("--resume", "--run", dir, "--games", more),
		strings.NewReader(""),
		&stdout, &stderr), stderr.String())
	require.Greater(t, readManifest(t, dir).newest().Samples, saved.Samples)
}

func TestTrainJSONLogs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, stdout, stderr := croupier("", trainArgs("kuhn", "--for", "1s", "--run", dir, "--json-logs")...)
	require.Equal(t, 0, status, stderr)
	seen := map[string]bool{}
	for _, line := range lines(stderr) {
		var object struct {
			Msg, Dir string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
		seen[object.Msg] = true
		if object.Msg == "training begins" {
			require.Equal(t, dir, object.Dir)
		}
	}
	require.True(t, seen["training begins"] && seen["status"], stderr)
	require.Len(t, lines(stdout), 1)
	ladder, err := messages.ParseLadder([]byte(stdout))
	require.NoError(t, err)
	require.Equal(t, "kuhn", ladder.Game)
}

func TestTrainQuietPrintsPathsAndLadder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, stdout, stderr := croupier("", trainArgs("kuhn", "--for", "1s", "--run", dir, "-q")...)
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stderr)
	require.Regexp(t, "^Run directory  "+regexp.QuoteMeta(
		dir)+"\nkuhn: ratings in antes per game; 0 is equilibrium[(]0.2[)]\n", stdout)
	require.NotContains(t, stdout, "games/s")
}

func TestTrainRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	unknown := file("unknown.yaml", "learner:\n  ppo: {epochs: 2}\n  epoch: 3\n")
	wrongType := file("type.yaml", "learner:\n  ppo: {epochs: many}\n")
	fraction := file("fraction.yaml", "learner:\n  ppo: {epochs: 2.5}\n")
	twice := file("twice.yaml", "learner: {}\nseed: 1\nlearner: {}\n")
	broken := file("broken.yaml", "learner: [\n")
	rule := file("rule.yaml", "# of the house\nplayers: 3\nplayer: 4\n")
	ruleInConfig := file("config.yaml", "# mine\nrules:\n  players: 3\n\n  player: 4\n")
	otherGame := file("pig.yaml", "game: pig\n")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"chess"}, `unknown game "chess"; the games are bank, `},
		{nil, "name a game; "},
		{[]string{"bank", "--config", unknown}, unknown + `:3: learner.epoch: unknown key; the keys are algorithm`},
		{[]string{"bank", "--config", wrongType}, wrongType + `:2: learner.ppo.epochs: "many" is not a whole number`},
		{[]string{"bank", "--config", fraction}, fraction + `:2: learner.ppo.epochs: 2.5 is not a whole number`},
		{[]string{"bank", "--config", twice}, twice + `:3: learner: appears twice, first in line 1`},
		{[]string{"bank", "--config", broken}, broken + ":1: did not find"},
		{[]string{"bank", "--config", otherGame}, otherGame + `:1: game: the settings are for "pig", not for "bank"`},
		{[]string{"bank", "--config", ruleInConfig},
			ruleInConfig + `:5: rules.player: unknown key (did you mean players?); the keys are players, rounds, roller, repoll`},
		{[]string{"bank", "--rules", rule},
			rule + `: bank: rules: line 3: player: unknown key (did you mean players?); the keys are players`},
		{[]string{"bank", "--set", "learner.epoch=3"}, `--set learner.epoch=3: learner.epoch: unknown key`},
		{[]string{"bank", "--set", "learner.ppo.epochs=many"},
			`--set learner.ppo.epochs=many: learner.ppo.epochs: "many" is not a whole number`},
		{[]string{"bank", "--set", "learner.ppo.epochs=0"},
			"--set learner.ppo.epochs=0: learner.ppo.epochs: 0 is not in 1..1000"},
		{[]string{"bank", "--set", "learner.ppo.epochs"}, "--set learner.ppo.epochs: it must look like"},
		{[]string{"bank", "--set", "learner.=3"}, "--set learner.=3: it must look like"},
		{[]string{"bank", "--set", "rules.players=99"}, "--set rules.players=99: rules.players: 99 is not in 2..8"},
		{[]string{"bank", "--set", "league.population=0"}, "league.population: must be"},
		{[]string{"bank", "--set", "actor.tables=0"}, "actor.tables: 0 is not in"},
		{[]string{"bank", "--set", "network.dense=[0]"}, "dense[0]: size 0 is not in"},
		{[]string{"bank", "--actors", "0"}, "--actors 0: at least one"},
		{[]string{"bank", "--for", "-1s"}, "--for -1s: it must not be negative"},
		{[]string{"bank", "--until", "soon"},
			"--until soon: it is not one of plateau, rating=X, exploitability=X, beats=AGENT, or a time like 2h"},
		{[]string{"bank", "--until", "exploitability=0.1"}, "--until exploitability=0.1: the exploitability of versions is not measured: it is computed in games for two, and bank has 3 seats"},
		{[]string{"kuhn", "--until", "rating=5 Elo"}, `--until rating=5 Elo: "5 Elo" is not a number in antes per game`},
		{[]string{"pig", "--until", "beats=nobody"},
			`--until beats=nobody: unknown agent "nobody" of pig; there are random, `},
		{[]string{"pig", "--until", "beats=nobody"}, "; on the ladder of pig there are random, "},
		{[]string{"pig", "--until", "beats=greedy:main@3"},
			"main@3 names a version of this run; one of another run has a file, " +
				"file:RUN/population/main@3.safetensors"},
		{[]string{"pig", "--until", "beats=exec:true"}, "are not allowed here"},
		{[]string{"pig", "--until", "beats=file:none", "--nats-listen", "127.0.0.1:0"}, "files are not read here"},
		{[]string{"pig", "--set", "league.references=[random]"},
			"league.references[0]: random is on the ladder of pig anyway"},
		{[]string{"pig", "--set", "league.references=[nobody]"},
			`league.references[0]: unknown agent "nobody" of pig; there are random, `},
		{[]string{"pig", "--until", "1h", "--for", "2h"}, "--until 1h: the length of the training appears twice"},
		{[]string{"pig", "--until", "plateau", "--until", "plateau=3"}, "--until plateau=3: there is plateau as well"},
		{[]string{"bank", "--processor-time", "-1s"}, "--processor-time -1s: it must not be negative"},
		{[]string{"--resume", "--processor-time", "1s"}, "--processor-time is for new runs"},
		{[]string{"bank", "--log-level", "loud"}, "--log-level loud: it must be"},
		{[]string{"bank", "--creds", "x"}, "the broker of --nats, which is not given"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.Contains(t, refused(t, 2, append([]string{"train"}, test.args...)...), test.want)
			require.NoDirExists(t, "runs")
		})
	}
}

func TestTrainPorts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "run")
	message := refused(t, 1, "train", "kuhn", "--run", dir, "--listen", taken.Addr().String())
	require.Contains(t, message, "--listen "+taken.Addr().String())
	require.Contains(t, message, "address already in use")
	require.NoDirExists(t, dir)

	listener, moved, err := cluster.ListenPage(taken.Addr().String(), false)
	require.NoError(t, err)
	defer listener.Close()
	require.True(t, moved)
	host, _, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", host, "only the port may change")
}

// requireIdentity flips a bit of whatever says which run a directory holds: then nothing continues, and nothing is
// changed.
func requireIdentity(t *testing.T, dir string) {
	t.Helper()
	for _, flip := range []struct{ file, of, into, want string }{
		{"run.json", `"id": "trained"`, `"id": "trainee"`, "run.json: its checksum is not that of its content"},
		{"run.json", `"version": "`, `"version": "w`, "run.json: its checksum is not that of its content"},
		{"config.yaml", "\nrun: trained\n", "\nrun: tra1ned\n",
			"config.yaml: it was changed after it was written: run is tra1ned and was trained"},
		{"config.yaml", "\nseed: 5\n", "\nseed: 4\n", "config.yaml: it was changed after it was written: seed is 4 and was 5"},
		{"config.yaml", "  gamma: 1\n", "  gamma: 0\n", "learner.gamma is 0 and was 1; copy config-copy.yaml over it, or"},
	} {
		requireRefused(t, dir, flip.file, flip.of, flip.into, flip.want)
	}
	// What version 0.1 wrote has no checksums, but says twice which run it is.
	unseal(t, dir)
	for _, flip := range []struct{ file, of, into, want string }{
		{"run.json", `"id": "trained"`, `"id": "trainee"`, "its run is trainee, by config.yaml trained"},
		{"run.json", `"game": "kuhn"`, `"game": "kuhl"`, "its game is kuhl, by config.yaml kuhn"},
		{"run.json", `"seed": 5`, `"seed": 7`, "its seed is 7, by config.yaml 5"},
		{"config.yaml", "\nrun: trained\n", "\nrun: tra1ned\n", "its run is trained, by config.yaml tra1ned"},
		{"config.yaml", "\nseed: 5\n", "\nseed: 4\n", "its seed is 5, by config.yaml 4"},
	} {
		requireRefused(t, dir, flip.file, flip.of, flip.into, flip.want)
	}
}

// unseal takes the checksums out of what identifies a run, as version 0.1 wrote it.
func unseal(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(dir, "config-copy.yaml")))
	for file, seal := range map[string]string{
		"config.yaml": `# crc32c .*\n`, "run.json": `,\n  "crc32c": ".*"`, "session.json": `,"sizes":.*"crc32c":".*"`,
		"ladder.json": `,\n  "crc32c": ".*"`, "checkpoints/manifest.json": `,\n  "crc32c": ".*"`,
		"promotions.jsonl": `,"crc32c":".*"`,
	} {
		path := filepath.Join(dir, file)
		doc := readFile(t, path)
		without := regexp.MustCompile(seal).ReplaceAll(doc, nil)
		require.NotEqual(t, string(doc), string(without), file)
		require.NoError(t, os.WriteFile(path, without, 0o600))
	}
}

// requireRefused changes a file of a run, of which then nothing continues, and changes it back.
func requireRefused(t *testing.T, dir, file, of, into, want string) {
	t.Helper()
	path := filepath.Join(dir, file)
	doc := readFile(t, path)
	require.Contains(t, string(doc), of)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(doc), of, into, 1)), 0o644))
	before := tree(t, dir)
	require.Contains(t, refused(t, 1, "train", "--resume", "--run", dir, "--listen", "off"), want)
	require.Equal(t, before, tree(t, dir))
	require.NoError(t, os.WriteFile(path, doc, 0o644))
}

func TestTrainRunDirectories(t *testing.T) {
	dir := trained(t)
	before := tree(t, dir)
	require.Contains(t, refused(t, 1, "train", "kuhn", "--run", dir), "already holds a run: add --resume")
	require.Contains(t, refused(t, 2, "train", "pig", "--resume", "--run", dir), "is a run of kuhn, not of pig")
	require.Contains(t, refused(t, 2, "train", "--resume", "--run", dir, "--seed", "6"),
		"the run has the seed 5, which cannot become 6")
	require.Contains(t, refused(t, 1, "train", "--resume", "--listen", "off", "--run", dir, "--set",
		"network.dense=[8]"), "it is for another network")
	require.Equal(t, before, tree(t, dir), "a refused call has changed the run")
	requireIdentity(t, dir)

	empty := t.TempDir()
	require.Contains(t, refused(t, 1, "train", "kuhn", "--resume", "--run", empty), "holds no run")
	require.Contains(t, refused(t, 1, "train", "kuhn", "--resume", "--run", filepath.Join(empty, "none")), "holds no run")
	require.Empty(t, tree(t, empty))
	t.Chdir(empty)
	require.Contains(t, refused(t, 1, "train", "--resume"), "there is no run below runs")

	unwritable := filepath.Join(empty, "file")
	require.NoError(t, os.WriteFile(unwritable, nil, 0o600))
	require.Contains(t, refused(t, 1, "train", "kuhn", "--listen", "off", "--run", filepath.Join(unwritable, "run")),
		"file/run")
}

// tree returns the files below dir with their contents, but for the broker's store,
// which changes by being opened, and locks.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Name() == "nats" {
			return err
		}
		if e.IsDir() || strings.HasSuffix(path, ".lock") {
			return nil
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	}))
	return files
}

func TestBrokenCheckpoints(t *testing.T) {
	t.Parallel()
	dir := trained(t)
	listed := readManifest(t, dir).Checkpoints
	require.GreaterOrEqual(t, len(listed), 2)
	// damage flips a bit of c at a fraction of its length: the same place twice would mend it.
	damage := func(c checkpoint, at float64) {
		path := filepath.Join(dir, "checkpoints", c.File)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		content[int(at*float64(len(content)))] ^= 1
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	damage(listed[len(listed)-1], 0.5)
	status, _, stderr := croupier("", trainArgs("--resume", "--run", dir, "--for", "1ms", "--log-level", "info")...)
	require.Equal(t, 0, status, stderr)
	require.Contains(t, stderr, `msg="skipping a broken checkpoint"`)
	require.Contains(t, stderr, listed[len(listed)-1].File)
	require.Regexp(t, `msg=resuming.* samples=`+jsonNumber(listed[len(listed)-2].Samples), stderr)

	for _, c := range readManifest(t, dir).Checkpoints {
		damage(c, 0.6)
	}
	status, _, stderr = croupier("", trainArgs("--resume", "--run", dir, "--for", "1s")...)
	require.Equal(t, 1, status, stderr)
	require.Regexp(t, `croupier: learner: all \d checkpoints in .*checkpoints are broken`, stderr)
}

// A run whose checkpoints and whose broker's store are gone is not begun afresh next to what was frozen of it.
func TestLostCheckpoints(t *testing.T) {
	dir := trained(t)
	for _, folder := range []string{"checkpoints", "nats"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, folder)))
	}
	before := tree(t, filepath.Join(dir, rundir.VersionFolder))
	status, _, stderr := croupier("", trainArgs("--resume", "--run", dir, "--for", "1s")...)
	require.Equal(t, 1, status, stderr)
	require.Contains(t, stderr, "croupier: learner: the run has frozen versions of main, and "+dir+" has no checkpoint")
	require.Equal(t, before, tree(t, filepath.Join(dir, rundir.VersionFolder)))
}

func jsonNumber(n uint64) string {
	doc, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	return string(doc)
}

// An agent that the game's ladders do not have is to be beaten, here the first version of another run: it stands on
// the ladder of this one, which says how far off it is, and in its settings.
func TestTrainUntilAFileIsBeaten(t *testing.T) {
	t.Parallel()
	weak := "file:" + filepath.Join(trained(t), "population", "main@1.safetensors")
	dir := filepath.Join(t.TempDir(), "run")
	status, stdout, stderr := croupier("", trainArgs("kuhn", "--run", dir, "--until", "beats="+weak, "--until", "2s")...)
	require.Equal(t, 0, status, stderr)
	require.Regexp(t, `main@\d+ +`+regexp.QuoteMeta(weak)+` +\d\d`, stdout, "a version has played against it")
	settings, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(settings), weak)
}

// A run ends at its goal, says which, and has it on record; resumed with another, it continues.
func TestTrainUntil(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	status, stdout, stderr := croupier("", trainArgs("kuhn", "--run", dir, "--until", "exploitability=0.4", "--until",
		"100s")...)
	require.Equal(t, 0, status, stderr)
	require.Regexp(t, `The goal is reached, exploitability=0\.4: the newest version can lose 0\.[0-3]\d* antes per game\.`,
		stdout)
	require.Contains(t, stdout, "kuhn: ratings in antes per game", "the ladder is shown")
	session, err := rundir.ReadSession(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"exploitability=0.4", "100s"}, session.Until)
	require.Contains(t, session.Reached, "exploitability=0.4: the newest")

	status, stdout, stderr = croupier("", trainArgs("--resume", "--run", dir, "--until", "rating=100", "--until", "1s")...)
	require.Equal(t, 0, status, stderr)
	require.NotContains(t, stdout, "The goal is reached")
	session, err = rundir.ReadSession(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"rating=100", "1s"}, session.Until)
	require.Empty(t, session.Reached)
}

// A process that may use fewer cores than the machine has, by the limit of its container or by GOMAXPROCS, plays with
// as many workers.
func TestWorkersAreAsManyAsCoresMayBeUsed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU() + 3))
	cores := runtime.NumCPU() + 3
	for command, flags := range map[string]map[string]int{
		"train": {"actors": cores}, "actor": {"actors": cores}, "arena exploit": {"actors": cores},
		"advise compare": {"workers": cores},
		"contribute":     {"cores": cores - 1},
	} {
		cmd, _, err := newRootCommand(installed).Find(strings.Fields(command))
		require.NoError(t, err)
		for flag, want := range flags {
			require.Equal(t, strconv.Itoa(want), cmd.Flags().Lookup(flag).DefValue, command)
		}
	}
}
