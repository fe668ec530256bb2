package pig

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, New, "target: 20", "target: 1") }

func newState(t require.TestingT, rules string) *State {
	g, err := New([]byte(rules))
	require.NoError(t, err)
	return g.NewState().(*State)
}

func apply(t require.TestingT, s *State, steps ...int) {
	for i, step := range steps {
		require.NoError(t, s.Apply(step), "step %d of %v", i, steps)
	}
}

// die is the outcome of a die that shows that.
func die(face int) int { return face - 1 }

func TestRollsAddToTheTurn(t *testing.T) {
	s := newState(t, "")
	apply(t, s, Roll, die(6), Roll, die(2), Roll, die(5))
	require.EqualValues(t, 13, s.turn)
	require.Equal(t, 0, s.Player())
	require.Equal(t, []int64{0, 0}, s.Scores(nil))
}

func TestHoldKeepsTheTurnsPoints(t *testing.T) {
	s := newState(t, "")
	apply(t, s, Roll, die(6), Hold)
	require.Equal(t, []int64{6, 0}, s.Scores(nil))
	require.Equal(t, 1, s.Player())
	apply(t, s, Roll, die(3), Hold, Roll, die(4), Hold)
	require.Equal(t, []int64{10, 3}, s.Scores(nil))
}

func TestOneLosesTheTurnsPointsOnly(t *testing.T) {
	s := newState(t, "")
	apply(t, s, Roll, die(6), Hold, Hold, Roll, die(5), Roll, die(1))
	require.Equal(t, []int64{6, 0}, s.Scores(nil))
	require.Equal(t, 1, s.Player())
	require.Zero(t, s.turn)
}

func TestHoldWithNothingIsLegal(t *testing.T) {
	s := newState(t, "")
	apply(t, s, Hold)
	require.Equal(t, 1, s.Player())
}

func TestWinsByHoldingWithTheTarget(t *testing.T) {
	s := newState(t, "target: 10")
	apply(t, s, Roll, die(6), Roll, die(4))
	require.Equal(t, 0, s.Player(), "the target in the turn is no win yet")
	lost := *s
	apply(t, &lost, Roll, die(1))
	require.Equal(t, []int64{0, 0}, lost.Scores(nil))
	apply(t, s, Hold)
	require.Equal(t, engine.Terminal, s.Player())
	returns := make([]float64, 2)
	s.Returns(returns)
	require.Equal(t, []float64{1, -1}, returns)
	require.Equal(t, []int64{10, 0}, s.Scores(nil))
}

func TestScoresMayPassTheTarget(t *testing.T) {
	s := newState(t, "target: 10")
	apply(t, s, Hold, Roll, die(6), Roll, die(6), Hold)
	require.Equal(t, []int64{0, 12}, s.Scores(nil))
	returns := make([]float64, 2)
	s.Returns(returns)
	require.Equal(t, []float64{-1, 1}, returns)
}

// Points come from nowhere but rolls, and only one seat's at a time.
func TestPointsAreConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newState(t, "")
		var scores [2]int64
		turn, seat := int64(0), 0
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			if s.Player() == engine.Terminal {
				break
			}
			if s.Player() == engine.Chance {
				face := rapid.IntRange(1, 6).Draw(t, "face")
				turn += int64(face)
				if face == 1 {
					turn, seat = 0, 1-seat
				}
				apply(t, s, die(face))
			} else {
				action := rapid.IntRange(0, 1).Draw(t, "action")
				require.Equal(t, seat, s.Player())
				if action == Hold {
					scores[seat] += turn
					turn, seat = 0, 1-seat
				}
				apply(t, s, action)
			}
			require.Equal(t, scores[:], s.Scores(nil))
			require.EqualValues(t, turn, s.turn)
			require.Equal(t, max(scores[0], scores[1]) >= 100, s.Player() == engine.Terminal)
		}
	})
}

func TestObservation(t *testing.T) {
	s := newState(t, "")
	s.scores = [2]int32{25, 80}
	apply(t, s, Roll, die(6), Roll, die(4))
	observation := make([]float32, observationSize)
	s.Observe(0, observation)
	require.InDeltaSlice(t, []float32{
		1, 0, 0, 0,
		0.25, 0.8, 0.1, 0.5,
		1, 1, 0.5, 0, 0, 0, 0, 0, 0, 0,
		1, 1, 1, 1, 1, 1, 1, 1, 0, 0,
		1, 1, 0.5, 0, 0, 0, 0, 0, 0, 0,
	}, observation, 1e-6)
	apply(t, s, Hold, Roll)
	s.turn = 20
	s.Observe(0, observation)
	require.Equal(t, []float32{0, 1, 1, 1}, observation[:turnSize], "the other rolls and could win by holding")
}

// The ramps are those that a loop draws, to the bit, after every score and turn.
func TestRampsAreThoseOfALoop(t *testing.T) {
	observation := make([]float32, observationSize)
	for _, target := range []int{1, 7, 100, 9999} {
		s := newState(t, fmt.Sprintf("target: %d", target))
		scale := 1 / float32(target)
		for points := range target + 50 {
			s.SetPosition([seats]int{points, target - min(points, target)}, points, 1)
			s.Observe(0, observation)
			ramps := slices.Concat(
				loopedRamp(float32(s.scores[0])*scale*rampSize),
				loopedRamp(float32(s.scores[1])*scale*rampSize),
				loopedRamp(float32(points)/turnStep))
			require.Equal(t, ramps, observation[turnSize+pointsSize:], "%d of %d points", points, target)
		}
	}
}

// loopedRamp is a ramp of which that many elements are full.
func loopedRamp(filled float32) []float32 {
	ramp := make([]float32, rampSize)
	for k := 0; k < rampSize && filled > 0; k++ {
		ramp[k] = min(filled, 1)
		filled--
	}
	return ramp
}

func TestRulesOutOfRange(t *testing.T) {
	for rules, message := range map[string]string{
		"target: 0":     "target: 0 is not in 1..10000",
		"target: 10001": "target: 10001 is not in",
		"target: 1.5":   "1.5 is not a whole number",
		"goal: 10":      "line 1: goal: unknown key; the only one is target",
	} {
		_, err := New([]byte(rules))
		require.ErrorContains(t, err, message, rules)
	}
}

func TestBots(t *testing.T) {
	for _, test := range []struct {
		bot              string
		own, other, turn int32
		want             int
	}{
		{"hold(20)", 0, 0, 19, Roll},
		{"hold(20)", 0, 0, 20, Hold},
		{"hold(20)", 95, 0, 5, Hold},
		{"hold(25)", 0, 99, 24, Roll},
		{"keep-pace", 0, 0, 20, Roll},
		{"keep-pace", 0, 0, 21, Hold},
		{"keep-pace", 0, 40, 25, Roll},
		{"keep-pace", 0, 40, 26, Hold},
		{"keep-pace", 40, 0, 16, Hold},
		{"keep-pace", 71, 0, 28, Roll},
		{"keep-pace", 71, 0, 29, Hold},
		{"keep-pace", 0, 71, 60, Roll},
	} {
		s := newState(t, "")
		bot, err := s.game.Bots().New(test.bot)
		require.NoError(t, err)
		s.scores, s.turn = [2]int32{test.own, test.other}, test.turn
		require.Equal(t, test.want, bot.Choose(s, []int{Roll, Hold}, nil), "%+v", test)
	}
	for _, name := range []string{"hold", "hold(0)", "hold(1,2)", "keep-pace(1)", "random", ""} {
		_, err := (&Game{}).Bots().New(name)
		require.Error(t, err, "%q", name)
	}
}
