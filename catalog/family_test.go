package catalog_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine/family"
	"croupier/games/bank"
	"croupier/games/pig"
)

// Rules may describe a family of tables; a person that sits down needs the rules of one.
func TestFamiliesOfACatalog(t *testing.T) {
	c := catalog.New(bank.Entry, pig.Entry)
	rules := []byte("family: {players: [2, 3]}")
	g, err := c.New("bank", rules)
	require.NoError(t, err)
	f, is := g.(*family.Game)
	require.True(t, is)
	require.Len(t, f.Tables(), 2)
	require.Nil(t, catalog.SourceOf(f), "it comes with the program")

	again, err := c.New("bank", rules)
	require.NoError(t, err)
	require.Same(t, g, again, "each published version names its family")
	for n := range 20 { // only the last ones are kept
		_, err := c.New("bank", fmt.Appendf(nil, "rounds: %d\nfamily: {players: [2, 3]}", 1+n))
		require.NoError(t, err)
	}
	another, err := c.New("bank", rules)
	require.NoError(t, err)
	require.NotSame(t, g, another)

	_, err = c.New("bank", []byte("family: {seats: any}"))
	require.ErrorContains(t, err, "bank: family.seats: there is no such rule")
	_, err = c.Table("bank", rules)
	require.EqualError(t, err, "bank: rules: a table has its rules; a family of tables is what agents train on")
	table, err := c.Table("bank", []byte("players: 2"))
	require.NoError(t, err)
	require.Equal(t, 2, table.Spec().Seats)
	_, err = c.Table("whist", rules)
	require.Error(t, err)
}
