package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/bench"
)

// The fields of each part of the report, by which others read it.
var benchFields = map[string][]string{
	"engine":    {"game", "mode", "decisions_per_second"},
	"gemm":      {"m", "n", "k", "threads", "gflops"},
	"inference": {"net", "batch", "threads", "decisions_per_second"},
	"learner":   {"net", "precision", "threads", "samples_per_second", "ms_per_update"},
	"cfr":       {"game", "iterations_per_second"},
	"cluster": {"game", "net", "precision", "decisions_per_second", "samples_per_second", "consumed_share", "lag_versions",
		"bytes_per_decision"},
}

func TestBenchCommand(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	profile := filepath.Join(t.TempDir(), "cpu.pprof")
	var out, errOut bytes.Buffer
	status := installed.run(t.Context(), []string{"bench", "--quick", "--json", "--cpu-profile", profile}, nil, &out,
		&errOut)
	require.Zero(t, status, errOut.String())
	for part := range benchFields {
		require.Contains(t, errOut.String(), part+":", "progress")
	}
	var report map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.Len(t, report, len(benchFields)+1)
	for part, fields := range benchFields {
		var entries []map[string]any
		require.NoError(t, json.Unmarshal(report[part], &entries), part)
		require.NotEmpty(t, entries, part)
		for _, e := range entries {
			checkBenchEntry(t, part, e, fields)
		}
	}
	var machine bench.Machine
	require.NoError(t, json.Unmarshal(report["machine"], &machine))
	require.Positive(t, machine.Cores)
	require.NotEmpty(t, machine.InstructionSet)
	info, err := os.Stat(profile)
	require.NoError(t, err)
	require.Positive(t, info.Size())
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left, "temporary run directories are gone")
}

func checkBenchEntry(t *testing.T, part string, entry map[string]any, fields []string) {
	t.Helper()
	fields = append(fields, "min", "max", "runs", "cpu_share")
	require.LessOrEqual(t, entry["min"], entry["max"])
	for _, field := range fields {
		require.Contains(t, entry, field, part)
		if number, ok := entry[field].(float64); ok && field != "lag_versions" {
			require.Positive(t, number, "%s of %s: %v", field, part, entry)
		}
	}
	if part == "cluster" {
		require.LessOrEqual(t, entry["consumed_share"], 1.0)
		require.GreaterOrEqual(t, entry["lag_versions"], 0.0)
	}
}

func TestBenchOnlyAndWrongCalls(t *testing.T) {
	call := func(args ...string) (status int, out, errOut string) {
		var o, e bytes.Buffer
		status = installed.run(t.Context(), append([]string{"bench", "--quick"}, args...), nil, &o, &e)
		return status, o.String(), e.String()
	}
	status, out, errOut := call("--only", "cfr", "--json")
	require.Zero(t, status, errOut)
	var report bench.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Empty(t, report.Engine)
	require.Len(t, report.CFR, 2)

	status, out, _ = call("--only", "cfr")
	require.Zero(t, status)
	require.Regexp(t, `kuhn\s+\d`, out)
	require.NotContains(t, out, "Cluster")

	for _, wrong := range []struct{ args, message string }{
		{"--only=gemm,disk", "--only disk: the parts are engine, gemm"},
		{"--runs=0", "do not go together"},
		{"--for=1s", "do not go together"},
	} {
		status, _, errOut := call(wrong.args)
		require.Equal(t, 2, status, wrong.args)
		require.Contains(t, errOut, wrong.message)
	}
	for _, wrong := range []struct{ flag, message string }{
		{"--runs=0", "--runs 0: at least one is needed"},
		{"--for=-1s", "--for -1s: it must be positive"},
	} {
		var o, e bytes.Buffer
		require.Equal(t, 2, installed.run(t.Context(), []string{"bench", wrong.flag}, nil, &o, &e))
		require.Contains(t, e.String(), wrong.message)
	}
}

func TestBenchNetworks(t *testing.T) {
	large := filepath.Join("..", "deploy", "training", "tysiac-attention.yaml")
	small := filepath.Join(t.TempDir(), "small.yaml")
	require.NoError(t, os.WriteFile(small, []byte("network: {dense: [8]}\n"), 0o600))
	status, doc, stderr := croupier("", "bench", "--quick", "--json", "--only", "inference", "--network", "pig",
		"--network", "pig="+small)
	require.Zero(t, status, stderr)
	var report bench.Report
	require.NoError(t, json.Unmarshal([]byte(doc), &report))
	speed := map[string]float64{}
	for _, r := range report.Inference {
		speed[r.Net] += r.DecisionsPerSecond
	}
	require.Len(t, speed, 2)
	require.Contains(t, speed, "pig")
	require.Contains(t, speed, "small")

	for message, network := range map[string]string{
		`unknown game "chess"`:       "chess",
		"none.yaml: no such file":    "tysiac=none.yaml",
		`bank has no segment "hand"`: "bank=" + large,
	} {
		status, _, stderr := croupier("", "bench", "--network", network)
		wrong := 2
		if strings.Contains(message, "no such file") {
			wrong = 1
		}
		require.Equal(t, wrong, status)
		require.Contains(t, stderr, message)
	}
}
