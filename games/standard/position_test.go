package standard

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/strict"
)

// decisions visits that many decisions of random games.
func decisions(t *testing.T, game engine.Game, number int, visit func(s engine.State)) {
	t.Helper()
	rng := engine.NewRNG(11, 0)
	for number > 0 {
		s := game.NewState()
		for number > 0 && s.Player() != engine.Terminal {
			if s.Player() == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(rng)))
				continue
			}
			visit(s)
			number--
			legal := s.LegalActions(nil)
			require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
		}
	}
}

// seenBy returns what the seat to move sees and may do.
func seenBy(game engine.Game, s engine.State) string {
	observation := make([]float32, game.Spec().ObservationSize)
	s.Observe(s.Player(), observation)
	return fmt.Sprint(s.Player(), s.LegalActions(nil), observation)
}

// An agent outside this program knows what a network knows: the position determines the observation and the legal
// actions of the seat to move, among all positions of random games, and when it is read again. So does a position
// of an older program, which left out what is empty.
func TestPositionsDetermineObservations(t *testing.T) {
	for _, entry := range Games.Games() {
		game, err := entry.New(nil)
		require.NoError(t, err)
		written, ok := game.(engine.Positioned)
		if !ok {
			continue // its positions cannot be written down
		}
		t.Run(entry.Name, func(t *testing.T) {
			seen := map[string]string{}
			rng, n := engine.NewRNG(12, 0), 0
			decisions(t, game, 400, func(s engine.State) {
				document, now := string(written.FormatPosition(s, s.Player())), seenBy(game, s)
				if before, known := seen[document]; known {
					require.Equal(t, before, now, document)
				}
				seen[document] = now
				if n++; n%10 != 0 {
					return // reading draws cards, which may take long
				}
				for _, text := range []string{document, withoutEmpty(t, document)} {
					again, _, err := written.ParsePosition([]byte(text), rng)
					require.NoError(t, err, text)
					require.Equal(t, now, seenBy(game, again), text)
					require.Equal(t, document, string(written.FormatPosition(again, s.Player())), text)
				}
			})
		})
	}
}

// Nothing is left out of a position because it is empty: all positions of a game have the same fields.
func TestPositionsHaveAllFields(t *testing.T) {
	for _, entry := range Games.Games() {
		game, err := entry.New(nil)
		require.NoError(t, err)
		written, ok := game.(engine.Positioned)
		if !ok {
			continue
		}
		fields := map[string][]string{}
		requireFields(t, fields, entry.Name, parsed(t, string(written.FormatPosition(example(t, written)))))
		decisions(t, game, 400, func(s engine.State) {
			requireFields(t, fields, entry.Name, parsed(t, string(written.FormatPosition(s, s.Player()))))
		})
	}
}

// Each page of a game shows a position as JSON and in one line, which are the same one and written like that.
func TestPagesShowPositionsInOneLine(t *testing.T) {
	shown := regexp.MustCompile("(?s)## Positions.*?In one line:\n\n```text\n(.*?)\n```")
	document := regexp.MustCompile("(?s)## Positions.*?```json\n(.*?)\n```")
	for _, entry := range Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			game, err := entry.New(nil)
			require.NoError(t, err)
			lined, ok := game.(engine.Lined)
			require.True(t, ok, "the game has no positions in one line")
			line := shown.FindStringSubmatch(string(entry.Manual))
			require.NotNil(t, line, "the page shows none")
			s, notes, err := lined.ParsePosition([]byte(line[1]), engine.NewRNG(1, 0))
			require.NoError(t, err)
			require.Empty(t, notes)
			require.Equal(t, line[1], engine.LineOf(game, s))
			quoted, err := json.Marshal(line[1])
			require.NoError(t, err)
			again, _, err := lined.ParsePosition(quoted, engine.NewRNG(1, 0))
			require.NoError(t, err, "in quotes, as in a request")
			require.Equal(t, line[1], engine.LineOf(game, again))
			if written := document.FindStringSubmatch(string(entry.Manual)); written != nil {
				same, _, err := lined.ParsePosition([]byte(written[1]), engine.NewRNG(1, 0))
				require.NoError(t, err)
				require.Equal(t, line[1], engine.LineOf(game, same))
			}
		})
	}
}

