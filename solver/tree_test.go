package solver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/bank"
	"croupier/games/kuhn"
	"croupier/games/leduc"
)

// The sizes are those that OpenSpiel documents: 12 information sets in Kuhn poker,
// 936 in Leduc hold'em (both seats together).
func TestTreeSizes(t *testing.T) {
	tree := newTree(t, kuhn.Game{})
	require.Equal(t, [4]int{58, 30, 6, 6}, [4]int{tree.Nodes(), tree.Leaves(), tree.InformationSets(0),
		tree.InformationSets(1)})
	tree = newTree(t, leduc.Game{})
	require.Equal(t, [4]int{9457, 5520, 468, 468}, [4]int{tree.Nodes(), tree.Leaves(), tree.InformationSets(0),
		tree.InformationSets(1)})
}

func TestTreeHasANodeLimit(t *testing.T) {
	_, err := NewTree(kuhn.Game{}, 58)
	require.NoError(t, err)
	_, err = NewTree(kuhn.Game{}, 57)
	require.ErrorContains(t, err, "kuhn: the game has too many nodes: the limit is 57")
}

func TestTreeRefusesForgottenActions(t *testing.T) {
	forgetful := &variant{key: func(key []byte) []byte { return key[:2] }}
	_, err := NewTree(forgetful, MaxNodes)
	require.ErrorContains(t, err, "no perfect recall: seat 1 has the same information key after [0 1] and after [0 1 0 1]")
}

func TestTreeRefusesChoicesThatDependOnHiddenCards(t *testing.T) {
	leaky := &variant{actions: func(s engine.State) []int {
		if s.(*variantState).Card(1) == 2 {
			return []int{kuhn.Pass}
		}
		return []int{kuhn.Pass, kuhn.Bet}
	}}
	_, err := NewTree(leaky, MaxNodes)
	require.ErrorContains(t, err, "no perfect recall")
}

func TestTreeReportsAnIllegalAction(t *testing.T) {
	_, err := NewTree(&variant{actions: func(engine.State) []int { return []int{7} }}, MaxNodes)
	require.ErrorIs(t, err, engine.ErrIllegal)
	require.ErrorContains(t, err, "after [0 1]")
}

// Two-handed BANK! has few nodes on the way to its first, very long history.
func TestTreeRefusesLongGames(t *testing.T) {
	g, err := bank.New([]byte("players: 2"))
	require.NoError(t, err)
	_, err = NewTree(g, MaxNodes)
	require.ErrorContains(t, err, "bank: its histories are too long: they have up to ")
}
