package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/durable"
)

// played names the environment variable by which this program is a process of a run, which does not train: it
// leaves a result by its candidate and seed, or fails.
const played = "CROUPIER_SWEEP_TEST"

func TestMain(m *testing.M) {
	if how := os.Getenv(played); how != "" {
		do := func() error { return pretend(os.Args[1], how) }
		if os.Args[1] == workerProcess {
			do = func() error { return workAt(os.Args[2], os.Args[3], os.Args[4]) }
		}
		if err := do(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func pretend(folder, how string) error {
	doc, err := os.ReadFile(filepath.Join(folder, jobFile))
	if err != nil {
		return err
	}
	r := Result{Reached: true}
	if err := json.Unmarshal(doc, &r.Job); err != nil {
		return err
	}
	f, err := Read(standard.Games, filepath.Join(folder, "..", "..", sweepFile))
	if err != nil {
		return err
	}
	r.Name = f.candidates[r.Candidate].Name
	if how == "fails" && r.Candidate == 1 {
		return fmt.Errorf("training has collapsed")
	}
	if how == "full" && r.Candidate == 1 {
		return &os.PathError{Op: "write", Path: folder, Err: syscall.ENOSPC}
	}
	if how == "hangs" {
		time.Sleep(time.Minute)
	}
	r.Value = float64(10*r.Candidate) + float64(r.Seed%7)
	weights := []byte("weights of " + r.Job.Name())
	r.SHA256 = fmt.Sprintf("%x", sha256.Sum256(weights))
	if err := durable.WriteFile(filepath.Join(folder, weightsFile), weights); err != nil {
		return err
	}
	if doc, err = json.Marshal(r); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(folder, resultFile), doc)
}

// fake is a sweep whose runs only pretend, and counts them.
func fake(t *testing.T, dir, text, how string) (*Sweep, *atomic.Int32) {
	t.Setenv(played, how)
	runs := &atomic.Int32{}
	return &Sweep{Dir: dir, File: parse(t, text), Command: func(folder string) *exec.Cmd {
		runs.Add(1)
		return exec.Command(os.Args[0], folder)
	}}, runs
}

const tuned = plain + "seeds: {tuning: 2, reporting: 3}\nparallel: 3\n"

func TestSweepIsPlayedOnce(t *testing.T) {
	dir := t.TempDir()
	s, runs := fake(t, dir, tuned, "works")
	var told []string
	s.Progress = func(r Result) { told = append(told, r.Job.Name()) }
	require.NoError(t, s.Run(t.Context()))
	require.EqualValues(t, 3*2+3, runs.Load(), "the base wins")
	require.Len(t, told, 9)
	require.FileExists(t, s.Winner())
	f, results, damaged, err := Load(standard.Games, dir)
	require.NoError(t, err)
	require.Zero(t, damaged)
	require.Equal(t, s.Results(), results)
	require.Equal(t, baseName, f.Tabulate(results).Winner)
	weights, err := os.ReadDir(filepath.Join(dir, weightsFolder))
	require.NoError(t, err)
	require.Len(t, weights, 3, "of the base, on the seeds of the report")

	again, runs := fake(t, dir, tuned, "works")
	require.NoError(t, again.Run(t.Context()))
	require.Zero(t, runs.Load())
	changed, _ := fake(t, dir, tuned+"# changed\n", "works")
	require.ErrorContains(t, changed.Run(t.Context()), "holds the sweep of another file")
}

// A damaged line is a run that was not played; a result that was complete when the sweep was killed is taken
// over; half a line, and a folder of a run that was cut short, go.
func TestSweepGoesOn(t *testing.T) {
	dir := t.TempDir()
	s, _ := fake(t, dir, tuned, "works")
	require.NoError(t, s.Run(t.Context()))
	path := filepath.Join(dir, resultsFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	lines[1] = strings.Replace(lines[1], `"value":`, `"value":1`, 1)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[:8], "")+lines[8][:20]), 0o644))
	var job []Job
	for j := range s.results {
		if !strings.Contains(strings.Join(lines[:8], ""), fmt.Sprintf(
			`"round":%d,"candidate":%d,"seed":%d,`, j.Round, j.Candidate, j.Seed)) {
			job = append(job, j) // that of the half line
		}
	}
	require.Len(t, job, 1)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, runsFolder, "0-9-9", "run"), 0o755))

	_, _, damaged, err := Load(standard.Games, dir)
	require.NoError(t, err)
	require.Equal(t, 1, damaged)

	again, runs := fake(t, dir, tuned, "works")
	again.Begin = func(over, wrong int) { require.Equal(t, []int{7, 1}, []int{over, wrong}) }
	require.NoError(t, again.Run(t.Context()))
	require.EqualValues(t, 2, runs.Load(), "the damaged line and the half one")
	require.Equal(t, s.Results(), again.Results())
	left, err := os.ReadDir(filepath.Join(dir, runsFolder))
	require.NoError(t, err)
	require.Empty(t, left)

	// The last line is lost, but the folder of its run is complete.
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[:8], "")), 0o644))
	folder := again.folder(job[0])
	require.NoError(t, os.MkdirAll(folder, 0o755))
	doc, err := json.Marshal(job[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, jobFile), doc, 0o644))
	require.NoError(t, pretend(folder, "works"))
	last, runs := fake(t, dir, tuned, "works")
	require.NoError(t, last.Run(t.Context()))
	require.EqualValues(t, 1, runs.Load(), "the damaged line")
	require.Equal(t, s.Results(), last.Results())
}

