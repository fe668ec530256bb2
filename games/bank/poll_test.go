package bank

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// A game continues from a poll as it does from the state itself.
func TestPollIsThePosition(t *testing.T) {
	for _, repoll := range []string{"true", "false"} {
		g, err := New([]byte("players: 4\nrounds: 3\nrepoll: " + repoll))
		require.NoError(t, err)
		s, copied, rng := g.NewState(), g.NewState().(*State), engine.NewRNG(1, engine.ChanceStream)
		for game := range 100 {
			for s.Reset(); s.Player() != engine.Terminal; {
				step := s.SampleChance(rng)
				if s.Player() >= 0 {
					if poll := s.(*State).Poll(); poll.Asking == poll.Active { // the first question, or as good as it
						seat := poll.Seat
						poll.Seat = -1
						if copied.SetPoll(poll); s.(*State).banked == 0 {
							require.Equal(t, seat, copied.Player())
						}
					}
					copied.SetPoll(s.(*State).Poll())
					require.Equal(t, s.(*State).Poll(), copied.Poll(), "game %d", game)
					step = rng.IntN(2)
					require.NoError(t, copied.Apply(step))
					require.NoError(t, s.Apply(step))
					require.Equal(t, s.Player(), copied.Player())
					require.Equal(t, s.Scores(nil), copied.Scores(nil))
					continue
				}
				require.NoError(t, s.Apply(step))
			}
		}
	}
}
