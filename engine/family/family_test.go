package family_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/engine/family"
	"croupier/games/bank"
	bankcards "croupier/games/bank-cards"
	"croupier/games/kuhn"
	"croupier/games/tysiac"
)

const bankFamily = "family: {players: 2..8, rounds: [10, 15, 20], roller: any, repoll: any}"

func bankTables(t *testing.T, document string) *family.Game {
	t.Helper()
	g, err := family.New(bank.New, []byte(document))
	require.NoError(t, err)
	return g
}

func TestConformance(t *testing.T) {
	standard := func(document []byte) (engine.Game, error) {
		if !family.Is(document) {
			document = append(slices.Clip(document), "\n"+bankFamily...)
		}
		return family.New(bank.New, document)
	}
	enginetest.Run(t, standard, "players: 4\nfamily: {players: [4, 2], rounds: [10, 15], fixed: [rounds], default: 0}")
}

// A family decodes from its rules, in the same order of the same tables.
func TestRulesMakeTheSameFamily(t *testing.T) {
	for _, g := range []*family.Game{
		bankTables(t, bankFamily), bankTables(t, "rounds: 20\nfamily: usual"), bankTables(t, "family: {default: 0.25, rounds: [5, 10]}"),
		bankTables(t, "family: {players: [2, 3], rounds: [5, 10], fixed: [rounds]}"),
	} {
		document, err := json.Marshal(g.Rules())
		require.NoError(t, err)
		require.True(t, family.Is(document))
		again, err := family.New(bank.New, document)
		require.NoError(t, err)
		require.Equal(t, engine.RulesHash(g), engine.RulesHash(again))
		require.Equal(t, g.Spec(), again.Spec())
	}
	require.Len(t, bankTables(t, "family: usual").Tables(), 7*3*2*2)
	require.NotEqual(t, engine.RulesHash(bankTables(t, "family: usual")),
		engine.RulesHash(bankTables(t, "family: {players: 2..8}")))
	require.False(t, family.Is(nil))
	require.False(t, family.Is([]byte("players: 3 # of a family")))
}

// walk visits every table that chance can draw, with its probability.
func walk(t *testing.T, s *family.State, p float64, visit func(*family.State, float64)) {
	t.Helper()
	if s.Table() != nil {
		visit(s, p)
		return
	}
	total := 0.0
	for _, o := range s.Outcomes(nil) {
		c := s.Clone().(*family.State)
		require.NoError(t, c.Apply(o.Index))
		walk(t, c, p*o.Probability, visit)
		total += o.Probability
	}
	require.InDelta(t, 1, total, 1e-12)
}

// A fixed rule is as at the default table, and looks as in the whole family: its tables show the same there and here.
func TestFixedRulesLookAsIfTheyVaried(t *testing.T) {
	whole := bankTables(t, "family: {players: 2..8, rounds: [10, 15, 20]}")
	part := bankTables(t, "family: {players: 2..8, rounds: [10, 15, 20], fixed: [players]}")
	require.Len(t, part.Tables(), 3)
	require.Equal(t, whole.Spec().Segments, part.Spec().Segments)
	require.Equal(t, whole.Spec().Seats, part.Spec().Seats)
	require.NotEqual(t, engine.RulesHash(whole), engine.RulesHash(part))
	for _, table := range part.Tables() {
		s := table.NewState()
		for s.Player() == engine.Chance {
			require.NoError(t, s.Apply(s.SampleChance(engine.NewRNG(1, engine.ChanceStream))))
		}
		var seen [2][]float32
		for i, g := range []*family.Game{whole, part} {
			e, err := g.Encoding(table)
			require.NoError(t, err)
			seen[i] = make([]float32, g.Spec().ObservationSize)
			e.Observe(s, 1, seen[i])
		}
		require.Equal(t, seen[0], seen[1])
	}
	walk(t, part.NewState().(*family.State), 1, func(s *family.State, p float64) {
		require.Contains(t, s.String(), `table {"players":3,`)
	})
}

// A share of the games is at the default table, and all tables are drawn equally often otherwise; combinations that the
// game refuses are not there.
func TestTablesAreDrawn(t *testing.T) {
	g := bankTables(t, "family: {default: 0.5, players: [2, 3], rounds: [10, 20]}")
	chances := map[string]float64{}
	walk(t, g.NewState().(*family.State), 1, func(s *family.State, p float64) {
		name, _, _ := strings.Cut(s.String(), "\n")
		chances[name] += p
	})
	require.Equal(t, map[string]float64{
		`table {"players":3,"rounds":10}`: 0.5 + 0.125, `table {"players":2,"rounds":10}`: 0.125,
		`table {"players":2,"rounds":20}`: 0.125, `table {"players":3,"rounds":20}`: 0.125,
	}, chances)

	cards := tables(t, bankcards.New, "deck: 20\nfamily: {players: [2, 4], hand: [3, 5, 10]}")
	allowed := 0
	for _, players := range []int{2, 4} {
		for _, hand := range []int{3, 5, 10} {
			if _, err := bankcards.New(fmt.Appendf(nil, "{players: %d, hand: %d, deck: 20}", players, hand)); err == nil {
				allowed++
			}
		}
	}
	require.Less(t, allowed, 6, "20 cards are too few for some")
	require.Len(t, cards.Tables(), allowed)
	sum := 0.0
	walk(t, cards.NewState().(*family.State), 1, func(s *family.State, p float64) { sum += p })
	require.InDelta(t, 1, sum, 1e-12)
}