// Weights that are not those that a result names are of no use: their run is played again, and the caller learns of it.
func TestDamagedWeightsArePlayedAgain(t *testing.T) {
	dir := t.TempDir()
	s, _ := fake(t, dir, tuned, "works")
	require.NoError(t, s.Run(t.Context()))
	weights, err := filepath.Glob(filepath.Join(dir, weightsFolder, "*"))
	require.NoError(t, err)
	require.Len(t, weights, 3)
	whole, err := os.ReadFile(weights[1])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(weights[1], append([]byte("W"), whole[1:]...), 0o600))

	again, runs := fake(t, dir, tuned, "works")
	again.Begin = func(over, damaged int) { require.Equal(t, []int{8, 1}, []int{over, damaged}) }
	require.NoError(t, again.Run(t.Context()))
	require.EqualValues(t, 1, runs.Load())
	mended, err := os.ReadFile(weights[1])
	require.NoError(t, err)
	require.Equal(t, whole, mended)
	require.Equal(t, s.Results(), again.Results())
}

func TestRunsThatFail(t *testing.T) {
	dir := t.TempDir()
	s, _ := fake(t, dir, tuned, "fails")
	require.NoError(t, s.Run(t.Context()))
	failed := 0
	for j, r := range s.Results() {
		if j.Candidate == 1 {
			require.Equal(t, "exit status 1: training has collapsed", r.Failed)
			failed++
		}
	}
	require.Equal(t, 2, failed)
	again, runs := fake(t, dir, tuned, "works")
	require.NoError(t, again.Run(t.Context()))
	require.EqualValues(t, 2, runs.Load(), "they are tried again, and the report stands")
	table := again.File.Tabulate(again.Results())
	require.Zero(t, table.Rounds[0].Rows[1].Failed)
}

// A run that ends for a full disk says nothing of its candidate: the sweep ends, and the same call continues it.
func TestAFullDiskEndsTheSweep(t *testing.T) {
	dir := t.TempDir()
	s, _ := fake(t, dir, tuned, "full")
	err := s.Run(t.Context())
	require.ErrorContains(t, err, "no space left on device; the same call continues the sweep")
	for j, r := range s.Results() {
		require.Empty(t, r.Failed, j.Name())
	}
	again, _ := fake(t, dir, tuned, "works")
	require.NoError(t, again.Run(t.Context()))
	require.Len(t, again.Results(), 9)
}

// The processes of the runs end with the sweep, at once.
func TestSweepThatIsStopped(t *testing.T) {
	s, runs := fake(t, t.TempDir(), tuned, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	began := time.Now()
	require.ErrorIs(t, s.Run(ctx), context.Canceled)
	require.Less(t, time.Since(began), 20*time.Second)
	require.LessOrEqual(t, runs.Load(), int32(3))
	require.Empty(t, s.Results(), "a run that was cut short has not failed")
}

func TestAPI(t *testing.T) {
	dir := t.TempDir()
	page := Page(standard.Games, dir, slog.New(slog.DiscardHandler))
	mux := http.NewServeMux()
	for pattern, handler := range page.API {
		mux.Handle(pattern, handler)
	}
	ask := func(path string) (int, string) {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, w.Body.String()
	}
	status, body := ask("/api/sweeps")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, "[]", body)
	s, _ := fake(t, filepath.Join(dir, "rates"), tuned, "works")
	require.NoError(t, s.Run(t.Context()))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "evening"), 0o755))
	_, body = ask("/api/sweeps")
	require.JSONEq(t, `["rates"]`, body)
	status, body = ask("/api/sweeps/rates")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"winner":"base"`)
	require.NotContains(t, body, "damaged")
	path := filepath.Join(dir, "rates", resultsFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte(`"value":`), []byte(`"value":1`), 1), 0o644))
	_, body = ask("/api/sweeps/rates")
	require.Contains(t, body, `"damaged":1`)
	for _, id := range []string{"evening", "none", "..", "%2e%2e", "..%2f" + filepath.Base(dir) + "%2frates",
		"rates%2f..%2frates"} {
		status, body = ask("/api/sweeps/" + id)
		require.NotEqual(t, http.StatusOK, status, id)
		require.NotContains(t, body, "winner", id)
	}
}
