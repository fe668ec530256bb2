package train

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/nn"
)

// TestAlgorithmsAreDeclaredWhole: a field of Sections is all the package needs to know
// about an algorithm.
func TestAlgorithmsAreDeclaredWhole(t *testing.T) {
	sections := reflect.TypeFor[Sections]()
	list := Algorithms()
	require.Len(t, list, sections.NumField())
	for i, a := range list {
		require.Equal(t, sections.Field(i).Tag.Get("yaml"), a.Name, "the settings' key is the name")
		require.NoError(t, messages.CheckToken(a.Name))
		require.Contains(t, []nn.Outputs{nn.PolicyOutputs, nn.ActionValueOutputs}, a.Outputs)
		require.NotEmpty(t, a.Series)
		require.Positive(t, a.Samples)
	}
}

func TestAnyOf(t *testing.T) {
	require.Equal(t, "ppo", anyOf([]string{"ppo"}))
	require.Equal(t, "ppo or dqn", anyOf([]string{"ppo", "dqn"}))
	require.Equal(t, "ppo, dqn or reinforce", anyOf([]string{"ppo", "dqn", "reinforce"}))
}
