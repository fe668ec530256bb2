package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/bank"
	langestrasse "croupier/games/lange-strasse"
	"croupier/games/pig"
	"croupier/games/tysiac"
	"croupier/internal/stat"
	"croupier/nn"
)

// pigTarget and pigHold make a small game of Pig, in which both seats hold at 8.
const pigTarget, pigHold = 20, 8

// heldValue is the value of a position of that game to the seat to move, given its score, the other's and
// the points of the turn.
type heldValue [pigTarget][pigTarget][pigTarget]float64

func pigHolds(score, turn int) bool { return turn >= pigHold || score+turn >= pigTarget }

// valuesOfHolding evaluates the strategy by iteration.
func valuesOfHolding() *heldValue {
	v := &heldValue{}
	for change := 1.0; change > 1e-12; {
		change = 0
		for mine := range pigTarget {
			for others := range pigTarget {
				for turn := pigTarget - mine; turn >= 0; turn-- {
					if turn == pigTarget {
						continue
					}
					x := 0.0
					switch {
					case mine+turn >= pigTarget:
						x = 1
					case pigHolds(mine, turn):
						x = -v[others][mine+turn][0]
					default:
						x = -v[others][mine][0] / 6
						for face := 2; face <= 6; face++ {
							if mine+turn+face >= pigTarget {
								x += 1.0 / 6
							} else {
								x += v[mine][others][turn+face] / 6
							}
						}
					}
					change = max(change, math.Abs(x-v[mine][others][turn]))
					v[mine][others][turn] = x
				}
			}
		}
	}
	return v
}

// TestChanceCorrectionLeavesNoLuck gives the correction the exact values of a strategy that both seats follow: then
// every advantage is 0 in every game, where without it they vary by the luck of the dice.
func TestChanceCorrectionLeavesNoLuck(t *testing.T) {
	game, err := pig.New([]byte(fmt.Sprintf("target: %d", pigTarget)))
	require.NoError(t, err)
	exact, byObservation := valuesOfHolding(), map[string]float32{}
	s := game.NewState().(*pig.State)
	row := make([]float32, game.Spec().ObservationSize)
	for mine := range pigTarget {
		for others := range pigTarget {
			for turn := range pigTarget {
				s.SetPosition([2]int{mine, others}, turn, 0)
				s.Observe(0, row)
				byObservation[string(keyOf(row))] = float32(exact[mine][others][turn])
				if mine+turn >= pigTarget {
					byObservation[string(keyOf(row))] = 1
				}
			}
		}
	}
	c := DefaultConfig()
	rec := &recording{NewRollout(game.Spec()), newRecorder(c, []engine.Game{game}, false)}
	rec.chanceRecorders = []*chanceRecorder{newChanceRecorder(game)}
	rng, scores := engine.NewRNG(1, engine.ChanceStream), make([]int64, 0, 2)
	for range 200 {
		rec.begin(&Episode{Seed: 1})
		s.Reset()
		for s.Player() != engine.Terminal {
			seat, step := s.Player(), 0
			if seat == engine.Chance {
				step = s.SampleChance(rng)
			} else {
				step = pig.Roll
				if scores = s.Scores(scores[:0]); pigHolds(int(scores[seat]), s.Turn()) {
					step = pig.Hold
				}
			}
			rec.visit(&Step{s, seat, step, []int{pig.Roll, pig.Hold}, 0, seat >= 0})
			require.NoError(t, s.Apply(step))
		}
		returns := make([]float64, 2)
		s.Returns(returns)
		rec.keep(float32(returns[0]), float32(returns[1]))
	}
	r := rec.Rollout
	r.Values = resize(r.Values, r.Len())
	for i := range r.Values {
		r.Values[i] = lookup(t, byObservation, r.Observation(i))
	}
	size := game.Spec().ObservationSize
	for at := 0; at < len(r.controlVariate.positions); at += size {
		v := &r.controlVariate
		v.values = append(v.values, lookup(t, byObservation, v.positions[at:at+size]))
	}
	for _, lambda := range []float64{0, 0.5, 1} {
		r.estimate(r.Values, 1, lambda)
		for i, a := range r.Advantages {
			require.InDelta(t, 0, a, 1e-4, "λ %v, decision %d", lambda, i)
		}
	}
	r.controlVariate.clear()
	r.estimate(r.Values, 1, 1)
	require.Greater(t, r.moments(r.Advantages).Deviation(), 0.5, "what the dice do without it")
}

