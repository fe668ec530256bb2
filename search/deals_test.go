package search

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// Deals are as likely as what the other seat has said makes them, by Bayes' rule.
func TestDealsFollowWhatTheOtherHasDone(t *testing.T) {
	game := newGame(t, "tysiac-hand", "bidding: {jump_bids: false}")
	segments := game.Spec().Segments
	hand := segments[slices.IndexFunc(segments, func(s engine.Segment) bool { return s.Name == "hand" })].Offset
	observation := make([]float32, game.Spec().ObservationSize)
	holds := func(s engine.State, seat, card int) bool {
		s.Observe(seat, observation)
		return observation[hand+card] == 1
	}
	s, rng := game.NewState(), engine.NewRNG(1, 1)
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.SampleChance(rng)))
	}
	speaker, legal := s.Player(), s.LegalActions(nil)
	require.Len(t, legal, 2)
	seat := 1 - speaker
	card := 0
	for holds(s, seat, card) {
		card++
	}
	// A seat with the card takes the first action with 0.9, one without it with 0.1.
	model := newFixed(64, func(engine.State, []int) float64 { return 0 })
	model.prior = func(s engine.State, legal []int, dst []float64) {
		p := 0.1
		if holds(s, s.Player(), card) {
			p = 0.9
		}
		dst[0], dst[1] = math.Log(p), math.Log(1-p)
		for i := 2; i < len(legal); i++ {
			dst[i] = math.Inf(-1)
		}
	}
	for i, action := range legal {
		after := s.Clone()
		require.NoError(t, after.Apply(action))
		require.Equal(t, seat, after.Player())
		d := newDeals(game, model, 1000)
		d.begin(after, seat, 1)
		found := 0
		const worlds = 2000
		for number := range worlds {
			deal := d.of(number)
			require.Equal(t, after.InformationKey(seat, nil), deal.InformationKey(seat, nil))
			if holds(deal, speaker, card) {
				found++
			}
		}
		// Ten of the fourteen cards that the seat does not see are the speaker's.
		with := 10. / 14 * (0.9*[]float64{0.9, 0.1}[i] + 0.05)
		without := 4. / 14 * (0.9*[]float64{0.1, 0.9}[i] + 0.05)
		require.InDelta(t, with/(with+without), float64(found)/worlds, 0.03)
	}
}
