package learner

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/tysiac"
	"croupier/internal/stat"
	"croupier/internal/strict"
	"croupier/nn"
)

// cardRound is a round of a game of chance: a card of +1 or −1 is drawn, and the seat gets it once or, as it chooses,
// twice. Then a decision is forced on it. It chooses either with the same probability, so that what it has is
// what it may expect between two rounds, and the card is worth 1.5 times itself.
type cardRound struct {
	engine.State
	score, card float32
}

func (s cardRound) Boundary() bool { return s.card == 0 }

func (s cardRound) Observe(_ int, dst []float32) { dst[0], dst[1] = s.score, s.card }

const cardRounds = 4

// playCards records games whose seats do the same.
func playCards(rec *recording, games int) {
	rng := engine.NewRNG(1, engine.ChanceStream)
	for range games {
		rec.begin(0, 1, bothSeats)
		score := float32(0)
		for range cardRounds {
			rec.visit(cardRound{score: score}, engine.Chance, 0, nil, 0, false)
			card := float32(2*rng.IntN(2) - 1)
			times := rng.IntN(2)
			rec.visit(cardRound{score: score, card: card}, 0, times, []int{0, 1}, 0, true)
			rec.seats[0].credit(0.25, 1)
			score += card * float32(1+times)
			rec.visit(cardRound{score: score, card: card}, 0, 0, []int{0}, 0, true)
		}
		rec.keep(played{results: []float32{score}, versions: []uint64{1}})
	}
}

// cardRecording returns a recording of games with exact values, of decisions and of boundaries. Rewards of shaping
// within a round count in it alone.
func cardRecording(games int) *rollout {
	spec := &engine.Spec{Seats: 1, ObservationSize: 2}
	recorder := &recorder{seats: make([]record, 1), shapers: make([]*shaper, 1), bounded: true}
	recorder.seats[0] = record{decisions: decisions{spec: spec}, rounds: rounds{decisions: decisions{spec: spec}}}
	rec := &recording{rollout: newRollout(spec), recorder: recorder}
	playCards(rec, games)
	r := rec.rollout
	for i := range r.len() {
		seen := r.observation(i)
		r.values = append(r.values, seen[0]+1.5*seen[1]+0.25)
	}
	return r
}

// TestRoundsAreEpisodes gives exact values to rounds that are episodes: then an advantage is what the choice did and
// nothing else, for every λ; where games are the episodes, it is the same in the mean, with the luck of all later
// cards.
func TestRoundsAreEpisodes(t *testing.T) {
	r := cardRecording(4000)
	require.Len(t, r.rounds.cuts, 4000*(cardRounds-1))
	var bounds []float32
	for i := range r.rounds.len() {
		require.EqualValues(t, 2, r.rounds.spans[i])
		bounds = append(bounds, r.rounds.observation(i)[0])
	}
	did := func(i int) float64 { return float64(r.observation(i)[1]) * (float64(r.actions[i]) - 0.5) }
	for _, lambda := range []float64{0, 0.5, 1} {
		r.rounds.values = bounds
		r.estimate(r.values, 1, lambda)
		for i, a := range r.advantages {
			require.InDelta(t, did(i), a, 1e-5, "λ %v", lambda)
		}
		whole, estimate := slices.Clone(r.advantages), r.estimator(r.values, 1, lambda)
		parts := r.parts(len(r.sequences), r.len(), 7)
		for i := range 7 {
			estimate(parts[6-i], parts[7-i])
		}
		require.Equal(t, whole, r.advantages, "in parts, in any order")
	}
	r.rounds.values = nil
	for i := range r.values {
		left := float32(cardRounds - 1 - i%cardRounds)
		r.values[i] += 0.25 * left // shaping to come
	}
	r.estimate(r.values, 1, 1)
	var errs stat.Moments
	for i, a := range r.advantages {
		errs.Add(float64(a) - did(i))
	}
	require.InDelta(t, 0, errs.Mean, 0.05)
	require.Greater(t, errs.Deviation(), 1.)
}

// TestRoundsAreDiscounted compares with the definition: the value of the boundary follows after the forced decision.
func TestRoundsAreDiscounted(t *testing.T) {
	r := cardRecording(1)
	r.rounds.values = []float32{1, 2, 4}
	r.estimate(make([]float32, cardRounds), 0.5, 1)
	want := []float32{0.25 + 0.25*1, 0.25 + 0.25*2, 0.25 + 0.25*4, 0.25 + 0.5*r.sequences[0].result}
	require.InDeltaSlice(t, want, r.targets, 1e-6)
}

