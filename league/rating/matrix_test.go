package rating

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"croupier/engine"
	"croupier/league/rating/ratingtest"

	"github.com/stretchr/testify/require"
)

// The payoff matrix as a table for spreadsheets and as a picture.
func TestMatrixForOthers(t *testing.T) {
	s := &ratingtest.Simulation{Spec: ratingtest.MoneySpec(2), Theta: strengths, RNG: engine.NewRNG(1, 1)}
	l := rateAll(t, playAll(s, rated, 400), "main@3").Ladder
	var out bytes.Buffer
	require.NoError(t, WriteCSV(&out, l))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+len(l.Payoff))
	require.Equal(t, []string{"one", "among", "games", "mean_return", "low", "high", "share", "share_low", "share_high"},
		lines[0])
	for i, p := range l.Payoff {
		mean, err := strconv.ParseFloat(lines[i+1][3], 64)
		require.NoError(t, err)
		require.Equal(t, p.MeanReturnA, mean)
		require.Equal(t, []string{p.A, p.B}, lines[i+1][:2])
		require.Equal(t, []string{"", "", ""}, lines[i+1][6:], "no shares of a win of games for money")
	}
	out.Reset()
	require.NoError(t, Picture(l).WriteSVG(&out))
	require.Contains(t, out.String(), "main@3")
	require.Contains(t, out.String(), "coins per game", "the legend has its unit")

	l = testLadder(t, "main@2")
	out.Reset()
	require.NoError(t, WriteCSV(&out, l))
	lines, err = csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	for i, p := range l.Payoff {
		require.Equal(t, strconv.FormatFloat(p.ShareA, 'g', -1, 64), lines[i+1][6])
	}
	out.Reset()
	require.NoError(t, Picture(l).WriteSVG(&out))
	require.Contains(t, out.String(), "all won")
}
