package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShapingInSettings(t *testing.T) {
	for set, want := range map[string]string{
		"learner.shaping.meld=0.1": `learner.shaping.meld: unknown term; ` +
			`those of tysiac are valid_meld, wasted_bomb, precise_contract`,
		"learner.shaping.valid_meld=big": `--set learner.shaping.valid_meld=big: ` +
			`learner.shaping.valid_meld: "big" is not a number`,
	} {
		require.Contains(t, refused(t, 2, "config", "tysiac", "--set", set), want)
	}
	require.Contains(t, refused(t, 2, "config", "pig", "--set", "learner.shaping.meld=1"),
		`learner.shaping.meld: unknown term; pig has none`)
	status, stdout, stderr := croupier("", "config", "tysiac")
	require.Equal(t, 0, status, stderr)
	require.Contains(t, stdout, "\n  shaping: {}\n")
	status, stdout, stderr = croupier("", "config", "tysiac", "--set", "learner.shaping.wasted_bomb=-0.05", "--set",
		"learner.shaping.valid_meld=0.01")
	require.Equal(t, 0, status, stderr)
	require.Contains(t, stdout, "\n  shaping: {valid_meld: 0.01, wasted_bomb: -0.05}\n")
}
