package standard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
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
