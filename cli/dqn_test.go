package cli

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/league"
	"croupier/messages"
)

// TestDQNTrainsRatesExportsAndResumes is the life of a run with the other algorithm.
func TestDQNTrainsRatesExportsAndResumes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"--set", "learner.dqn.samples=1024", "--set", "learner.dqn.minibatch=256", "--set",
		"league.freeze_updates=200"}
	train := func(more ...string) {
		status, _, stderr := croupier("", trainArgs(append(append([]string{"kuhn", "--run", dir}, more...), args...)...)...)
		require.Equal(t, 0, status, stderr)
	}
	train("--algo", "dqn", "--games", "10000")
	first := readManifest(t, dir).newest()
	require.Positive(t, first.Updates)
	ladder, err := league.ReadLadder(dir)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(ladder.Agents,
		func(a messages.LadderAgent) bool { return a.Kind == "network" && a.Games > 0 }), "no version was rated")
	require.Contains(t, string(readFile(t, filepath.Join(dir, "config.yaml"))), "algorithm: dqn")

	// The exported file knows by itself that it holds action values.
	t.Chdir(t.TempDir())
	succeed(t, "", "export", "--run", dir, "--version", "1", "--out", "q.safetensors")
	require.JSONEq(t, `{"dense":[32,32],"dueling":true}`, exported(t, "q.safetensors")["description"])
	requireLadder(t, succeed(t, "", "arena", "file:q.safetensors", "main@1", "random", "solver:equilibrium", "--game",
		"kuhn", "--run", dir, "--games", "20", "--json"))

	train("--resume", "--games", strconv.FormatUint(first.Games+5000, 10))
	second := readManifest(t, dir).newest()
	require.Greater(t, second.Updates, first.Updates)
	require.Greater(t, second.Games, first.Games)

	stderr := refused(t, 2, trainArgs("--resume", "--run", dir, "--algo", "ppo")...)
	require.Contains(t, stderr, "--resume: the run learns by dqn, which cannot become ppo")
}

func TestAlgorithmsAreRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"--algo sarsa: learner.algorithm: sarsa is not ppo or dqn": {"--algo", "sarsa"},
		"network.dueling: ppo trains a policy, not action values":  {"--set", "network.dueling=true"},
		"learner.dqn.n_step: 0 is not in 1..1048576":               {"--algo", "dqn", "--set", "learner.dqn.n_step=0"},
	} {
		require.Contains(t, refused(t, 2, append([]string{"train", "pig"}, args...)...), want)
	}
}
