package learner

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
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

// TestReplayedGamesAreThoseOfIngestion: the replayer rebuilds from stored games exactly
// what ingestion would have gathered for PPO, except the log-probabilities.
func TestReplayedGamesAreThoseOfIngestion(t *testing.T) {
	o := testOptions(t)
	o.Game = leducGame(t)
	o.Layout = testLayout(t, o.Game, o.Layout.Description)
	o.Config.PPO.Samples, o.Config.DQN.Samples = 1<<20, 1<<20
	x := encode(t, playingActor(t, o, "actor-1", 4).batch(300))
	direct := testIngestion(t, o, 5)
	require.NoError(t, direct.batch(t.Context(), fakeMessage{x}))
	want := rolloutOf(direct)

	o = withRegistry(o)
	o.Config.Algorithm = "dqn"
	packed := testIngestion(t, o, 5)
	require.NoError(t, packed.batch(t.Context(), fakeMessage{x}))
	in := packed.rollout
	require.Equal(t, &want.size, &in.size)
	got, p := newRollout(o.Game.Spec()), newReplayer(o.Config, []engine.Game{o.Game}, false)
	for i := range in.games {
		p.replay(&in.games[i], 0.5, got)
	}
	in.size.figures, want.size.figures = got.size.figures, got.size.figures // of new games alone
	require.Equal(t, &want.size, &got.size)
	require.Equal(t, want.observations, got.observations)
	require.Equal(t, want.actions, got.actions)
	require.Equal(t, want.spans, got.spans)
	require.Equal(t, want.legal, got.legal)
	require.Equal(t, want.legalEnd, got.legalEnd)
	for i, s := range want.sequences {
		s.weight = 0.5
		require.Equal(t, s, got.sequences[i])
	}

	both := newRollout(o.Game.Spec())
	both.append(got)
	both.append(got)
	require.Equal(t, 2*got.len(), both.len())
	require.Equal(t, got.observation(7), both.observation(got.len()+7))
	last := both.sequences[len(both.sequences)-1]
	require.Equal(t, both.len(), last.first+last.length)
}
