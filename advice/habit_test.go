package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/policy"
)

// mixer rolls with one probability in its first decision and another in its later ones.
type mixer struct {
	policy.Random
	rolls   *[2]float64
	decided int
}

func (m *mixer) Reset() { m.decided = 0 }

func (m *mixer) Distribution(_ engine.State, legal []int, dst []float64) {
	for i, action := range legal {
		dst[i] = 1 - m.rolls[min(m.decided, 1)]
		if action == pig.Roll {
			dst[i] = m.rolls[min(m.decided, 1)]
		}
	}
	m.decided++
}

func TestOddActions(t *testing.T) {
	q := at(t, "pig", `{"scores": [0, 0], "turn": 6, "seat": 0}`)
	q.History = []int{pig.Roll, 5}
	for _, test := range []struct {
		rolls     [2]float64
		recurrent bool
		rollIsOdd bool
	}{
		{[2]float64{0.04, 0.5}, false, true},
		{[2]float64{0.06, 0.5}, false, false},
		{[2]float64{0.5, 0.04}, true, true}, // it remembers its first decision
		{[2]float64{0.04, 0.5}, true, false},
	} {
		agent := Agent{Recurrent: test.recurrent, New: func() policy.Policy { return &mixer{rolls: &test.rolls} }}
		odd, err := q.odd(agent, pig.Roll)
		require.NoError(t, err)
		require.Equal(t, test.rollIsOdd, odd, "%+v", test)
		odd, err = q.odd(agent, pig.Hold)
		require.NoError(t, err)
		require.False(t, odd)
		a := ask(t, q, agent, Options{Samples: 2, Seed: 1})
		require.Equal(t, test.rolls[map[bool]int{false: 0, true: 1}[test.recurrent]], *a.Actions[pig.Roll].Frequency)
	}
	// What an agent takes that does not give its probabilities is tried out.
	always := bot(t, "pig", "hold(20)")
	odd, err := q.odd(always, pig.Hold)
	require.NoError(t, err)
	require.True(t, odd)
	odd, err = q.odd(always, pig.Roll)
	require.NoError(t, err)
	require.False(t, odd)
}
