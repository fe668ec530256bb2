package standard

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// People count seats from 1, in every position of every game.
func TestPeopleCountSeatsFromOne(t *testing.T) {
	zero := regexp.MustCompile(`(?i)\b(seat|player) 0\b`)
	for _, name := range Games.Names() {
		t.Run(name, func(t *testing.T) {
			game, err := Games.New(name, nil)
			require.NoError(t, err)
			rng := engine.NewRNG(1, 0)
			for s := game.NewState(); ; {
				require.NotRegexp(t, zero, s.String())
				step := 0
				switch s.Player() {
				case engine.Terminal:
					return
				case engine.Chance:
					step = s.SampleChance(rng)
				default:
					legal := s.LegalActions(nil)
					step = legal[rng.IntN(len(legal))]
					require.NotRegexp(t, zero, s.ActionName(step))
				}
				require.NoError(t, s.Apply(step))
			}
		})
	}
}
