package solve

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/kuhn"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/policy"
)

func newGame(t require.TestingT) engine.Game {
	game, err := langestrasse.New(nil)
	require.NoError(t, err)
	return game
}

func newBot(t require.TestingT, name string) engine.Bot {
	bot, err := newGame(t).Bots().New(name)
	require.NoError(t, err)
	return bot
}

// Following every throw forwards through the engine gives the same result as backward
// induction.
func TestScoresHaveTheValueOfTheOptimum(t *testing.T) {
	scores, err := ScoresOf(newGame(t), newBot(t, "turn-optimum"))
	require.NoError(t, err)
	points, strich := langestrasse.TurnOptimum().Turn()
	require.InDelta(t, points, scores.Mean(), 1e-9)
	require.InDelta(t, strich, scores.Strich, 1e-12)
	total := scores.Strich + scores.Rest
	for i, p := range scores.Points {
		total += p
		require.False(t, i*Step < 300 && p > 0, "a turn cannot stop below 300")
	}
	require.InDelta(t, 1, total, 1e-12)
	require.Less(t, scores.Rest, 1e-12)
	require.Less(t, langestrasse.TurnOptimum().ErrorBound(), 1e-6)
	require.Greater(t, langestrasse.TurnOptimum().ErrorBound(), 0.)
}

func TestSimulatedTurnsAgreeWithTheScores(t *testing.T) {
	for _, name := range []string{"turn-optimum", "greedy-stop"} {
		scores, err := ScoresOf(newGame(t), newBot(t, name))
		require.NoError(t, err)
		got, err := Simulate(t.Context(), newGame(t), newBot(t, name), 100_000, 5, nil)
		require.NoError(t, err)
		require.InDelta(t, scores.Mean(), got.Points.Mean, 2*got.Points.Half, name)
		require.InDelta(t, scores.Strich, got.Strich.Mean, 2*got.Strich.Half, name)
		require.InDelta(t, stat.Z95*scores.Deviation(), got.Points.Half*316.2, 0.03*stat.Z95*scores.Deviation(), name)
	}
}

// Of 46,656 throws: no 1, no 5, no three alike and not three pairs; 6! straights; three
// pairs of 20 choices in 90 orders.
func TestRollOddsAreCounted(t *testing.T) {
	var strich, straight, talheim int
	for throw := range 46656 {
		var count [6]int
		for n, rest := 0, throw; n < 6; n, rest = n+1, rest/6 {
			count[rest%6]++
		}
		singles, twos, most := 0, 0, 0
		for _, c := range count {
			most = max(most, c)
			switch c {
			case 1:
				singles++
			case 2:
				twos++
			}
		}
		switch {
		case singles == 6:
			straight++
		case twos == 3:
			talheim++
		case count[0] == 0 && count[4] == 0 && most < 3:
			strich++
		}
	}
	odds := RollOdds()
	require.InDelta(t, float64(strich)/46656, odds.Strich, 1e-15)
	require.InDelta(t, float64(straight)/46656, odds.LangeStrasse, 1e-15)
	require.InDelta(t, float64(talheim)/46656, odds.Talheim, 1e-15)
	require.Equal(t, 720, straight)
	require.Equal(t, 1800, talheim)
}

// decision draws a decision of a game between random players.
func decision(t *rapid.T) (*langestrasse.State, []int) {
	rng := engine.NewRNG(rapid.Uint64().Draw(t, "seed"), 0)
	s := newGame(t).NewState().(*langestrasse.State)
	for left := rapid.IntRange(0, 60).Draw(t, "decisions"); ; {
		if s.Player() == engine.Terminal {
			s.Reset()
		}
		if s.Player() == engine.Chance {
			require.NoError(t, s.Apply(s.SampleChance(rng)))
			continue
		}
		legal := s.LegalActions(nil)
		if left--; left < 0 {
			return s, legal
		}
		require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
	}
}