func keyOf(observation []float32) []byte {
	var key []byte
	for _, x := range observation {
		b := math.Float32bits(x)
		key = append(key, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	return key
}

func lookup(t *testing.T, values map[string]float32, observation []float32) float32 {
	v, ok := values[string(keyOf(observation))]
	require.True(t, ok, "a position that cannot be")
	return v
}

// TestChanceCorrectionHasMeanZero looks at the chance nodes of games of BANK! for three, where after most dice
// others choose and a seven ends a round: over what may be drawn, the luck of every seat has mean 0, whatever
// the values are. Nodes after which more may be drawn before anybody chooses are for the next tests.
func TestChanceCorrectionHasMeanZero(t *testing.T) {
	game, err := bank.New([]byte("players: 3"))
	require.NoError(t, err)
	c, rng := DefaultConfig(), engine.NewRNG(5, engine.ChanceStream)
	rec := newRecorder(c, []engine.Game{game}, false)
	s, values, nodes := game.NewState(), []float32{}, 0
	var lucks stat.Moments
	rec.begin(&Episode{Seed: 1})
	for nodes < 100 {
		if s.Player() == engine.Terminal {
			s.Reset()
			rec.begin(&Episode{Seed: 1})
		}
		if seat := s.Player(); seat >= 0 {
			legal := s.LegalActions(nil)
			step := legal[rng.IntN(len(legal))]
			rec.visit(&Step{s, seat, step, legal, 0, true})
			require.NoError(t, s.Apply(step))
			continue
		}
		sums, open := make([]float64, 3), false
		for _, o := range s.Outcomes(nil) {
			v := newChanceRecorder(game)
			v.begin(9)
			v.see(s, o.Index, rec.rows.seats)
			open = open || v.open
			for len(values) < len(v.outcomes) {
				values = append(values, float32(rng.Float64()*2-1))
			}
			v.values = values
			for _, k := range v.terms {
				rewards := make([]float32, rec.rows.seats[k.seat].Len())
				one := v.controlVariate
				one.terms = []term{k}
				one.correct(rewards, 0.9)
				sums[k.seat] += o.Probability * float64(rewards[k.sample])
				lucks.Add(float64(rewards[k.sample]))
			}
		}
		if !open {
			require.InDeltaSlice(t, make([]float64, 3), sums, 1e-6)
			nodes++
		}
		require.NoError(t, s.Apply(s.SampleChance(rng)))
	}
	require.Greater(t, lucks.Deviation(), 0.1)
}

// TestChanceCorrectionHasMeanZeroThroughARow: no seat banks before the third dice of a round of BANK!, so that a choice
// may be followed by several nodes in a row. They are one event, whose luck has mean 0 over where the row may end.
func TestChanceCorrectionHasMeanZeroThroughARow(t *testing.T) {
	game := newGame(t, bank.New)
	rec := newRecorder(DefaultConfig(), []engine.Game{game}, false)
	s, rng := game.NewState(), engine.NewRNG(5, engine.ChanceStream)
	rec.begin(&Episode{Seed: 1})
	for rec.rows.seats[0].newest == none || s.Player() != engine.Chance || !goesOn(s) {
		require.NotEqual(t, engine.Terminal, s.Player())
		if seat := s.Player(); seat == engine.Chance {
			require.NoError(t, s.Apply(s.SampleChance(rng)))
		} else {
			legal := s.LegalActions(nil)
			step := legal[rng.IntN(len(legal))]
			rec.visit(&Step{s, seat, step, legal, 0, true})
			require.NoError(t, s.Apply(step))
		}
	}
	var lucks stat.Moments
	rows := 0
	for seed := range uint64(20000) {
		v := newChanceRecorder(game)
		v.begin(seed)
		drawOn(t, v, s, rng, rec.rows.seats)
		require.Len(t, v.events, 1)
		if v.events[0].drawn >= v.events[0].end {
			rows++
		}
		size := game.Spec().ObservationSize
		for at := 0; at < len(v.positions); at += size {
			v.values = append(v.values, anyValue(v.positions[at:at+size]))
		}
		rewards := make([]float32, 1)
		v.terms = []term{{seat: 0, sample: 0, event: 0, made: 1}}
		v.correct(rewards, 1)
		lucks.Add(float64(rewards[0]))
	}
	require.Greater(t, rows, 1000, "events that ended later than where they began")
	requireMeanZero(t, lucks)
}

// goesOn reports that an outcome of a chance node is followed by another chance node.
func goesOn(s engine.State) bool {
	return slices.ContainsFunc(s.Outcomes(nil), func(o engine.Outcome) bool {
		next := s.Clone()
		return next.Apply(o.Index) == nil && next.Player() == engine.Chance
	})
}

// requireMeanZero asks that lucks vary about 0.
func requireMeanZero(t *testing.T, lucks stat.Moments) {
	t.Helper()
	require.Greater(t, lucks.Deviation(), 0.1)
	require.Less(t, math.Abs(lucks.Mean), 4*lucks.Deviation()/math.Sqrt(lucks.N))
}

// TestSampledChanceCorrectionHasMeanZero: a roll of five dice has too many outcomes to look at all of them, a hand of
// cards is dealt by one chance node after the other. Eight events stand for all: the luck has mean 0, and of what
// the event brought an eighth of the variance is left.
func TestSampledChanceCorrectionHasMeanZero(t *testing.T) {
	for name, game := range map[string]engine.Game{
		"five dice": newGame(t, langestrasse.New), "a hand of cards": newGame(t, tysiac.New),
	} {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(DefaultConfig(), []engine.Game{game}, false)
			rec.begin(&Episode{Seed: 1})
			s, rng := game.NewState(), engine.NewRNG(5, engine.ChanceStream)
			var outcomes []engine.Outcome
			for rec.rows.seats[0].newest == none || len(outcomes) <= maxOutcomes {
				if seat := s.Player(); seat >= 0 {
					legal := s.LegalActions(nil)
					rec.visit(&Step{s, seat, legal[0], legal, 0, true})
					require.NoError(t, s.Apply(legal[0]))
				} else {
					require.NoError(t, s.Apply(s.SampleChance(rng)))
				}
				outcomes = s.Outcomes(outcomes[:0])
			}
			var lucks, worths, rest stat.Moments
			for seed := range uint64(4000) {
				v := newChanceRecorder(game)
				v.begin(seed)
				reached := drawOn(t, v, s, rng, rec.rows.seats)
				size := game.Spec().ObservationSize
				for at := 0; at < len(v.positions); at += size {
					v.values = append(v.values, anyValue(v.positions[at:at+size]))
				}
				require.Len(t, v.events, 1)
				d := v.events[0]
				require.Equal(t, sampledOutcomes, d.end-d.first)
				k := term{seat: 0, sample: 0, event: 0, made: 1}
				worth := float64(v.worth(v.outcomes[d.drawn], k, 1))
				require.Equal(t, reached.Player(), v.outcomes[d.drawn].decider)
				rewards := make([]float32, 1)
				v.terms = []term{k}
				v.correct(rewards, 1)
				lucks.Add(float64(rewards[0]))
				worths.Add(worth)
				rest.Add(worth + float64(rewards[0]))
			}
			requireMeanZero(t, lucks)
			require.InDelta(t, 1./sampledOutcomes, math.Pow(rest.Deviation()/worths.Deviation(), 2), 0.02)
		})
	}
}