// Before a game begins its seed says how many seats its table has: as many as the table that chance then draws.
func TestSeatsAreThoseOfTheDrawnTable(t *testing.T) {
	g := bankTables(t, "family: {default: 0.2, players: 2..8, rounds: [10, 15]}")
	seen := map[int]bool{}
	for seed := range uint64(300) {
		rng := engine.NewRNG(seed, engine.ChanceStream)
		s := g.NewState().(*family.State)
		for s.Table() == nil {
			require.NoError(t, s.Apply(s.SampleChance(rng)))
		}
		seats := tableOf(t, g, s).Spec().Seats
		require.Equal(t, seats, g.Seats(seed), "seed %d", seed)
		seen[seats] = true
	}
	require.Len(t, seen, 7)
}

// A network that knows the family sees the same at a table of the plain game and in a game of the family there.
func TestBothDoorsShowTheSame(t *testing.T) {
	for name, g := range map[string]*family.Game{
		"bank":   bankTables(t, "family: usual"),
		"tysiac": tables(t, tysiac.New, "family: {bombing.enabled: any, trick_rules.must_overtake: any}"),
		"cards":  tables(t, bankcards.New, "family: {players: any, strict: any}"),
	} {
		t.Run(name, func(t *testing.T) {
			rng := engine.NewRNG(1, 2)
			want, got := make([]float32, g.Spec().ObservationSize), make([]float32, g.Spec().ObservationSize)
			for range 40 {
				s := g.NewState().(*family.State)
				for s.Table() == nil {
					require.NoError(t, s.Apply(s.SampleChance(rng)))
				}
				table := tableOf(t, g, s)
				e, err := g.Encoding(table)
				require.NoError(t, err)
				plain := table.NewState()
				for range 60 {
					player := s.Player()
					require.Equal(t, plain.Player(), player)
					if player == engine.Terminal {
						break
					}
					for seat := range table.Spec().Seats {
						for i := range got {
							got[i] = 99 // everything is written
						}
						s.Observe(seat, want)
						e.Observe(plain, seat, got)
						require.Equal(t, want, got)
						e.Observe(s, seat, got)
						require.Equal(t, want, got)
						requireSegments(t, g, table, plain, seat, got)
					}
					step := 0
					if player == engine.Chance {
						step = s.SampleChance(rng)
					} else {
						legal := s.LegalActions(nil)
						step = legal[rng.IntN(len(legal))]
					}
					require.NoError(t, s.Apply(step))
					require.NoError(t, plain.Apply(step))
				}
			}
		})
	}
}

func tables(t *testing.T, newGame func([]byte) (engine.Game, error), document string) *family.Game {
	t.Helper()
	g, err := family.New(newGame, []byte(document))
	require.NoError(t, err)
	return g
}

// tableOf returns the plain game of a state's table.
func tableOf(t *testing.T, g *family.Game, s *family.State) engine.Game {
	t.Helper()
	for _, table := range g.Tables() {
		if table.NewState().String() == s.Table().String() && describes(s, table) {
			return table
		}
	}
	require.Fail(t, "no such table", s.String())
	return nil
}

// describes reports whether the state is at the table: each rule that it names has the table's value.
func describes(s *family.State, table engine.Game) bool {
	line, _, _ := strings.Cut(strings.TrimPrefix(s.String(), "table "), "\n")
	var named, rules map[string]any
	text, err := json.Marshal(table.Rules())
	if err != nil || json.Unmarshal([]byte(line), &named) != nil || json.Unmarshal(text, &rules) != nil {
		return false
	}
	for key, value := range named {
		var at any = rules
		for _, part := range strings.Split(key, ".") {
			at = at.(map[string]any)[part]
		}
		if at != value {
			return false
		}
	}
	return true
}

// requireSegments compares an observation of the family with that of the table, segment by segment.
func requireSegments(t *testing.T, g *family.Game, table engine.Game, s engine.State, seat int, got []float32) {
	t.Helper()
	plain := make([]float32, table.Spec().ObservationSize)
	s.Observe(seat, plain)
	for i, segment := range table.Spec().Segments {
		wide := g.Spec().Segments[i]
		require.Equal(t, segment.Name, wide.Name)
		values := got[wide.Offset:][:wide.Size]
		require.Equal(t, plain[segment.Offset:][:segment.Size], values[:segment.Size])
		require.Equal(t, make([]float32, wide.Size-segment.Size), append([]float32{}, values[segment.Size:]...))
	}
}

