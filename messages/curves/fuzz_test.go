package curves

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// Each line is a record or is counted as damaged, and the length of the complete lines is right.
func FuzzFile(f *testing.F) {
	line, err := encode(Entry{7, &messages.Points{Source: "learner", Seconds: 1, Samples: 2,
		Points: []*messages.Point{{Series: "entropy", Value: 1}, {Series: "x", Value: 2, Low: 1, High: 3,
			HasInterval: true}}}})
	require.NoError(f, err)
	f.Add(line)
	f.Add(append(append([]byte{}, line...), "{}\n{"...))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, damaged, complete := parse(text)
		require.LessOrEqual(t, complete, len(text))
		again, damagedAgain, completeAgain := parse(text[:complete])
		require.Equal(t, len(records), len(again))
		require.Equal(t, damaged, damagedAgain)
		require.Equal(t, complete, completeAgain)
	})
}
