package rating

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfMembers(t *testing.T) {
	for _, name := range []string{"main@12", "greedy:main@12", "temperature(0.5):main@12"} {
		order, ok := MemberOrder(name)
		require.True(t, ok, name)
		require.EqualValues(t, 12, order)
	}
	for _, name := range []string{"random", "greedy:random", "greedy:", "temperature(2", "search:main@1"} {
		require.False(t, IsMember(name), name)
	}
	require.True(t, NewKey("greedy:main@2", "greedy:main@10").gated())
	require.False(t, NewKey("greedy:main@2", "main@2").gated())
	require.False(t, NewKey("greedy:main@2", "random").gated())
}
