package main

import (
	"testing"

	"github.com/stretchr/testify/require"
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
		{[]string{"simulate", "bank", "--policy", "treshold(100)"}, `unknown bank bot "treshold(100)" (did you mean threshold?)`},
		{[]string{"advise"}, "advise takes GAME; nothing is given"},
		{[]string{"games", "a", "b"}, "games takes [GAME]; given: a b"},
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

func TestVersion(t *testing.T) {
	require.Regexp(t, `^croupier devel \((commit \w+(-dirty)?, \d{4}-\d\d-\d\d, )?go1\.\S+, \w+/\w+, `+
		`kernels (avx512(\+bf16|\+amx)?|avx2|neon|portable)\)\n$`,
		succeed(t, "", "--version"))
}
