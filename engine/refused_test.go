package engine_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/pig"
)

func TestRefusedStepsAreErrorsAtTheRoot(t *testing.T) {
	g, err := pig.New(nil)
	require.NoError(t, err)
	work := func(do func()) (err error) {
		defer engine.Recover(&err)
		do()
		return nil
	}
	s := g.NewState()
	require.NoError(t, work(func() { engine.MustApply(s, pig.Hold) }))
	err = work(func() { engine.MustApply(s, 7) })
	require.ErrorIs(t, err, engine.ErrIllegal)
	require.EqualError(t, err, "a legal step was refused: illegal action 7 of seat 2: "+
		"on its turn a player rolls (0) or holds (1)")
	other := errors.New("something else")
	require.PanicsWithValue(t, other, func() { _ = work(func() { panic(other) }) })
}
