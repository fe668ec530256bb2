package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/internal/strict"
)

type sampleRules struct {
	Players int       `yaml:"players" json:"players"`
	Name    string    `yaml:"name" json:"name"`
	Pay     samplePay `yaml:"pay" json:"pay"`
}

type samplePay struct {
	Units [2]int `yaml:"units" json:"units"`
}

var sampleBook = &RuleBook{Rules: []Rule{
	{Key: "players", Low: 2, High: 8}, {Key: "name", Values: []string{"x", "y"}}, {Key: "pay.units", Low: 0, High: 9},
}}

func (r sampleRules) Validate() error {
	if r.Pay.Units[0] > r.Pay.Units[1] {
		return strict.Errorf("pay.units", "%d is more than %d", r.Pay.Units[0], r.Pay.Units[1])
	}
	return nil
}

func TestReadRules(t *testing.T) {
	defaults := sampleRules{Players: 3, Name: "x"}
	for _, document := range []string{"", "~", "{}", "null", "players: null"} {
		rules := defaults
		require.NoError(t, ReadRules([]byte(document), &rules, sampleBook))
		require.Equal(t, defaults, rules)
	}
	rules := defaults
	require.NoError(t, ReadRules([]byte(`{"players": 4, "pay": {"units": [1, 2]}}`), &rules, sampleBook))
	require.Equal(t, sampleRules{Players: 4, Name: "x", Pay: samplePay{[2]int{1, 2}}}, rules)
	require.NoError(t, ReadRules(nil, &struct{}{}, nil), "rules that cannot be changed")
}

func TestReadRulesSaysWhereAndWhatIsAllowed(t *testing.T) {
	for document, message := range map[string]string{
		"name: y\nplayers: 9":                    "rules: line 2: players: 9 is not in 2..8",
		"name: z":                                `rules: line 1: name: "z" is not one of x, y`,
		"name: y\npay:\n  units:\n  - 3\n  - 10": "rules: line 5: pay.units[1]: 10 is not in 0..9",
		"players: 4\nplayer: 3":                  "rules: line 2: player: unknown key (did you mean players?); the keys are players, name, pay",
		"pay:\n  units: [2, 1]":                  "rules: line 2: pay.units: 2 is more than 1",
		"pay: {units: [1]}":                      "rules: line 1: pay.units: 1 values, there must be 2",
	} {
		rules := sampleRules{Players: 3, Name: "x"}
		require.EqualError(t, ReadRules([]byte(document), &rules, sampleBook), message, "%q", document)
	}
	rules := sampleRules{Name: "x"}
	require.EqualError(t, ReadRules(nil, &rules, sampleBook), "rules: players: 0 is not in 2..8")
	require.EqualError(t, ReadRules([]byte(`{"players": 9}`), &rules, sampleBook), "rules: players: 9 is not in 2..8")
}

func TestSegmentsFollowOneAnother(t *testing.T) {
	segments, size := Segments([]Segment{{Name: "a", Size: 3}, {Name: "b", Size: 5}, {Name: "c", Size: 1}})
	require.Equal(t, []Segment{{"a", 0, 3}, {"b", 3, 5}, {"c", 8, 1}}, segments)
	require.Equal(t, 9, size)
}

func TestBots(t *testing.T) {
	always := func(action int) Bot {
		return BotFunc(func(State, []int, *RNG) int { return action })
	}
	bots := Bots{Game: "dice", Table: []NamedBot{
		{Call: "plain", New: NoNumbers(always(7))},
		{Call: "mix(A,B)", New: func(n []float64) (Bot, error) { return always(int(n[0] + n[1])), nil }},
		{Call: "mix(A)", New: func(n []float64) (Bot, error) {
			if n[0] < 0 {
				return nil, errors.New("A must not be negative")
			}
			return always(int(n[0])), nil
		}},
	}}
	for name, want := range map[string]int{"plain": 7, "plain()": 7, "mix(2, 3)": 5, "mix(4)": 4} {
		bot, err := bots.New(name)
		require.NoError(t, err, name)
		require.Equal(t, want, bot.Choose(nil, nil, nil), name)
	}
	for name, message := range map[string]string{
		"shark":    `unknown dice bot "shark"; the bots are plain, mix(A,B), mix(A)`,
		"plain(1)": `dice bot "plain(1)": it is written plain`,
		"mix":      `dice bot "mix": it is written mix(A,B) or mix(A)`,
		"mix(-1)":  `dice bot "mix(-1)": A must not be negative`,
		"mix(":     `"mix(" is not a name like "random" or "threshold(100)"`,
	} {
		_, err := bots.New(name)
		require.EqualError(t, err, message)
	}
}

func TestParseCall(t *testing.T) {
	for call, want := range map[string][]float64{
		"random": nil, "threshold(100)": {100}, "mix(0.5, 2)": {0.5, 2}, "leader-chaser": nil, "chaser()": nil,
	} {
		name, args, err := ParseCall(call)
		require.NoError(t, err)
		require.Equal(t, strings.Split(call, "(")[0], name)
		require.Equal(t, want, args)
	}
	for _, call := range []string{"", "Threshold", "threshold(", "threshold(x)", "threshold(nan)", "threshold(inf)",
		"threshold(1)(2)", "a b", "threshold(1,)"} {
		_, _, err := ParseCall(call)
		require.Error(t, err, "%q", call)
	}
}

func TestIntNIsUniform(t *testing.T) {
	rng := NewRNG(1, 2)
	var counts [7]int
	const draws = 70000
	for range draws {
		counts[rng.IntN(len(counts))]++
	}
	for value, count := range counts {
		require.InDelta(t, draws/len(counts), count, 500, "value %d", value) // 5.4 standard deviations
	}
}

func TestRNGContinuesFromItsState(t *testing.T) {
	rng := NewRNG(5, ActionStream+3)
	rng.Uint64()
	state, err := rng.MarshalBinary()
	require.NoError(t, err)
	var again RNG
	require.NoError(t, again.UnmarshalBinary(state))
	for range 10 {
		require.Equal(t, rng.Uint64(), again.Uint64())
	}
}

func TestGameSeedsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for _, run := range []uint64{0, 1, 1 << 63} {
		for _, purpose := range []string{"", "simulate", "arena", "train/a", "train/b"} {
			for number := range uint64(100) {
				seen[GameSeed(run, purpose, number)] = true
			}
		}
	}
	require.Len(t, seen, 3*5*100)
}

func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seats := rapid.IntRange(1, 8).Draw(t, "seats")
		spec := Spec{Seats: seats, MaxReturn: 10, Payoff: Payoff(rapid.IntRange(0, 1).Draw(t, "payoff"))}
		returns := make([]float64, seats)
		for i := range seats - 1 {
			returns[i] = float64(rapid.IntRange(-10, 10).Draw(t, "return")) / float64(seats)
			returns[seats-1] -= returns[i]
		}
		shares := make([]float64, seats)
		spec.Shares(returns, shares)
		sum := 0.0
		for i, share := range shares {
			sum += share
			for j := range shares {
				if returns[i] > returns[j] {
					require.GreaterOrEqual(t, share, shares[j])
				}
			}
		}
		require.InDelta(t, 1, sum, 1e-9)
	})
}
