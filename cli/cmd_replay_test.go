package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where there are no games, nothing was checked or solved.
func TestNoGamesAreNoAnswer(t *testing.T) {
	for _, line := range [][]string{
		{"replay", "-"}, {"replay", "-", "--trace"}, {"advise", "review", "-"}, {"solve", "tysiac", "--melds", "-"},
		{"solve", "tysiac", "--double-dummy", "-"},
		{"solve", "tysiac", "--melds", "-", "--json"},
	} {
		for _, nothing := range []string{"", "\n \n", "\ufeff"} {
			status, out, said := croupier(nothing, line...)
			require.Equal(t, 1, status, line)
			require.Equal(t, "croupier: standard input: there are no games\n", said, line)
			require.Empty(t, out, line)
		}
	}
}
