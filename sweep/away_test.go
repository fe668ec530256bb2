package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/cluster"
	"croupier/games/standard"
	"croupier/internal/testproc"
	"croupier/messages/bus/broker"
	"croupier/sweep/crew"
)

// few is plain with three runs.
const few = plain + "seeds: {reporting: 1}\n"

// workerProcess is the first argument of this program as a worker in a process of its own.
const workerProcess = "worker"

// quick is the pace of tests.
var quick = pace{20 * time.Millisecond, time.Minute}

// workAt is such a process.
func workAt(url, dir, name string) error {
	return newWorker(url, dir, name).Run(context.Background())
}

// newWorker returns a worker with one processor whose runs only pretend.
func newWorker(url, dir, name string) *Worker {
	return &Worker{
		Catalog: standard.Games, Dir: dir, Name: name, Processors: 1, pace: quick, Note: func(string) {},
		Command: func(folder string) *exec.Cmd { return exec.Command(os.Args[0], folder) },
		Broker:  meeting(url),
	}
}

func meeting(url string) Broker {
	return Broker{Broker: cluster.Broker{URL: url}, Log: slog.New(slog.DiscardHandler)}
}

func startBroker(t *testing.T) string {
	t.Helper()
	b, err := broker.Start(broker.Options{
		Listen: "127.0.0.1:0", Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(b.Shutdown)
	return b.URL()
}

// work has a worker work in this process, and returns what ends it.
func work(t *testing.T, w *Worker) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = func() {
		if cancel(); ended != nil {
			require.NoError(t, <-ended)
			ended = nil
		}
	}
	t.Cleanup(stop)
	return stop
}

// away is a sweep for workers.
func away(t *testing.T, dir, text string) *Sweep {
	f, err := ParseShared(standard.Games, []byte(text))
	require.NoError(t, err)
	return &Sweep{Dir: dir, File: f, pace: quick}
}

// Two sweeps are played by the same workers. Each has the results and the weights that it has on one machine, and
// nothing of it is left at the workers.
func TestSweepsAreThoseOfOneMachine(t *testing.T) {
	t.Setenv(played, "works")
	url := startBroker(t)
	cellar, attic := t.TempDir(), t.TempDir()
	work(t, newWorker(url, cellar, "cellar"))
	work(t, newWorker(url, attic, "attic"))
	choosing := plain + "seeds: {tuning: 1, reporting: 1}\n"
	texts := []string{choosing, strings.Replace(choosing, "0.001, 0.01", "0.01", 1)}
	sweeps, ended := make([]*Sweep, len(texts)), make(chan error, len(texts))
	for i, text := range texts {
		sweeps[i] = away(t, t.TempDir(), text)
		go func() { ended <- sweeps[i].RunAway(t.Context(), meeting(url), fmt.Sprint(i), func(string) {}) }()
	}
	for range sweeps {
		require.NoError(t, <-ended)
	}
	for i, text := range texts {
		local, _ := fake(t, t.TempDir(), text, "works")
		require.NoError(t, local.Run(t.Context()))
		require.Equal(t, local.Results(), sweeps[i].Results())
		require.Equal(t, names(local.File), names(sweeps[i].File))
		require.Equal(t, local.File.Tabulate(local.Results()), sweeps[i].File.Tabulate(sweeps[i].Results()))
		require.Equal(t, weightsOf(t, local), weightsOf(t, sweeps[i]))
	}
	for _, dir := range []string{cellar, attic} {
		left, err := filepath.Glob(filepath.Join(dir, jobsFolder, "*"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// weightsOf are the weights that a sweep keeps, by file.
func weightsOf(t *testing.T, s *Sweep) map[string]string {
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(s.Dir, weightsFolder, "*"))
	require.NoError(t, err)
	for _, path := range files {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		out[filepath.Base(path)] = string(data)
	}
	return out
}

// The process of a worker is killed in the middle of a run: another worker plays it.
func TestWorkerThatIsKilled(t *testing.T) {
	url, dir := startBroker(t), t.TempDir()
	t.Setenv(played, "hangs")
	process := exec.Command(os.Args[0], workerProcess, url, dir, "cellar")
	require.NoError(t, testproc.Start(process))
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	t.Setenv(played, "works")

	s := away(t, t.TempDir(), few)
	s.pace.silence = 2 * time.Second
	var lost atomic.Bool
	ended := make(chan error, 1)
	go func() {
		ended <- s.RunAway(t.Context(), meeting(url), "plain", func(sentence string) {
			lost.CompareAndSwap(false, strings.HasPrefix(sentence, "worker cellar has been silent for 2s: round 1, seed "))
		})
	}()
	require.Eventually(t, func() bool {
		jobs, _ := filepath.Glob(filepath.Join(dir, jobsFolder, "*", runsFolder, "*", jobFile))
		return len(jobs) == 1
	}, time.Minute, 10*time.Millisecond, "a run is under way")
	require.NoError(t, process.Process.Kill())
	work(t, newWorker(url, t.TempDir(), "attic"))
	require.NoError(t, <-ended)
	require.True(t, lost.Load())
	require.Len(t, s.Results(), 3)
	for _, r := range s.Results() {
		require.Empty(t, r.Failed)
	}

	// Started again in the same directory, it takes away what it had left.
	again := newWorker(url, dir, "cellar")
	begun := make(chan struct{})
	again.Begin = func(string) { close(begun) }
	work(t, again)
	<-begun
	require.NoDirExists(t, filepath.Join(dir, jobsFolder))
}

// What is over stays when the sweep is stopped, and the processes of the workers end; the next call plays the rest.
func TestSweepElsewhereThatIsStopped(t *testing.T) {
	url, cellar := startBroker(t), t.TempDir()
	t.Setenv(played, "works")
	worker := newWorker(url, cellar, "cellar")
	runs := 0
	worker.Command = func(folder string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], folder)
		if runs++; runs > 1 {
			cmd = exec.Command("sleep", "1000")
		}
		return cmd
	}
	stop := work(t, worker)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	first := away(t, dir, few)
	var over atomic.Int32
	first.Progress = func(Result) { over.Add(1) }
	ended := make(chan error, 1)
	go func() { ended <- first.RunAway(ctx, meeting(url), "plain", func(string) {}) }()
	require.Eventually(t, func() bool {
		jobs, _ := filepath.Glob(filepath.Join(cellar, jobsFolder, "*", runsFolder, "*", jobFile))
		return len(jobs) == 1 && over.Load() == 1
	}, time.Minute, 10*time.Millisecond, "the second run is under way")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.EqualValues(t, 1, over.Load())
	require.Eventually(t, func() bool {
		left, _ := filepath.Glob(filepath.Join(cellar, jobsFolder, "*"))
		return len(left) == 0
	}, time.Minute, 10*time.Millisecond, "it is stopped")
	stop()
	work(t, newWorker(url, t.TempDir(), "attic"))
	second := away(t, dir, few)
	second.Progress = func(Result) { over.Add(1) }
	require.NoError(t, second.RunAway(t.Context(), meeting(url), "plain", func(string) {}))
	require.EqualValues(t, 3, over.Load())
}

// A run that fails at a worker has failed, with its reason; one whose process was killed is played again.
func TestRunsThatFailElsewhere(t *testing.T) {
	url := startBroker(t)
	t.Setenv(played, "fails")
	worker := newWorker(url, t.TempDir(), "cellar")
	runs := 0
	worker.Command = func(folder string) *exec.Cmd {
		if runs++; runs == 1 {
			return exec.Command("sh", "-c", "echo the kernel wants its memory back >&2; kill -9 $$")
		}
		return exec.Command(os.Args[0], folder)
	}
	work(t, worker)
	s := away(t, t.TempDir(), few)
	var notes []string
	require.NoError(t, s.RunAway(t.Context(), meeting(url), "plain", func(n string) { notes = append(notes, n) }))
	require.Equal(t, 4, runs)
	require.Contains(t, strings.Join(notes, "\n"), "could not be finished on worker cellar: "+
		"signal: killed: the kernel wants its memory back")
	for j, r := range s.Results() {
		require.Equal(t, j.Candidate == 1, r.Failed == "exit status 1: training has collapsed", r.Failed)
	}
}

// The holder of a sweep's key cannot make a worker read a file, run a program or write anywhere else.
func TestJobsThatWorkersRefuse(t *testing.T) {
	dir := t.TempDir()
	w := &Worker{Catalog: standard.Games, Dir: dir, Command: func(string) *exec.Cmd {
		require.FailNow(t, "a process was to be started")
		return nil
	}}
	good, err := json.Marshal(Job{Seed: 1, Budget: 2 * time.Second})
	require.NoError(t, err)
	job := func(text string, doc []byte, more ...crew.File) crew.Job {
		files := []crew.File{{Name: sweepFile, Data: []byte(text)}, {Name: jobFile, Data: doc}}
		return crew.Job{Processors: 1, Files: append(files, more...)}
	}
	marshal := func(j Job) []byte {
		doc, err := json.Marshal(j)
		require.NoError(t, err)
		return doc
	}
	with := func(old, new string) string {
		require.Contains(t, plain, old)
		return strings.Replace(plain, old, new, 1)
	}
	rated := "measure: return, opponents: "
	for name, test := range map[string]struct {
		job  crew.Job
		want string
	}{
		"a file as an opponent":    {job(with("measure: exploitability", rated+"[file:/etc/passwd]"), good), "files of this machine are not sent"},
		"a search through a file":  {job(with("measure: exploitability", rated+"['search(1):file:/etc/passwd']"), good), "files of this machine are not sent"},
		"a program":                {job(with("measure: exploitability", rated+"['exec:touch x']"), good), "external agents do not play"},
		"a server":                 {job(with("measure: exploitability", rated+"['http://10.0.0.1/']"), good), "external agents do not play"},
		"a reference":              {job("base: {league: {references: [file:x]}}\n"+plain, good), "base.league.references[0]: agent file:x"},
		"an opponent in training":  {job("base: {league: {opponents: [exec:x]}}\n"+plain, good), "base.league.opponents[0]: agent exec:x"},
		"one of a candidate":       {job(with("vary:", "variants: {a: {league.opponents: [file:x]}}\nvary:"), good), "agent file:x"},
		"another candidate":        {job(plain, marshal(Job{Candidate: 3, Seed: 1, Budget: 2 * time.Second})), "does not belong to its sweep"},
		"a negative candidate":     {job(plain, marshal(Job{Candidate: -1, Seed: 1, Budget: 2 * time.Second})), "does not belong to its sweep"},
		"another round":            {job(plain, marshal(Job{Round: 9, Seed: 1, Budget: 2 * time.Second})), "does not belong to its sweep"},
		"another budget":           {job(plain, marshal(Job{Seed: 1, Budget: time.Hour})), "does not belong to its sweep"},
		"more processors":          {job(plain+"processors: 2\n", good), "does not belong to its sweep"},
		"a job that is none":       {job(plain, []byte("[")), "unexpected end"},
		"a sweep that is none":     {job(with("kuhn", "chess"), good), "chess"},
		"a file of another name":   {job(plain, good, crew.File{Name: "../../.bashrc", Data: []byte("x")}), "does not belong to a job"},
		"a name with a folder":     {job(plain, good, crew.File{Name: "runs/" + jobFile, Data: []byte("x")}), "does not belong to a job"},
		"no sweep":                 {crew.Job{Processors: 1, Files: []crew.File{{Name: jobFile, Data: good}}}, "without a sweep"},
		"settings of another game": {job(with("vary:", "base: {game: leduc}\nvary:"), good), "game"},
	} {
		outcome := w.play(t.Context(), test.job)
		require.Contains(t, outcome.Refused, test.want, name)
		require.Empty(t, outcome.Files, name)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, err)
	_, _, err = w.read(job(plain, good))
	require.NoError(t, err)
}

// A worker's outcome is taken over only if it is one of the job.
func TestOutcomesThatAreRefused(t *testing.T) {
	j := Job{Seed: 1, Budget: 2 * time.Second}
	good := outcome{Result: Result{Job: j, Name: "base", Value: 1, Curve: []Point{{1, 2}},
		SHA256: "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"}, weights: []byte("secret")}
	files, err := good.files()
	require.NoError(t, err)
	got, err := readOutcome(files, j, "base")
	require.NoError(t, err)
	require.Equal(t, good.Result, got.Result)
	for want, change := range map[string]func(o *outcome){
		"of another run": func(o *outcome) { o.Seed = 2 }, "another SHA-256": func(o *outcome) { o.weights = nil },
		"too long": func(o *outcome) { o.Curve = make([]Point, maxPoints+1) },
		"negative": func(o *outcome) { o.Processor = -1 },
	} {
		bad := good
		change(&bad)
		files, err := bad.files()
		require.NoError(t, err)
		_, err = readOutcome(files, j, "base")
		require.ErrorContains(t, err, want)
	}
	_, err = readOutcome(files, j, "other")
	require.ErrorContains(t, err, "of another run")
	_, err = readOutcome(append(files, crew.File{Name: "../x"}), j, "base")
	require.ErrorContains(t, err, "does not belong to a run")
	_, err = readOutcome(nil, j, "base")
	require.Error(t, err)
}

// A key allows a worker one name.
func TestNameOfAWorker(t *testing.T) {
	dir := t.TempDir()
	set, err := broker.CreateSet(filepath.Join(dir, "keys"), "evening")
	require.NoError(t, err)
	require.NoError(t, set.Add("cellar", "sweeper"))
	require.NoError(t, set.Add("lottery", "sweep"))
	b, err := broker.Start(broker.Options{
		Listen: "127.0.0.1:0", Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Credentials: filepath.Join(set.Dir, broker.PublicFile),
	})
	require.NoError(t, err)
	t.Cleanup(b.Shutdown)
	at := func(name string) Broker {
		where := meeting(b.URL())
		where.Credentials = set.Seed(name)
		return where
	}
	other := newWorker("", t.TempDir(), "attic")
	other.Broker = at("cellar")
	require.ErrorContains(t, other.Run(t.Context()), "is that of cellar, which can have no other name")

	other.Broker = at("lottery")
	require.ErrorContains(t, other.Run(t.Context()), "is that of a role sweep: croupier broker credentials add FOLDER NAME "+
		"--sweeper makes one")

	t.Setenv(played, "works")
	own := newWorker("", t.TempDir(), "")
	own.Broker = at("cellar")
	work(t, own)
	s := away(t, t.TempDir(), few)
	var notes []string
	require.NoError(t, s.RunAway(t.Context(), at("lottery"), "plain", func(n string) { notes = append(notes, n) }))
	require.Equal(t, []string{"worker cellar: 1 processors"}, notes)
	require.Regexp(t, `^[A-Za-z0-9_-]{1,64}$`, hostName())
}
