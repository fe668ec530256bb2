package sweep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The picture has a line and a band for each candidate, and says what its axes show.
func TestPicture(t *testing.T) {
	f, results := tabulated(t)
	picture, err := f.Picture(results)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, picture.WriteSVG(&out))
	for _, want := range []string{">base<", ">learning_rate_start=0.001<", ">processor time, s<",
		">exploitability, antes per game<", ">100<"} {
		require.Contains(t, out.String(), want)
	}
	require.Equal(t, 3, strings.Count(out.String(), "fill-opacity"), "bands")
	_, err = f.Picture(Results{})
	require.ErrorContains(t, err, "nothing to draw")
}

// One run has no interval, and its picture speaks of none; two have Student's, and their picture says so.
func TestPictureSaysWhatItHas(t *testing.T) {
	f, results := tabulated(t)
	title := func() string {
		picture, err := f.Picture(results)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, picture.WriteSVG(&out))
		return out.String()
	}
	require.Contains(t, title(), "with 95 % intervals")
	for job, r := range results {
		if job.Seed != 1 {
			r.Curve = nil
			results[job] = r
		}
	}
	require.Contains(t, title(), "without intervals")
	require.NotContains(t, title(), "95 %")
}

// On a logarithmic axis there is no 0, which an exact solution has.
func TestPictureOfZero(t *testing.T) {
	f, results := tabulated(t)
	for job, r := range results {
		for i := range r.Curve {
			r.Curve[i][1] = 0
		}
		results[job] = r
	}
	_, err := f.Picture(results)
	require.NoError(t, err)
	require.False(t, positive(f.Bands(results)))
}

func TestCurveTitle(t *testing.T) {
	f := parse(t, plain)
	for curve, want := range map[string]string{
		"exploitability":        "exploitability, antes per game",
		"exploitability/dealer": "exploitability of the dealer, antes per game",
		"rating/newest":         "rating of the newest version, antes per game",
		"mean_return/random":    "mean return against random, antes per game",
		"win_share/random":      "share of the win against random",
		"lag":                   "Policy lag, versions",
		"figure/bluffs":         "figure/bluffs",
	} {
		f.Objective.Curve = curve
		require.Equal(t, want, f.curveTitle())
	}
}
