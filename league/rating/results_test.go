package rating

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

func TestImpossibleResultsAreRefused(t *testing.T) {
	b := NewResults(ratingtest.Spec(3), "run", ratingtest.Rules, Sequential{})
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: map[string]float64{}, RNG: engine.NewRNG(1, 1)}
	good := s.Play(b.Match(NewKey("main@1", "random"), Span{0, 10}, 0))
	for name, spoil := range map[string]func(*messages.Result){
		"nothing":              func(r *messages.Result) { proto.Reset(r) },
		"no match":             func(r *messages.Result) { r.Match = nil },
		"another run":          func(r *messages.Result) { r.Run = "other" },
		"a match of another":   func(r *messages.Result) { r.Match.Run = "other" },
		"other rules":          func(r *messages.Result) { r.Match.RulesHash = []byte{1} },
		"agents out of order":  func(r *messages.Result) { r.Match.A, r.Match.B = r.Match.B, r.Match.A },
		"against itself":       func(r *messages.Result) { r.Match.B = r.Match.A },
		"another id":           func(r *messages.Result) { r.Match.Id += "0" },
		"other sets":           func(r *messages.Result) { r.Match.FirstSet++ },
		"sets of another pair": func(r *messages.Result) { r.Match.FirstSet = 0 },
		"more sets than asked": func(r *messages.Result) { r.Match.Sets++ },
		"no sets":              func(r *messages.Result) { r.Match.Sets = 0 },
		"sets for the gate": func(r *messages.Result) {
			s := Span{FirstGateSet, FirstGateSet + 10}
			k := NewKey("main@1", "random")
			r.Match.FirstSet, r.Match.Id = k.Base()+s.First, k.MatchID(s, 0)
		},
		"no lineup":            func(r *messages.Result) { r.OneA = nil },
		"one lineup":           func(r *messages.Result) { r.OneB = nil },
		"games missing":        func(r *messages.Result) { r.OneA.Games-- },
		"share too large":      func(r *messages.Result) { r.OneA.ShareSum = 11; r.OneA.ShareSquares = 100 },
		"share negative":       func(r *messages.Result) { r.OneB.ShareSum = -1 },
		"share not a number":   func(r *messages.Result) { r.OneA.ShareSum = math.NaN() },
		"squares not a number": func(r *messages.Result) { r.OneA.ShareSquares = math.NaN() },
		"squares too small":    func(r *messages.Result) { r.OneA.ShareSquares = 0 },
		"infinite return":      func(r *messages.Result) { r.OneA.ReturnSum = math.Inf(1) },
		"return too large":     func(r *messages.Result) { r.OneA.ReturnSum = 11; r.OneA.ReturnSquares = 100 },
		"games' squares":       func(r *messages.Result) { r.OneA.GameShareSquares = 31 },
		"products":             func(r *messages.Result) { r.ShareProducts = math.Inf(1) },
	} {
		bad := proto.CloneOf(good)
		spoil(bad)
		err := b.Apply(bad)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, ErrDuplicate, name)
	}
	require.Empty(t, b.Pairs, "a refused result leaves no trace")
	require.NoError(t, b.Apply(good))
	require.ErrorIs(t, b.Apply(good), ErrDuplicate)
	require.EqualValues(t, 30, b.Focal("main@1", "random").games())
}

func TestInsertKeepsSpansSortedAndMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []Span
		taken := map[uint64]bool{}
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			first := rapid.Uint64Range(0, 40).Draw(t, "first")
			s := Span{first, first + rapid.Uint64Range(1, 6).Draw(t, "sets")}
			overlaps := false
			for x := s.First; x < s.End; x++ {
				overlaps = overlaps || taken[x]
			}
			before := slices.Clone(spans)
			after, ok := AddSpan(spans, s)
			require.Equal(t, before, spans, "the argument is not changed")
			require.Equal(t, !overlaps, ok)
			for x := s.First; ok && x < s.End; x++ {
				taken[x] = true
			}
			spans = after
			covered := 0
			for i, x := range spans {
				require.Less(t, x.First, x.End)
				if i > 0 {
					require.Less(t, spans[i-1].End, x.First, "neighbours are merged")
				}
				covered += int(x.End - x.First)
				for v := x.First; v < x.End; v++ {
					require.True(t, taken[v])
				}
			}
			require.Len(t, taken, covered)
		}
	})
}

func TestPairsHaveTheirOwnSets(t *testing.T) {
	x, y := NewKey("main@1", "random"), NewKey("random", "main@2")
	require.Equal(t, Key{A: "main@2", B: "random"}, y)
	require.NotEqual(t, x.Base(), y.Base())
	require.Equal(t, x.MatchID(Span{0, 10}, 0), NewKey("random", "main@1").MatchID(Span{0, 10}, 0))
	require.NotEqual(t, x.MatchID(Span{0, 10}, 0), x.MatchID(Span{0, 11}, 0))
	require.NotEqual(t, x.MatchID(Span{0, 10}, 0), y.MatchID(Span{0, 10}, 0))
}