// What the rules are is seen: 3 of 2 to 8 players, 20 of 10, 15 and 20 rounds, and two switches.
func TestRulesAreInputs(t *testing.T) {
	g := bankTables(t, "family: {players: 2..8, rounds: [10, 15, 20], roller: any, repoll: any}")
	table, err := bank.New([]byte("players: 3\nrounds: 20\nroller: random\nrepoll: false"))
	require.NoError(t, err)
	e, err := g.Encoding(table)
	require.NoError(t, err)
	seen := make([]float32, g.Spec().ObservationSize)
	e.Observe(table.NewState(), 0, seen)
	last := g.Spec().Segments[len(g.Spec().Segments)-1]
	require.Equal(t, family.SegmentName, last.Name)
	require.Equal(t, []float32{0, 1, 0, 0, 0, 0, 0, 1. / 6, 0, 0, 1, 1, 1, 0}, seen[last.Offset:])
}

func TestEncodingsOfStrangers(t *testing.T) {
	g := bankTables(t, "family: {players: [2, 3]}")
	other, err := bank.New([]byte("players: 4"))
	require.NoError(t, err)
	_, err = g.Encoding(other)
	require.ErrorContains(t, err, `bank {"players":4,"rounds":10,"roller":"round_robin","repoll":true} is not among the 2 tables`)
	e, err := g.Encoding(g)
	require.NoError(t, err)
	require.Nil(t, e, "its own states are seen as they are")
	_, err = g.Encoding(bankTables(t, "family: {players: [3, 4]}"))
	require.Error(t, err)
}

// A family of which only the share of the default table is given is the usual one.
func TestShareAlone(t *testing.T) {
	share := bankTables(t, "family: {default: 0.25}")
	require.Len(t, share.Tables(), 84)
	require.Equal(t, engine.RulesHash(bankTables(t, "family: {default: 0.25, players: 2..8, rounds: [10, 15, 20], roller: any, repoll: any}")),
		engine.RulesHash(share))
}

// The farthest table differs in all that varies, in numbers by the most.
func TestFarthestTable(t *testing.T) {
	for document, want := range map[string]string{
		bankFamily:                            `{"players":8,"rounds":20,"roller":"random","repoll":false}`,
		"players: 7\n" + bankFamily:           `{"players":2,"rounds":20,"roller":"random","repoll":false}`,
		"family: {players: 2..8}":             `{"players":8,"rounds":10,"roller":"round_robin","repoll":true}`,
		"rounds: 20\nfamily: {rounds: 5..20}": `{"players":3,"rounds":5,"roller":"round_robin","repoll":true}`,
	} {
		rules, err := json.Marshal(bankTables(t, document).Farthest().Rules())
		require.NoError(t, err)
		require.JSONEq(t, want, string(rules), document)
	}
}

func TestBadFamilies(t *testing.T) {
	for document, want := range map[string]string{
		"players: 9\nfamily: {rounds: [10, 20]}":   "9 is not in 2..8",
		"family: {}":                               "family: nothing varies",
		"family: all":                              `it is neither a mapping of rules to their values nor "usual"`,
		"family: [players]":                        "it is neither a mapping of rules",
		"family: {player: 2..8}":                   "family.player: there is no such rule; the rules are players, rounds, roller, repoll",
		"family: {players: 3}":                     `family.players: it is not a list of values, a range like 2..8, or "any"`,
		"family: {players: [3]}":                   "family.players: a rule that varies has at least two values",
		"family: {players: 8..2}":                  `family.players: "8..2" is not a range`,
		"family: {players: a..b}":                  `family.players: "a..b" is not a range`,
		"family: {players: [2, 2]}":                "family.players: 2 appears twice",
		"family: {players: [2, true]}":             "family.players: true is not of the kind of 3",
		"family: {players: [2, [3]]}":              "family.players: its values are numbers, texts",
		"family: {players: [3, 9]}":                "family.players: no table has the value 9: rules: players: 9 is not in 2..8",
		"family: {rounds: any}":                    `family.rounds: it can be too many numbers for "any"`,
		"family: {rounds: 1..600, players: 2..8}":  "it has more than 2048 tables",
		"family: {roller: [random, nobody]}":       `family.roller: no table has the value nobody`,
		"family: {rounds: [20, 30]}":               "the default table is not in it",
		"family: {players: 2..8, default: 1}":      "family.default: 1 is not a share of at least 0 and below 1",
		"family: {players: 2..8, default: often}":  "family.default: often is not a share",
		"family: {players: 2..8, fixed: rounds}":   "family.fixed: it is not a list of rules",
		"family: {players: 2..8, fixed: [rounds]}": "family.fixed: rounds is not among the rules of the family",
	} {
		_, err := family.New(bank.New, []byte(document))
		require.ErrorContains(t, err, want, document)
	}
	_, err := family.New(kuhn.New, []byte("family: usual"))
	require.ErrorContains(t, err, "no rule of kuhn can vary")
}