// TestChanceCorrectionEndsWithTheGame: where no seat chooses any more after an event, the game's result is what it
// brought.
func TestChanceCorrectionEndsWithTheGame(t *testing.T) {
	game := newGame(t, tysiac.New)
	rec := &recording{NewRollout(game.Spec()), newRecorder(DefaultConfig(), []engine.Game{game}, false)}
	rec.chanceRecorders = []*chanceRecorder{newChanceRecorder(game)}
	rec.begin(&Episode{Seed: 1})
	s, rng := game.NewState(), engine.NewRNG(5, engine.ChanceStream)
	for len(rec.chance.events) == 0 || !rec.chance.open {
		seat, step, legal := s.Player(), 0, []int(nil)
		if seat == engine.Chance {
			step = s.SampleChance(rng)
		} else {
			legal = s.LegalActions(nil)
			step = legal[0]
		}
		rec.visit(&Step{s, seat, step, legal, 0, seat >= 0})
		require.NoError(t, s.Apply(step))
	}
	rec.keep(0.25, -0.25)
	l := &rec.Rollout.controlVariate
	drawn := l.outcomes[l.events[len(l.events)-1].drawn]
	require.Equal(t, decided, drawn.decider)
	require.Equal(t, []float32{0.25, -0.25}, l.results[drawn.at:drawn.at+2])
}

// drawOn plays from a chance node to the next choice, before the eyes of a chance, and returns what is reached.
func drawOn(t *testing.T, v *chanceRecorder, from engine.State, rng *engine.RNG, seats []seatRows) engine.State {
	s := from.Clone()
	for {
		seat, step := s.Player(), 0
		if seat == engine.Chance {
			step = s.SampleChance(rng)
			v.see(s, step, seats)
		} else {
			legal := s.LegalActions(nil)
			if step = legal[0]; len(legal) > 1 {
				v.choose(s, seat)
				return s
			}
		}
		require.NoError(t, s.Apply(step))
	}
}

// anyValue is some function of a position.
func anyValue(position []float32) (value float32) {
	for i, x := range position {
		value += x * float32(i%7-3)
	}
	return value
}

func newGame(t *testing.T, rules func([]byte) (engine.Game, error)) engine.Game {
	game, err := rules(nil)
	require.NoError(t, err)
	return game
}

// TestChanceCorrectionIsRefusedWithMemory: a position alone does not say what such a network knows.
func TestChanceCorrectionIsRefusedWithMemory(t *testing.T) {
	c := DefaultConfig()
	c.PPO.ChanceCorrection = true
	require.NoError(t, c.Check(leducGame(t), nn.Description{Dense: []int{4}}))
	err := c.Check(leducGame(t), nn.Description{LSTM: []int{4}})
	require.ErrorContains(t, err, "ppo.chance_correction: what chance might have brought cannot be judged by a network "+
		"with memory, one with lstm")
}
