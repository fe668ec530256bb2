package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneNumber(t *testing.T) {
	got := 0.0
	bots := Bots{Game: "own", Table: []NamedBot{{Call: "hold(N)", New: OneNumber("N", 1, 1e6, func(n float64) Bot {
		got = n
		return BotFunc(nil)
	})}}}
	for name, n := range map[string]float64{"hold(1)": 1, "hold(1000000)": 1e6, "hold(2.5)": 2.5} {
		_, err := bots.New(name)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
	for _, name := range []string{"hold(0)", "hold(1000001)", "hold(99999999999999999999)"} {
		_, err := bots.New(name)
		require.EqualError(t, err, `own bot "`+name+`": N must be in 1..1000000`)
	}
}
