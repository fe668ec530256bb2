package suggest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	games := []string{"bank", "bank-cards", "pig", "kuhn", "leduc", "tysiac", "tysiac-hand", "lange-strasse"}
	for name, want := range map[string]string{
		"bnak": "bank", "kuhnn": "kuhn", "Leduc": "leduc", "tysic": "tysiac", "lange-strase": "lange-strasse",
		"langestrasse": "lange-strasse", "tysiac-hnad": "tysiac-hand", "pgi": "pig",
		"lange": "lange-strasse", // the only one that begins so
		"poker": "", "x": "", "": "", "chess": "",
	} {
		require.Equal(t, want, Nearest(name, games), name)
	}
	require.Empty(t, Nearest("bid", []string{"bidding", "bidder"}), "two begin so, and neither is near")
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "badc", 2},
		{"kitten", "sitting", 3}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%q %q", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a), "%q %q", c.b, c.a)
	}
}

func TestHint(t *testing.T) {
	require.Equal(t, " (did you mean tysiac?)", Hint("tysaic", []string{"bank", "tysiac"}))
	require.Empty(t, Hint("chess", []string{"bank", "tysiac"}))
}