// requireBestChosen checks the contract of a Valuer that does not mix.
func requireBestChosen(t *rapid.T, p policy.Stochastic, s engine.State, legal []int, tolerance float64) []policy.Value {
	values, shares := make([]policy.Value, len(legal)), make([]float64, len(legal))
	p.(policy.Valuer).Values(s, legal, values)
	p.Distribution(s, legal, shares)
	choice := p.Choose(s, legal, nil)
	for _, v := range values {
		require.True(t, v.Low <= v.Mean && v.Mean <= v.High && v.Risk >= -1e-9 && v.Risk <= 1+1e-9, "%+v", v)
		for j, w := range values {
			if legal[j] == choice {
				require.GreaterOrEqual(t, w.Mean, v.Mean-tolerance)
				require.Equal(t, 1., shares[j])
			}
		}
	}
	return values
}

func TestTurnOptimumSaysWhatMovesAreWorth(t *testing.T) {
	factory, err := NewTurnOptimum(newGame(t))
	require.NoError(t, err)
	p := factory()
	bot := newBot(t, "turn-optimum")
	rapid.Check(t, func(t *rapid.T) {
		s, legal := decision(t)
		for _, v := range requireBestChosen(t, p, s, legal, 1e-7) {
			require.True(t, v.Low == v.Mean && v.High == v.Mean, "exact")
		}
		require.Equal(t, bot.Choose(s, legal, nil), p.Choose(s, legal, nil))
	})
}

func TestTurnTableComesBack(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, WriteTurn(&file, langestrasse.TurnOptimum()))
	require.True(t, IsTable(file.Bytes()))
	factory, err := ReadPlayer(newGame(t), file.Bytes())
	require.NoError(t, err)
	require.Equal(t, langestrasse.TurnOptimum(), factory().(*turnPlayer).optimum)
}

// resealed returns a file after a change, with a matching checksum.
func resealed(data []byte, change func([]byte) []byte) []byte {
	data = change(bytes.Clone(data[:len(data)-sha256.Size]))
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

func TestReadPlayerRefusesWhatIsWrong(t *testing.T) {
	var buffer bytes.Buffer
	require.NoError(t, WriteTurn(&buffer, langestrasse.TurnOptimum()))
	good := buffer.Bytes()
	head := len(turnLine) + digestSize
	set := func(at int, value byte) []byte {
		return resealed(good, func(b []byte) []byte { b[at] = value; return b })
	}
	for message, data := range map[string][]byte{
		"does not begin with":       []byte("hello"),
		"cut off":                   good[:40],
		"checksum does not match":   append(bytes.Clone(good[:5000]), good[5001:]...),
		"for other rules":           set(len(turnLine), good[len(turnLine)]+1),
		"does not read":             set(len(turnLine)-2, '9'),
		"has 83 sets":               set(head+4, 83),
		"are not":                   resealed(good, func(b []byte) []byte { return b[:len(b)-16] }),
		"are not points or chances": set(head+8+7, 0xff),
		"are not 0 rows":            resealed(good, func(b []byte) []byte { clear(b[head : head+4]); return b }),
	} {
		_, err := ReadPlayer(newGame(t), data)
		require.ErrorContains(t, err, message)
	}
	other, err := kuhn.New(nil)
	require.NoError(t, err)
	_, err = ReadPlayer(other, good)
	require.ErrorContains(t, err, "not of kuhn")
	_, err = NewTurnOptimum(other)
	require.ErrorContains(t, err, "is kuhn, not lange-strasse")
	_, err = ScoresOf(other, nil)
	require.ErrorContains(t, err, "is kuhn, not lange-strasse")
	_, err = Simulate(t.Context(), other, nil, 1, 1, nil)
	require.ErrorContains(t, err, "is kuhn, not lange-strasse")
}

func BenchmarkReadPlayer(b *testing.B) {
	var file bytes.Buffer
	require.NoError(b, WriteTurn(&file, langestrasse.TurnOptimum()))
	game := newGame(b)
	for b.Loop() {
		_, err := ReadPlayer(game, file.Bytes())
		require.NoError(b, err)
	}
}
