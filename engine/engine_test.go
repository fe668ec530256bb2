package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type sampleRules struct {
	Players int            `yaml:"players"`
	Repoll  bool           `yaml:"repoll"`
	Name    string         `yaml:"name"`
	Price   float64        `yaml:"price"`
	Limits  sampleLimits   `yaml:"limits"`
	Stakes  []int          `yaml:"stakes"`
	Pays    map[string]int `yaml:"pays"`
}

type sampleLimits struct {
	Hands int `yaml:"hands"`
}

func TestDecodeRules(t *testing.T) {
	defaults := sampleRules{Players: 3, Repoll: true, Name: "x", Price: 1, Limits: sampleLimits{9}}
	with := func(change func(*sampleRules)) sampleRules {
		r := defaults
		change(&r)
		return r
	}
	for document, want := range map[string]sampleRules{
		"":                           defaults,
		"~":                          defaults,
		"{}":                         defaults,
		"players: 4":                 with(func(r *sampleRules) { r.Players = 4 }),
		"players: null":              defaults,
		"players: 4.0":               with(func(r *sampleRules) { r.Players = 4 }),
		`{"players": 1e3}`:           with(func(r *sampleRules) { r.Players = 1000 }),
		"price: 1.5":                 with(func(r *sampleRules) { r.Price = 1.5 }),
		`{"limits": {"hands": 2}}`:   with(func(r *sampleRules) { r.Limits.Hands = 2 }),
		"stakes: &s [1, 2]":          with(func(r *sampleRules) { r.Stakes = []int{1, 2} }),
		"repoll: false\nname: \"y\"": with(func(r *sampleRules) { r.Repoll, r.Name = false, "y" }),
	} {
		rules := defaults
		require.NoError(t, DecodeRules([]byte(document), &rules), "%q", document)
		require.Equal(t, want, rules, "%q", document)
	}
}

func TestDecodeRulesRefuses(t *testing.T) {
	for document, message := range map[string]string{
		"players: 4\nplayer: 3":           "line 2: unknown key \"player\"",
		"players: 4\nplayers: 3":          `line 2: mapping key "players" already defined`,
		"players: four":                   `line 1: "four" is not`,
		"players: 2.7":                    "line 1: 2.7 is not a whole number",
		"limits:\n  hands: 2.5":           "line 2: 2.5 is not a whole number",
		"stakes: [1, 2.5]":                "2.5 is not a whole number",
		"pays: {a: 1, b: 2.5}":            "2.5 is not a whole number",
		"players: true":                   `"true" is not`,
		"players: 4\n---\n{}":             "more than one document",
		"players: [":                      "line 1",
		"[]":                              "a list is not a mapping",
		"# " + strings.Repeat("x", 1<<16): "more than the limit",
	} {
		err := DecodeRules([]byte(document), &sampleRules{})
		require.ErrorContains(t, err, message, "%.40q", document)
		require.NotContains(t, err.Error(), "\n", "%.40q", document)
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
	for _, call := range []string{"", "Threshold", "threshold(", "threshold(x)", "threshold(nan)", "threshold(inf)", "threshold(1)(2)", "a b", "threshold(1,)"} {
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
