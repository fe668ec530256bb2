package play

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/policy"
)

// each runs a test for every game.
func each(t *testing.T, do func(t *testing.T, game engine.Game)) {
	t.Helper()
	for _, entry := range standard.Games.Games() {
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
		simulator, err := history.NewSimulator(game)
		require.NoError(t, err)
		var want history.Record
		require.NoError(t, simulator.Play(5, slices.Repeat([]engine.Bot{policy.Random{}}, game.Spec().Seats), &want))
		require.Equal(t, string(history.Append(nil, &want)), string(history.Append(nil, table.Record())))
	})
}

// document is a Show as the server sends it, but for the time.
func document(t *testing.T, show *Show) string {
	t.Helper()
	if show.Clock != nil {
		show.Clock.Left = 0
	}
	document, err := json.Marshal(show)
	require.NoError(t, err)
	return string(document)
}

// stillRoom is a table at which nothing happens by itself. All have the same keys.
func stillRoom(t *testing.T, h *Hall, plan Plan) *room {
	t.Helper()
	table, err := NewTable(plan, time.Now())
	require.NoError(t, err)
	r, _ := h.newRoom(table, time.Now())
	r.id, r.watch, r.paused = "table", "watch", true
	return r
}

// TestNothingHiddenTravels plays whole games of every game, and next to each one that looks the same
// to one seat (other cards in the others' hands, as far as they explain what the seat has seen). All
// that the seat is sent, from the first card to the end of the game, is the same to the byte; so is
// what spectators are sent.
func TestNothingHiddenTravels(t *testing.T) {
	h := NewHall(t.Context(), Options{Limits: DefaultLimits()})
	each(t, func(t *testing.T, game engine.Game) {
		changed, compared := 0, 0
		rng := engine.NewRNG(1, 0)
		// Where nothing is hidden, a game that looks the same is the same, and one deal shows it as well as many.
		deals := 12
		if game.Spec().PerfectInformation {
			deals = nightly.Cases(1, 12)
		}
		for seed := range uint64(deals) {
			for seat := range game.Spec().Seats {
				plan := Plan{Game: game, Chairs: robots(game), Seed: seed, Timeout: time.Minute}
				plan.Chairs[seat] = Chair{Kind: Person, Name: "Anna"}
				c, n := pairUp(t, stillRoom(t, h, plan), stillRoom(t, h, plan), seat, rng, func(r *room) []string {
					return []string{document(t, r.show(seat)), document(t, r.show(engine.Public))}
				})
				changed, compared = changed+c, compared+n
			}
		}
		require.Equal(t, !game.Spec().PerfectInformation, changed > 0,
			"games that look the same are the same where nothing is hidden")
		t.Logf("%d documents compared, %d steps were others", compared, changed)
	})
}

// pairUp plays a random game at the table and one that looks the same to the seat at its twin. It
// returns how many steps differed and how many documents were compared: those that sent returns of both.
func pairUp(
	t *testing.T, table, twin *room, seat int, rng *engine.RNG, sent func(r *room) []string,
) (changed, compared int) {
	t.Helper()
	a, b := table.table.story, twin.table.story
	for a.Player() != engine.Terminal {
		step := anyStep(a.state, rng)
		want := a.seen(seat, a.Player(), step)
		if want == nil {
			require.NoError(t, makeStep(table, step))
			continue
		}
		what := a.sight(seat, step)
		// The other game may first have to make steps that the seat does not notice either.
		for b.Player() != a.Player() {
			if !unnoticed(twin, seat, rng) {
				return changed, compared
			}
		}
		same, ok := lookalike(b, seat, what, want, rng)
		if !ok {
			return changed, compared
		}
		if same != step {
			changed++
		}
		require.NoError(t, makeStep(table, step))
		require.NoError(t, makeStep(twin, same))
		if a.Player() == engine.Terminal || b.Player() == engine.Terminal {
			return changed, compared // hands are laid open
		}
		if (a.Player() == seat) != (b.Player() == seat) || seat == engine.Public && a.Player() != b.Player() {
			continue // one of them has steps to make that the seat does not notice
		}
		compared++
		require.Equal(t, sent(table), sent(twin), "%v and %v", a.history, b.history)
	}
	return changed, compared
}

// makeStep makes a step as a person, an agent or chance would.
func makeStep(r *room, step int) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.change(func(now time.Time) error {
		r.table.since = now
		return r.table.apply(step, engine.RNG{}, "")
	})
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
func unnoticed(r *room, seat int, rng *engine.RNG) bool {
	s := r.table.story.state
	steps := slices.DeleteFunc(possible(s), func(step int) bool { return s.Seen(seat, step) != engine.Unnoticed })
	return len(steps) > 0 && makeStep(r, steps[rng.IntN(len(steps))]) == nil
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

// In a game that is for cents people are shown cents, at its end and summed up over several games.
func TestMoneyIsToldInCoins(t *testing.T) {
	game := ruled(t, "lange-strasse", "")
	table, err := NewTable(Plan{Game: game, Chairs: robots(game), Seed: 5, Sum: []float64{1, -0.5, -0.5}}, noon)
	require.NoError(t, err)
	finish(t, table, func() {})
	r := stillRoom(t, NewHall(t.Context(), Options{Limits: DefaultLimits()}), Plan{Game: game, Chairs: robots(game)})
	r.table = table
	show := r.show(engine.Public)
	require.Equal(t, "ct", show.Over.Unit)
	require.Zero(t, show.Over.Decimals)
	for seat, units := range table.story.returns() {
		require.InDelta(t, 100*units, show.Over.Returns[seat], 1e-9)
		require.InDelta(t, 100*(units+[]float64{1, -0.5, -0.5}[seat]), show.Table.Sum[seat], 1e-9)
	}
	require.Regexp(t, `(gained|lost) \d+ ct \(\d+ points\)`, Outcome(show))
	units, cents := Entry{Game: "x", Unit: "units", Return: 1}, Entry{Game: "x", Unit: "ct", Return: 50}
	all := Statistics([]Entry{units, cents, cents})[0]
	require.Equal(t, "ct", all.Unit)
	require.Equal(t, 3, all.Games)
	require.InDelta(t, 50, all.Return, 0, "the mean of those noted in cents")
}
