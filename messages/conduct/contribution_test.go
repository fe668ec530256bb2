package conduct

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContributionsAreBounded(t *testing.T) {
	all := []Contribution{
		{Actor: "cara", Games: Games{Consumed: 1, Lost: 7}},
		{Actor: "anna", Games: Games{Consumed: 20}},
		{Actor: "mallory", Games: Games{Refused: 3}, Quarantine: &Quarantine{Actor: "mallory"}},
		{Actor: "bert", Games: Games{Consumed: 20, Stale: 2}},
		{Actor: "dora", Games: Games{Consumed: 2}},
	}
	c := NewContributions(all, Games{Consumed: 100}, 2)
	var names []string
	for _, a := range c.Actors {
		names = append(names, a.Actor)
	}
	require.Equal(t, []string{"anna", "bert", "mallory"}, names, "the most games first, and whoever is quarantined")
	require.Equal(t, Games{Consumed: 103, Lost: 7}, c.Others)
	require.Equal(t, "cara", all[0].Actor, "the argument stays as it is")
	require.NotNil(t, NewContributions(nil, Games{}, 2).Actors)
}