// An error in a line names its place.
func TestWrongLines(t *testing.T) {
	for _, test := range []struct{ game, line, message string }{
		{"pig", "30 42 | 18", `scores: no seat is marked with ">" as the one to move`},
		{"pig", ">30 >42 | 18", `scores: 2 seats are marked with ">" as the one to move`},
		{"pig", ">30 42 | 18 | 3", `it has 3 sections, "3" is too many: there are scores | turn`},
		{"pig", ">30 42 |", `turn: section 2 is empty: "-" stands for nothing`},
		{"pig", ">30 x", `scores[1]: "x" is not a whole number`},
		{"pig", ">30 99999999999", "scores[1]: 99999999999 is out of range"},
		{"pig", ">30 42 | 1 8", `turn: "1 8" is more than one number`},
		{"pig", ">30 120", "scores[1]: 120 points would have won the game"},
		{"kuhn", "K Q | check", `card: "K Q" is more than one word`},
		{"kuhn", "K | check jump", `moves[1]: "jump" is not possible there`},
		{"bank", "200nb >120 0 | 3 | 4 | 5-6 | 105", `totals[0]: "200nb" is not a total`},
		{"bank", "200n >120 0 | 3 | 4 | 5-x | 105", `dice[1]: 'x' is not a face of a die`},
		{"banluck", ">T? ??", `hand[1]: "?" is not a card`},
		{"lange-strasse", "4550? >1300 6400 | 7 | 0", `players[0]: "4550?" is not the points of a player`},
		{"tysiac", "0 >0", `scores: none has "d" after it, which marks the seat that deals`},
		{"tysiac", "0d >0d", "scores[1]: seat 1 is already marked as the one that deals"},
		{"tysiac", "0d >0 | 1 | 2 2 | 9S | - | 3 9S", "musik: it does not begin with 1 or 2"},
		{"tysiac-hand", "3 | 9S", `seat: "3" is not 1 or 2`},
	} {
		game, err := Games.New(test.game, nil)
		require.NoError(t, err)
		_, _, err = game.(engine.Positioned).ParsePosition([]byte(test.line), engine.NewRNG(1, 0))
		require.ErrorContains(t, err, test.message)
		require.ErrorAs(t, err, new(*strict.Error))
	}
}

// example returns the state of a game's example, and the seat to move.
func example(t *testing.T, game engine.Positioned) (engine.State, int) {
	t.Helper()
	s, _, err := game.ParsePosition(game.ExamplePosition(), engine.NewRNG(13, 0))
	require.NoError(t, err)
	return s, s.Player()
}

func parsed(t *testing.T, document string) (value any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(document), &value))
	return value
}

// requireFields requires that objects at the same place have the same fields, and that no list is null.
func requireFields(t *testing.T, fields map[string][]string, place string, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(value))
		if known, ok := fields[place]; ok {
			require.Equal(t, known, keys, place)
		}
		fields[place] = keys
		for key, inner := range value {
			requireFields(t, fields, place+"."+key, inner)
		}
	case []any:
		for _, inner := range value {
			requireFields(t, fields, place+"[]", inner)
		}
	case nil:
		require.Fail(t, "null", place)
	}
}

// always are the fields that no program has left out when they were empty.
var always = []string{"moves", "first_round", "kept_groups", "strich", "hand"}

// withoutEmpty leaves out the lists and texts of a position that are empty, and what is false, except for what was
// always there.
func withoutEmpty(t *testing.T, document string) string {
	t.Helper()
	drop := func(value any) any {
		object, ok := value.(map[string]any)
		if !ok {
			return value
		}
		maps.DeleteFunc(object, func(key string, inner any) bool {
			if slices.Contains(always, key) {
				return false
			}
			list, isList := inner.([]any)
			return inner == "" || inner == false || isList && len(list) == 0
		})
		return object
	}
	object := drop(parsed(t, document)).(map[string]any)
	for _, inner := range object {
		if list, ok := inner.([]any); ok {
			for i := range list {
				list[i] = drop(list[i])
			}
		}
	}
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return string(text)
}
