package league

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/messages"
)

func TestImpossibleResultsAreRefused(t *testing.T) {
	b := newBook(testSpec(3), "run", testRules, sequential{})
	s := &simulation{spec: testSpec(3), theta: map[string]float64{}, rng: engine.NewRNG(1, 1)}
	good := s.play(b.match(newPairKey("main@1", "random"), span{0, 10}, 0))
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
			s := span{firstDeciding, firstDeciding + 10}
			k := newPairKey("main@1", "random")
			r.Match.FirstSet, r.Match.Id = k.base()+s.First, k.matchID(s, 0)
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
		err := b.apply(bad)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, errDuplicate, name)
	}
	require.Empty(t, b.pairs, "a refused result leaves no trace")
	require.NoError(t, b.apply(good))
	require.ErrorIs(t, b.apply(good), errDuplicate)
	require.EqualValues(t, 30, b.focal("main@1", "random").games())
}

func TestInsertKeepsSpansSortedAndMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []span
		taken := map[uint64]bool{}
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			first := rapid.Uint64Range(0, 40).Draw(t, "first")
			s := span{first, first + rapid.Uint64Range(1, 6).Draw(t, "sets")}
			overlaps := false
			for x := s.First; x < s.End; x++ {
				overlaps = overlaps || taken[x]
			}
			before := slices.Clone(spans)
			after, ok := insert(spans, s)
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
	x, y := newPairKey("main@1", "random"), newPairKey("random", "main@2")
	require.Equal(t, pairKey{a: "main@2", b: "random"}, y)
	require.NotEqual(t, x.base(), y.base())
	require.Equal(t, x.matchID(span{0, 10}, 0), newPairKey("random", "main@1").matchID(span{0, 10}, 0))
	require.NotEqual(t, x.matchID(span{0, 10}, 0), x.matchID(span{0, 11}, 0))
	require.NotEqual(t, x.matchID(span{0, 10}, 0), y.matchID(span{0, 10}, 0))
}