// boundaryOptions are those of a small PPO with boundary values on three hands of Tysiąc.
func boundaryOptions(t *testing.T) (Options, setup) {
	game, err := tysiac.New(strict.YAML("game: {max_hands: 3}"))
	require.NoError(t, err)
	o := testOptions(t)
	o.Game = game
	o.Layout = testLayout(t, o.Game, nn.Description{Dense: []int{8}})
	o.Config.PPO.BoundaryValue = []int{16}
	return o, setupOf(t, o)
}

// TestHandsOfTysiacAreRounds: each hand but the last ends at a boundary, which shows what the next one begins with; the
// luck of its deal is nobody's any more.
func TestHandsOfTysiacAreRounds(t *testing.T) {
	o, set := boundaryOptions(t)
	set.config.PPO.ChanceCorrection = true
	tr, err := newPPO(set.config.PPO, set)
	require.NoError(t, err)
	in := tr.newIntake().(*recording)
	playRandomly(t, o.Game, in, 20, 1)
	require.Greater(t, len(in.rounds().cuts), 50)
	require.Len(t, in.rounds().sequences, 40)
	s := o.Game.NewState()
	first := make([]float32, o.Game.Spec().ObservationSize)
	s.Observe(0, first)
	for i := range in.rounds().len() {
		seen, differ := in.rounds().observation(i), 0
		for k, x := range seen {
			if x != first[k] {
				differ++
			}
		}
		require.LessOrEqual(t, differ, 13, "of the segment game alone")
	}
	in.rounds().values = make([]float32, in.rounds().len())
	in.prepare(tr.steps, 0)
	tr.foresee(in.rollout)
	in.estimate(in.rollout.values, 1, 1)
	require.NotEmpty(t, in.luck.stakes)
	for i, x := range in.corrected {
		require.Zero(t, x, "decision %d", i)
	}
	in.rounds().values = nil
	in.estimate(in.rollout.values, 1, 1)
	require.Greater(t, stat.Of(in.corrected).Deviation(), 0.)
}

func (r *recording) rounds() *rounds { return &r.rollout.rounds }

// TestBoundaryValuesAreUsedOnceTheyExplain: not where there is nothing to explain, but after some iterations.
func TestBoundaryValuesAreUsedOnceTheyExplain(t *testing.T) {
	o, set := boundaryOptions(t)
	tr, err := newPPO(o.Config.PPO, set)
	require.NoError(t, err)
	in := tr.newIntake().(*recording)
	playRandomly(t, o.Game, in, 20, 1)
	for i := range in.rounds().sequences {
		in.rounds().sequences[i].result = 0
	}
	require.Zero(t, tr.boundary.see(in.rounds()))
	require.Nil(t, in.rounds().values)
	for i := range 30 {
		in.reset()
		playRandomly(t, o.Game, in, 50, uint64(i))
		tr.boundary.see(in.rounds())
		require.NoError(t, tr.boundary.learn(t.Context(), 0))
	}
	in.reset()
	playRandomly(t, o.Game, in, 200, 1000)
	explained := tr.boundary.see(in.rounds())
	t.Logf("explained variance %.2f", explained)
	require.Greater(t, explained, 0.2)
	require.NotNil(t, in.rounds().values)
}

// TestWithoutBoundariesAllIsAsBefore: a game without boundaries is learnt with the setting as without.
func TestWithoutBoundariesAllIsAsBefore(t *testing.T) {
	o, set := criticOptions(t)
	var weights [2][]float32
	for i := range weights {
		o.Config.PPO.BoundaryValue = [][]int{nil, {8}}[i]
		tr, err := newPPO(o.Config.PPO, set)
		require.NoError(t, err)
		in := tr.newIntake().(*recording)
		playRandomly(t, o.Game, in, 100, 1)
		_, err = tr.learn(t.Context(), in.rollout, 0)
		require.NoError(t, err)
		weights[i] = tr.network.Weights
	}
	require.Equal(t, weights[0], weights[1])
}

func TestBoundaryValueOfAGameWithoutRoundsIsRefused(t *testing.T) {
	o, _ := criticOptions(t)
	o.Config.PPO.BoundaryValue = []int{8}
	require.ErrorContains(t, o.Config.Check(o.Game, o.Layout.Description), "ppo.boundary_value: leduc has no rounds")
}
