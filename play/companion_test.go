package play

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

// joined returns the plan of a game with real dice between Anna and Bert that begins in a position.
func joined(t *testing.T, name, rules, position string) Plan {
	t.Helper()
	game := ruled(t, name, rules)
	start, _, _, err := engine.PositionOf(game, []byte(position), engine.NewRNG(1, 0))
	require.NoError(t, err)
	return Plan{Game: game, Chairs: []Chair{person("Anna"), person("Bert")}, Start: start, Entered: true, Undo: true}
}

// best advises what the name of the first legal action is.
func best(_ context.Context, position engine.State) (string, error) {
	return position.ActionName(position.LegalActions(nil)[0]) + " in " + strings.Split(position.String(), "\n")[0], nil
}

// A game is joined in a position, the seat that wants advice gets it once for each decision, and a slip is taken back.
func TestCompanionJoinsAGame(t *testing.T) {
	plan := joined(t, "pig", "target: 50", "20 >30 | 8")
	out, err := typing(t, plan, Terminal{Advice: best, Advised: 1}, "roll", "3", "help", "undo", "4", "hold", "roll", "6",
		"hold", "roll", "5", "roll", "4", "hold")
	require.NoError(t, err)
	require.Contains(t, out, "Bert made 8 points in this turn")
	require.Contains(t, out, "Taken back.")
	require.NotContains(t, out, "Advice for Anna")
	require.Equal(t, 6, strings.Count(out, "Advice for Bert: roll"), "%s", out)
	require.Contains(t, out, "The game is over: Anna lost (26 points), Bert won (51 points).")
}

// Where persons are asked together, the advised one gets advice for when those before do not act; what nobody is asked
// about does not stop a slip from being taken back.
func TestCompanionOfPersonsWhoAreAskedTogether(t *testing.T) {
	plan := Plan{Game: ruled(t, "bank", "{players: 2, rounds: 3}"), Chairs: []Chair{person("Anna"), person("Bert")},
		Entered: true, Undo: true}
	out, err := typing(t, plan, Terminal{Advice: best, Advised: 1}, "1 1", "undo", "6 6", "undo", "undo", "6 6", "65", "54",
		"", "33", "2", "state", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Equal(t, 2, strings.Count(out, "Taken back."), out)
	require.Contains(t, out, "There is nothing to take back.")
	require.Contains(t, out, "Advice for Bert: pass")
}

// A joined game is saved with the position in which it was joined, and continues from there; it has no history.
func TestJoinedGameGoesOn(t *testing.T) {
	table, err := NewTable(joined(t, "pig", "target: 50", "20 >30 | 8"), noon)
	require.NoError(t, err)
	require.NoError(t, table.Act(1, 0, 1, noon))
	document, err := table.Save("")
	require.NoError(t, err)
	saved, err := ReadSaved(document)
	require.NoError(t, err)
	plan, err := saved.Plan(t.Context(), standard.Games, known)
	require.NoError(t, err)
	again, err := NewTable(plan, noon)
	require.NoError(t, err)
	require.Equal(t, table.State().String(), again.State().String())
	require.Equal(t, []int{1}, again.story.history)
	saved.Position = "20 30 | x"
	_, err = saved.Plan(t.Context(), standard.Games, known)
	require.ErrorContains(t, err, "position: ")
}

// A decision is asked for without being made: what is no move is refused, and the end of the input is no decision.
func TestDecide(t *testing.T) {
	plan := joined(t, "pig", "", ">30 42 | 18")
	plan.Chairs[1], plan.Entered = robot(), false
	table, err := NewTable(plan, noon)
	require.NoError(t, err)
	var out strings.Builder
	terminal := Terminal{Table: table, Out: &out, Help: "Type a move.\n"}
	lines := Lines(t.Context(), strings.NewReader("\nhelp\nundo\ndance\nhold\nquit\n"))
	action, err := terminal.Decide(t.Context(), lines)
	require.NoError(t, err)
	require.Equal(t, "hold", table.State().ActionName(action))
	require.Empty(t, table.story.history)
	require.Contains(t, out.String(), "Position: >30 42 | 18\n")
	require.Contains(t, out.String(), "Type a move.\nNow: 1 roll, 2 hold\n")
	require.Contains(t, out.String(), `"dance" is not a move here`)
	for range 2 {
		_, err = terminal.Decide(t.Context(), lines)
		require.ErrorIs(t, err, ErrUnfinished)
	}
}

// A table of a page is joined in a position, and then has no history; what cannot be joined is refused.
func TestHallJoinsAGame(t *testing.T) {
	inHall(t, patient, func(t *testing.T, h *Hall) {
		two := []SeatRequest{{Person: "Anna"}, {Person: "Bert"}}
		made, err := h.Lay(t.Context(), Request{Game: "pig", Entered: true, Seats: two, Position: "20 >30 | 8"})
		require.NoError(t, err)
		show, err := h.Show(made.Table, made.Keys[1], false)
		require.NoError(t, err)
		require.Equal(t, "20 >30 | 8", show.Line)
		_, err = h.Save(made.Table, made.Keys[1])
		require.ErrorContains(t, err, "the game was joined under way")
		for reason, q := range map[string]Request{
			"position: scores: no seat is marked": {Game: "pig", Entered: true, Position: "20 30"},
			"only where chance is entered":        {Game: "pig", Position: "20 >30"},
			"two beginnings": {Game: "pig", Entered: true, Position: "20 >30",
				From: &Point{History: `{"game":"pig","history":[0]}`, Step: 1}},
		} {
			q.Seats = two
			_, err := h.Lay(t.Context(), q)
			require.ErrorContains(t, err, reason)
		}
	})
}
