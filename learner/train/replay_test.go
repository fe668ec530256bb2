package train

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/nn"
)

// TestReplayBuffer compares with a plain list of games, while it grows and at its limits.
func TestReplayBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maxSamples := rapid.IntRange(1, 20_000).Draw(t, "samples")
		maxBytes := rapid.IntRange(1, 400_000).Draw(t, "bytes")
		r := newReplay(maxSamples, maxBytes)
		var plain []game
		for k := range rapid.IntRange(1, 3000).Draw(t, "games") {
			g := game{history: make([]byte, k%7), seats: 1, samples: int32(1 + k%5), version: uint64(k)}
			r.insert(g)
			plain = append(plain, g)
			r.prioritise(r.slot(r.next-1), 1+float64(k%3))
			samples, bytes := 0, 0
			for _, g := range plain {
				samples, bytes = samples+int(g.samples), bytes+g.bytes()
			}
			for len(plain) > 1 && (samples > maxSamples || bytes > maxBytes) {
				samples, bytes = samples-int(plain[0].samples), bytes-plain[0].bytes()
				plain = plain[1:]
			}
			require.Equal(t, len(plain), r.games())
			require.Equal(t, samples, r.samples)
			require.Equal(t, bytes, r.bytes)
			if k%100 != 0 {
				continue
			}
			total := 0.0
			for i, g := range plain {
				slot := r.slot(r.first + uint64(i))
				require.Equal(t, g, r.slots[slot])
				require.Equal(t, 1+float64(g.version%3), r.priorities.at(slot))
				total += r.priorities.at(slot)
			}
			require.InDelta(t, total, r.priorities.total(), 1e-6)
		}
	})
}

func TestDrawsFollowThePriorities(t *testing.T) {
	r := newReplay(1000, 1<<20)
	for range 3 {
		r.insert(game{history: []byte{1}, seats: 1, samples: 1})
	}
	for i, p := range []float64{1, 2, 5} {
		r.prioritise(i, p)
	}
	const draws = 80_000
	counts, rng := [3]float64{}, engine.NewRNG(1, 0)
	for range draws {
		slot, excess := r.draw(rng)
		require.InDelta(t, r.priorities.at(slot)*3/8, excess, 1e-12)
		counts[slot]++
	}
	require.InDeltaSlice(t, []float64{1. / 8, 2. / 8, 5. / 8},
		[]float64{counts[0] / draws, counts[1] / draws, counts[2] / draws}, 0.01)
	r.insert(game{history: []byte{1}, seats: 1, samples: 1})
	require.EqualValues(t, 5, r.priorities.at(3), "a new game has the largest priority")
	r.insert(game{history: []byte{1}, seats: 1, samples: 1, stage: 1})
	require.Equal(t, 1, r.games(), "games under other rules are gone")
}

// TestReplayedGamesAreThoseThatWereRecorded: the replayer rebuilds from stored games exactly
// what was recorded of them for PPO, except the log-probabilities.
func TestReplayedGamesAreThoseThatWereRecorded(t *testing.T) {
	want, in, got := recordedTwice(t, leducGame(t), nn.Description{Dense: []int{16}}, 0.5)
	in.Size.Figures, want.Size.Figures = got.Size.Figures, got.Size.Figures // of new games alone
	require.Equal(t, &want.Size, &got.Size)
	require.Equal(t, want.Observations, got.Observations)
	require.Equal(t, want.Actions, got.Actions)
	require.Equal(t, want.Spans, got.Spans)
	require.Equal(t, want.Legal, got.Legal)
	require.Equal(t, want.LegalEnd, got.LegalEnd)
	for i, s := range want.Sequences {
		s.Weight = 0.5
		require.Equal(t, s, got.Sequences[i])
	}

	both := NewRollout(leducGame(t).Spec())
	both.append(got)
	both.append(got)
	require.Equal(t, 2*got.Len(), both.Len())
	require.Equal(t, got.Observation(7), both.Observation(got.Len()+7))
	last := both.Sequences[len(both.Sequences)-1]
	require.Equal(t, both.Len(), last.First+last.Length)
}

// recordedTwice plays games that are recorded for PPO and for DQN, and returns what was recorded of them and what the
// replay buffer makes of them, with a weight in the loss.
func recordedTwice(t *testing.T, game engine.Game, d nn.Description,
	weight float32) (rows, counted, replayed *Rollout) {
	t.Helper()
	c := DefaultConfig()
	o := trial{game, testLayout(t, game, d), c}
	direct := recordingOf(game, o.ppo(t, 1))
	playRandomly(t, game, direct, 60, 1)
	d.Dueling = true
	packed := recordingOf(game, trial{game, testLayout(t, game, d), c}.dqn(t))
	playRandomly(t, game, packed, 60, 1)
	require.Equal(t, &direct.Size, &packed.Size)
	require.Zero(t, packed.Len())
	got, p := NewRollout(game.Spec()), newReplayer(c, []engine.Game{game}, o.Layout.StateSize > 0)
	for i := range packed.games {
		p.replay(&packed.games[i], weight, got)
	}
	return direct.Rollout, packed.Rollout, got
}
