package train

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

func TestStageFollowsProgress(t *testing.T) {
	c := Curriculum{{Until: 0.3}, {Until: 0.5}}
	for progress, want := range map[float64]uint32{0: 1, 0.299: 1, 0.3: 2, 0.499: 2, 0.5: 0, 1: 0} {
		require.Equal(t, want, c.At(progress), progress)
	}
	require.Zero(t, Curriculum(nil).At(0))
}

func testGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return g
}

// reshaped is a game with another specification.
type reshaped struct {
	engine.Game
	spec engine.Spec
}

func (g reshaped) Spec() *engine.Spec { return &g.spec }

func TestCurriculumRefuses(t *testing.T) {
	own, hand := testGame(t, "tysiac", ""), testGame(t, "tysiac-hand", "")
	pig := testGame(t, "pig", "")
	size := reshaped{own, *own.Spec()}
	size.spec.ObservationSize--
	segments := reshaped{own, *own.Spec()}
	segments.spec.Segments = segments.spec.Segments[1:]
	for _, test := range []struct {
		own  engine.Game
		c    Curriculum
		want string
	}{
		{own, Curriculum{{0, hand}}, "curriculum[0].until: 0 is not above 0 and at most 1"},
		{own, Curriculum{{0.3, hand}, {0.3, hand}}, "curriculum[1].until: 0.3 is not above 0.3 and at most 1"},
		{own, Curriculum{{0.3, hand}, {1.1, hand}}, "curriculum[1].until: 1.1 is not above 0.3 and at most 1"},
		{own, Curriculum{{math.NaN(), hand}}, "curriculum[0].until: NaN is not above 0 and at most 1"},
		{own, Curriculum{{0.3, hand}, {0.4, testGame(t, "lange-strasse", "")}},
			"curriculum[1].game: lange-strasse has 3 seats, tysiac 2"},
		{own, Curriculum{{0.3, pig}}, "curriculum[0].game: pig has 2 actions, tysiac 112"},
		{pig, Curriculum{{0.3, testGame(t, "kuhn", "")}},
			"curriculum[0].game: kuhn and pig have different groups of actions"},
		{own, Curriculum{{0.3, size}}, "curriculum[0].game: an observation of tysiac has 325 values, of tysiac 326"},
		{own, Curriculum{{0.3, segments}},
			"curriculum[0].game: observations of tysiac and tysiac have different segments"},
	} {
		require.EqualError(t, test.c.Validate(test.own), test.want)
	}
	require.NoError(t, Curriculum{{0.3, hand}, {1, own}}.Validate(own))
	require.NoError(t, Curriculum(nil).Validate(own))
}
