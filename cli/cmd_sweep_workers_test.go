package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/sweep"
)

// countedSweep is tinySweep with a number of training games in the place of the budget: its runs are deterministic.
var countedSweep = strings.Replace(tinySweep, "budget: 1s", "games: 3000", 1)

// A sweep that workers play, each with a key of its own, has the table and the weights of one machine.
func TestSweepOfWorkers(t *testing.T) {
	t.Parallel()
	file, dir := sweepFile(t, countedSweep), t.TempDir()
	keys, here, there := filepath.Join(dir, "keys"), filepath.Join(dir, "here"), filepath.Join(dir, "there")
	succeed(t, "", "broker", "credentials", "create", keys, "--run", "runs/sweeps-of-ours", "--actors", "0")
	for name, flag := range map[string]string{"lottery": "--sweep", "cellar": "--sweeper", "attic": "--sweeper"} {
		succeed(t, "", "broker", "credentials", "add", keys, name, flag)
	}
	url, _, stop := runBroker(t, "--dir", filepath.Join(dir, "broker"), "--listen", "127.0.0.1:0", "--credentials",
		filepath.Join(keys, "broker.yaml"))
	defer func() { require.Zero(t, stop()) }()
	at := func(name string) []string {
		return []string{"--nats", url, "--creds", filepath.Join(keys, name+".seed")}
	}

	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan string, 2)
	for _, name := range []string{"cellar", "attic"} {
		go func() {
			var out, errs bytes.Buffer
			args := append([]string{"sweep", "--worker", "--processors", "1", "--out", filepath.Join(dir, name)}, at(name)...)
			if status := installed.run(ctx, args, strings.NewReader(""), &out, &errs); status != 0 {
				out = errs
			}
			ended <- out.String()
		}()
	}
	said := succeed(t, "", append([]string{"sweep", file, "--out", there}, at("lottery")...)...)
	interrupt()
	workers := <-ended + <-ended
	succeed(t, "", "sweep", file, "--out", here)

	require.Contains(t, said, ": 1 processors\n")
	require.Contains(t, workers, "offers 1 processor to sweeps")
	require.Contains(t, workers, "there: round 1, seed 1001, base: done")
	require.Equal(t, tableOf(t, here), tableOf(t, there))
	require.Equal(t, sums(t, here), sums(t, there))
	weights, err := filepath.Glob(filepath.Join(here, "weights", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, weights)
	for _, path := range weights {
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(there, "weights", filepath.Base(path)))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	require.Contains(t, refused(t, 1, append([]string{"sweep", "--worker", "--name", "roof", "--out", dir},
		at("cellar")...)...), "is that of cellar, which can have no other name")
}

// tableOf is that of a sweep without the times that it took.
func tableOf(t *testing.T, dir string) [][]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(succeed(t, "", "sweep", "show", dir, "--csv"))).ReadAll()
	require.NoError(t, err)
	last := len(records[0]) - 2
	require.Equal(t, "processor_seconds", records[0][last])
	for i := range records {
		records[i][last] = ""
	}
	return records
}

// sums are the SHA-256 of the weights of all runs, and their values.
func sums(t *testing.T, dir string) map[sweep.Job][2]any {
	t.Helper()
	_, results, _, err := sweep.Load(standard.Games, dir)
	require.NoError(t, err)
	out := map[sweep.Job][2]any{}
	for job, r := range results {
		out[job] = [2]any{r.SHA256, r.Value}
	}
	return out
}

func TestSweepOfWorkersRefuses(t *testing.T) {
	t.Parallel()
	file := sweepFile(t, aloneWith("measure: return, opponents: ['file:x.safetensors']"))
	for says, args := range map[string][]string{
		"--worker: name the broker":                     {"--worker"},
		"sweep takes FILE":                              {"--worker", file, "--nats", "nats://127.0.0.1:1"},
		"--parallel is for the sweep":                   {"--worker", "--parallel", "2", "--nats", "nats://127.0.0.1:1"},
		"--name and --processors are for --worker":      {file, "--processors", "2"},
		"--processors -1":                               {"--worker", "--processors", "-1", "--nats", "nats://127.0.0.1:1"},
		"--name: name \"a b\"":                          {"--worker", "--name", "a b", "--nats", "nats://127.0.0.1:1"},
		"are for the broker of --nats":                  {file, "--creds", "x"},
		"opponents[0]: agent file:x.safetensors: files": {file, "--nats", "nats://127.0.0.1:1"},
	} {
		require.Contains(t, refused2(t, append([]string{"sweep"}, args...)...), says)
	}
}
