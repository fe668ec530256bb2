package learner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTeacherIsABotOfTheGame(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Teacher = "equilibrum(0.2)"
	_, err := New(o)
	require.ErrorContains(t, err, `ppo.teacher: unknown kuhn bot "equilibrum(0.2)" (did you mean equilibrium?)`)
}
