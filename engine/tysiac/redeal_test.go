package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/tysiac/cards"
)

// historyOf returns the steps that led to the state of a first hand, from its log.
func historyOf(s *State) (steps []int) {
	for at := 0; at < int(s.length); at++ {
		step := int(s.log[at]) - 1
		if step >= proven {
			step = Challenge
		}
		steps = append(steps, step)
		if at >= cards.Count && (step == TakeMusik || step == TakeMusik+1) {
			at += musikSize // the cards that are shown
		}
	}
	return steps
}

// After a deal anew the seat knows the same, and the hand could have been played so.
func TestRedealIsConsistent(t *testing.T) {
	game, err := NewHand(nil)
	require.NoError(t, err)
	s, redealt, replayed := game.NewState().(*State), game.NewState().(*State), game.NewState().(*State)
	changed, proofs := 0, 0
	for seed := range uint64(300) {
		chance, choice, deal := engine.NewRNG(seed, 1), engine.NewRNG(seed, 2), engine.NewRNG(seed, 3)
		for s.Reset(); s.Player() != engine.Terminal; {
			seat := s.Player()
			if seat == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(chance)))
				continue
			}
			redealt.CopyFrom(s)
			redealt.Redeal(seat, deal)
			require.Equal(t, s.InformationKey(seat, nil), redealt.InformationKey(seat, nil))
			require.Equal(t, s.view(seat), redealt.view(seat))
			replayed.Reset()
			for _, step := range historyOf(redealt) {
				require.NoError(t, replayed.Apply(step))
			}
			replayed.past = redealt.past
			require.Equal(t, redealt, replayed)
			if redealt.hands != s.hands {
				changed++
			}
			if s.shown[1-seat] != 0 {
				proofs++
			}
			legal := s.LegalActions(nil)
			require.NoError(t, s.Apply(legal[choice.IntN(len(legal))]))
		}
	}
	require.Greater(t, changed, 1000)
	require.Positive(t, proofs)
}

// Every deal that fits comes about equally often.
func TestRedealIsUniform(t *testing.T) {
	s := redealExample(t)
	counts, rng := map[cards.Set]int{}, engine.NewRNG(1, 1)
	const draws = 10_000
	for range draws {
		s.Redeal(0, rng)
		counts[s.musiks[0]]++
	}
	require.Len(t, counts, 66, "pairs of twelve cards")
	for pair, n := range counts {
		require.InDelta(t, draws/66., n, 5*12.3, pair.String())
	}
}

// redealExample is a hand in which seat 0 has taken the second musik and returns: twelve
// cards are unseen, two of them in the other musik.
func redealExample(t *testing.T) *State {
	game, err := NewHand([]byte("bombing: {enabled: false}"))
	require.NoError(t, err)
	s := game.NewState().(*State)
	for card := range cards.Count {
		require.NoError(t, s.Apply(card))
	}
	for _, step := range []int{Pass, FirstBid, TakeMusik + 1} {
		require.NoError(t, s.Apply(step))
	}
	require.Zero(t, s.Player())
	return s
}
