package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// What is called wrongly is answered with what was probably meant, and status 2.
func TestMistypedCalls(t *testing.T) {
	for _, call := range []struct {
		args []string
		want string
	}{
		{[]string{"trian"}, `unknown command "trian" (did you mean train?)`},
		{[]string{"solve", "kunh"}, `unknown command "kunh" (did you mean kuhn?)`},
		{[]string{"train", "--gmaes", "3"}, "unknown flag: --gmaes (did you mean --games?)"},
		{[]string{"train", "--xyzzy"}, "unknown flag: --xyzzy\n"},
		{[]string{"games", "bnak"}, `unknown game "bnak" (did you mean bank?); the games are bank, `},
		{[]string{"config", "bank", "--set", "learner.ppo.epoch=3"}, "unknown key (did you mean epochs?); the keys are "},
		{[]string{"simulate", "bank", "--policy", "treshold(100)"},
			`--policy: unknown agent "treshold(100)" of bank (did you mean threshold?)`},
		{[]string{"advise"}, "advise takes GAME [POSITION], or one of compare, review; nothing is given"},
		{[]string{"games", "a", "b"}, "games takes [GAME], or one of add, check, new, program, remove; given: a b"},
		{[]string{"export", "x"}, "export takes no arguments; given: x"},
		{[]string{"solve", "pig", "x"}, "solve pig takes no arguments; given: x"},
	} {
		status, stdout, stderr := croupier("", call.args...)
		require.Equal(t, 2, status, call.args)
		require.Empty(t, stdout, call.args)
		require.Contains(t, stderr, "croupier: ", call.args)
		require.Contains(t, stderr, call.want, call.args)
	}
}

// Every command that takes agents knows the levels, and answers an unknown name alike, with status 2.
func TestUnknownAgents(t *testing.T) {
	const says = `unknown agent "somebody" of kuhn; there are beginner, `
	position := kuhnPosition(t)
	for _, args := range [][]string{
		{"arena", "somebody", "random", "--game", "kuhn"},
		{"advise", "compare", "kuhn", "somebody", "random"},
		{"simulate", "kuhn", "--policy", "somebody"},
		{"play", "kuhn", "--against", "somebody"},
		{"advise", "kuhn", "--run", "none", "--position", position, "--agent", "somebody"},
		{"arena", "exploit", "kuhn", "somebody"},
		{"serve", "somebody", "--game", "kuhn"},
		{"solve", "kuhn", "--agent", "somebody"},
	} {
		require.Contains(t, refused(t, 2, args...), says, args)
	}
}

// kuhnPosition returns a file with a position.
func kuhnPosition(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "position.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"card": "K", "moves": []}`), 0o600))
	return path
}

// Levels are agents wherever one is named, and all stands for the bots.
func TestLevelsAreAgents(t *testing.T) {
	stdout := succeed(t, "", "arena", "beginner", "expert", "all", "--game", "kuhn", "--games", "20", "--json")
	var ladder messages.Ladder
	require.NoError(t, json.Unmarshal([]byte(stdout), &ladder))
	var names []string
	for _, a := range ladder.Agents {
		names = append(names, a.Name)
	}
	require.Subset(t, names, []string{"random", "always-bet", "always-pass"})
	require.NotContains(t, names, "expert")
	require.Equal(t, succeed(t, "", "simulate", "kuhn", "--policy", "random"),
		succeed(t, "", "simulate", "kuhn", "--policy", "beginner"))
	require.Contains(t, succeed(t, "", "advise", "kuhn", "--run", "none", "--position", kuhnPosition(t), "--agent",
		"beginner"), "random")
	require.Contains(t, refused(t, 2, "arena", "all", "--game", "pig", "--format", "sprt"), "--format sprt: ")
}

func TestVersion(t *testing.T) {
	require.Regexp(t, `^croupier devel \((commit \w+(-dirty)?, \d{4}-\d\d-\d\d, )?go1\.\S+, \w+/\w+, `+
		`kernels (avx512(\+bf16|\+amx)?|avx2|neon|portable)\)\n$`,
		succeed(t, "", "--version"))
}
