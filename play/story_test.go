package play

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/games"
	"croupier/engine/history"
	"croupier/policy"
)

// each runs a test for every game.
func each(t *testing.T, do func(t *testing.T, game engine.Game)) {
	t.Helper()
	for _, entry := range games.All {
		t.Run(entry.Name, func(t *testing.T) {
			game, err := entry.New(nil)
			require.NoError(t, err)
			do(t, game)
		})
	}
}

// randomAgent moves at random.
func randomAgent() Agent {
	return Agent{Name: policy.RandomName, Title: "Beginner", About: "moves at random",
		New: func() (policy.Policy, error) { return policy.Random{}, nil }}
}

// robots are as many agents that move at random as a game has seats.
func robots(game engine.Game) []Chair {
	return slices.Repeat([]Chair{{Kind: Robot, Agent: randomAgent()}}, game.Spec().Seats)
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// finish plays a table of agents to its end and calls see after every step.
func finish(t *testing.T, table *Table, see func()) {
	t.Helper()
	for next := table.Next(); next != NextNobody; next = table.Next() {
		if next == NextChance {
			require.NoError(t, table.Draw(noon))
		} else {
			task := table.Task()
			require.NoError(t, task.Think())
			require.NoError(t, table.Finish(task, noon))
		}
		see()
	}
}

// A finished game of agents is the history of its seed.
func TestFinishedGameIsTheHistoryOfItsSeed(t *testing.T) {
	each(t, func(t *testing.T, game engine.Game) {
		table, err := NewTable(Plan{Game: game, Chairs: robots(game), Seed: 5}, noon)
		require.NoError(t, err)
		finish(t, table, func() {})
		if table.story.Cut() {
			t.Skip("a game of random moves does not end")
		}
		simulator, err := history.NewSimulator(game)
		require.NoError(t, err)
		var want history.Record
		require.NoError(t, simulator.Play(5, slices.Repeat([]engine.Bot{policy.Random{}}, game.Spec().Seats), &want))
		require.Equal(t, string(history.Append(nil, &want)), string(history.Append(nil, table.Record())))
	})
}

// bytesFor is all that a seat is sent of a game, with the same table around it.
func bytesFor(t *testing.T, table *Table, eye int) string {
	t.Helper()
	document, err := json.Marshal(table.Show(eye, noon))
	require.NoError(t, err)
	return string(document)
}

// TestNothingHiddenTravels plays whole games of every game, and beside each one that looks the same
// to one seat (other cards in the others' hands, as far as they explain what the seat has seen). All
// that the seat is sent, from the first card to the end of the game, is the same to the byte; so is
// what a spectator is sent.
func TestNothingHiddenTravels(t *testing.T) {
	each(t, func(t *testing.T, game engine.Game) {
		if game.Spec().PerfectInformation {
			t.Skip("nothing is hidden")
		}
		changed, compared := 0, 0
		rng := engine.NewRNG(1, 0)
		for seed := range uint64(12) {
			for seat := range game.Spec().Seats {
				table, err := NewTable(Plan{Game: game, Chairs: robots(game), Seed: seed}, noon)
				require.NoError(t, err)
				table.Sit(seat, "Anna", noon)
				twin, err := NewTable(Plan{Game: game, Chairs: table.Again(false, 0).Chairs, Seed: seed}, noon)
				require.NoError(t, err)
				c, n := pairUp(t, table, twin, seat, rng)
				changed, compared = changed+c, compared+n
			}
		}
		require.Positive(t, changed, "nothing was hidden in any game")
		t.Logf("%d documents compared, %d steps were others", compared, changed)
	})
}

// pairUp plays a random game at the table and one that looks the same to the seat at its twin. It
// returns how many steps differed and how many documents were compared.
func pairUp(t *testing.T, table, twin *Table, seat int, rng *engine.RNG) (changed, compared int) {
	t.Helper()
	a, b := table.story, twin.story
	for a.Player() != engine.Terminal {
		step := anyStep(a.state, rng)
		want := a.seen(seat, a.Player(), step)
		if want == nil {
			require.NoError(t, table.apply(step, engine.RNG{}, ""))
			continue
		}
		what := a.sight(seat, step)
		// The other game may first have to make steps that the seat does not notice either.
		for b.Player() != a.Player() {
			if !unnoticed(twin, seat, rng) {
				return changed, compared
			}
		}
		if b.Player() == engine.Terminal {
			return changed, compared
		}
		same, ok := lookalike(b, seat, what, want, rng)
		if !ok {
			return changed, compared
		}
		if same != step {
			changed++
		}
		require.NoError(t, table.apply(step, engine.RNG{}, ""))
		require.NoError(t, twin.apply(same, engine.RNG{}, ""))
		if a.Player() == engine.Terminal || b.Player() == engine.Terminal {
			return changed, compared // hands are laid open
		}
		if a.Player() == seat != (b.Player() == seat) {
			continue // one of them has unnoticed steps to make
		}
		compared += 2
		require.Equal(t, bytesFor(t, table, seat), bytesFor(t, twin, seat), fmt.Sprintf("%v and %v", a.history, b.history))
	}
	return changed, compared
}

// anyStep draws a possible step.
func anyStep(s engine.State, rng *engine.RNG) int {
	if s.Player() == engine.Chance {
		return s.SampleChance(rng)
	}
	legal := s.LegalActions(nil)
	return legal[rng.IntN(len(legal))]
}

func possible(s engine.State) []int {
	steps := s.LegalActions(nil)
	for _, o := range s.Outcomes(nil) {
		steps = append(steps, o.Index)
	}
	return steps
}

// unnoticed makes a step that the seat does not notice, if there is one.
func unnoticed(table *Table, seat int, rng *engine.RNG) bool {
	s := table.story.state
	steps := slices.DeleteFunc(possible(s), func(step int) bool { return s.Seen(seat, step) != engine.Unnoticed })
	return len(steps) > 0 && table.apply(steps[rng.IntN(len(steps))], engine.RNG{}, "") == nil
}

// lookalike draws a step of which the seat sees what it saw of another one.
func lookalike(b *Story, seat, what int, want *Event, rng *engine.RNG) (int, bool) {
	var same []int
	for _, other := range possible(b.state) {
		if e := b.seen(seat, b.Player(), other); e != nil && b.sight(seat, other) == what && *e == *want {
			same = append(same, other)
		}
	}
	if len(same) == 0 {
		return 0, false
	}
	return same[rng.IntN(len(same))], true
}
