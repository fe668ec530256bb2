package settings

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/learner/train"
)

// guess are the settings of an algorithm that the program does not bring along.
type guess struct {
	Share float64 `yaml:"share"`
}

func (g *guess) Algorithm() train.Algorithm {
	return train.Algorithm{Name: "guess", Check: func(s *train.Checks) { s.Share("share", g.Share) }}
}

// An algorithm of the catalog has a section of its own, which is set, checked, written and read as the others are; each
// configuration has its own. A program without the algorithm keeps the section, and does not train by it.
func TestAlgorithmOfTheCatalog(t *testing.T) {
	games := standard.Games.Learning(func() any { return &guess{0.5} })
	require.Equal(t, "ppo, dqn or guess", AlgorithmNames(games))
	require.Equal(t, "ppo or dqn", AlgorithmNames(standard.Games))
	c, err := Default(games, "pig")
	require.NoError(t, err)
	doc, err := c.EncodeShared()
	require.NoError(t, err)
	require.NotContains(t, string(doc), "guess", "it is at its defaults")
	require.NoError(t, (&Changes{Algorithm: "guess", Set: []string{"learner.guess.share=0.25"}}).Apply(t.Context(), c))
	_, err = c.Build()
	require.NoError(t, err)
	doc, err = c.EncodeShared()
	require.NoError(t, err)
	again, err := Load(games, doc, "again")
	require.NoError(t, err)
	require.Equal(t, c.Learner, again.Learner)
	require.Equal(t, &guess{0.25}, again.Learner.Further["guess"])
	fresh, err := Default(games, "pig")
	require.NoError(t, err)
	require.Equal(t, &guess{0.5}, fresh.Learner.Further["guess"])
	require.NoError(t, fresh.Set("learner.guess.share=2"))
	_, err = fresh.Build()
	require.EqualError(t, err, "--set learner.guess.share=2: learner.guess.share: 2 is not in 0..1")

	without, err := Load(standard.Games, doc, "theirs")
	require.NoError(t, err)
	require.Equal(t, []string{"learner.guess"}, without.Foreign())
	_, err = without.Build()
	require.ErrorContains(t, err, "learner.algorithm: guess is not ppo or dqn")
}
