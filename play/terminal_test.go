package play

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

// person and robot are chairs.
func person(name string) Chair { return Chair{Kind: Person, Name: name} }
func robot() Chair             { return Chair{Kind: Robot, Agent: randomAgent()} }

// typing has people type lines at a terminal, and returns what it printed.
func typing(t *testing.T, plan Plan, terminal Terminal, lines ...string) (string, error) {
	t.Helper()
	table, err := NewTable(plan, time.Now())
	require.NoError(t, err)
	var out strings.Builder
	terminal.Table, terminal.Out = table, &out
	err = terminal.Play(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"))
	return out.String(), err
}

func ruled(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	game, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return game
}

// A whole game is typed: the commands work, a move is taken back, and anything that is no move is answered.
func TestTerminal(t *testing.T) {
	plan := Plan{Game: ruled(t, "pig", "target: 20"), Chairs: []Chair{person("Anna"), robot()}, Seed: 4, Undo: true}
	hints := []error{nil, errors.New("nobody knows")}
	terminal := Terminal{Echo: true, Hint: func(context.Context, engine.State) (string, error) {
		err := hints[0]
		hints = hints[1:]
		return "roll is best\n", err
	}}
	lines := append([]string{"", "help", "state", "hint", "hint", "undo", "dance", "99", "roll", "undo"},
		slices.Repeat([]string{"1", "HOLD"}, 200)...)
	out, err := typing(t, plan, terminal, lines...)
	require.NoError(t, err)
	for _, text := range []string{
		"Anna, 1 roll, 2 hold > ", "take back your last move", "Now: 1 roll, 2 hold", "roll is best\n", "Nobody knows.\n",
		`"dance" is not a move here; there are roll, hold. ("help" says what can be typed.)`, "99 is not in 1..2.",
		"Taken back.",
		"  Anna: roll\n", "  Beginner: ", "\nThe game is over: Anna ",
	} {
		require.Contains(t, out, text)
	}
	require.Regexp(t, `Anna (won|lost)( \(\d+ points\))?, Beginner (won|lost)`, out)
}

// People share a terminal: what one may not see is not shown to the other. It ends with the input, a word or the
// context.
func TestTerminalOfTwo(t *testing.T) {
	plan := Plan{Game: ruled(t, "kuhn", ""), Chairs: []Chair{person("Anna"), person("Bert")}, Seed: 1}
	out, err := typing(t, plan, Terminal{}, "hint", "check", "bet", "call")
	require.NoError(t, err)
	require.Contains(t, out, "There is no hint here.")
	require.Contains(t, out, "1 hidden")
	require.Regexp(t, `The game is over: (Anna gained 2 .*, Bert lost 2|Anna lost 2 .*, Bert gained 2) `, out)

	_, err = typing(t, plan, Terminal{}, "check", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	_, err = typing(t, plan, Terminal{}, "check")
	require.ErrorIs(t, err, ErrUnfinished)
	table, err := NewTable(plan, noon)
	require.NoError(t, err)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, (&Terminal{Table: table, Out: io.Discard}).Play(stopped, strings.NewReader("")), ErrUnfinished)
}

// A move that the rules forbid is answered with the rule.
func TestTerminalSaysTheRule(t *testing.T) {
	plan := Plan{Game: ruled(t, "bank-cards", ""), Chairs: []Chair{robot(), person("Anna")}, Seed: 1}
	lines := []string{}
	for card := range 52 {
		lines = append(lines, "play "+string(rune('0'+(card+1)/10))+string(rune('0'+(card+1)%10)))
	}
	out, err := typing(t, plan, Terminal{}, append(lines, "play 1", "play 52", "quit")...)
	require.ErrorIs(t, err, ErrUnfinished)
	require.Regexp(t, `(?m)> [A-Z].*\. \("help" says what can be typed\.\)$`, out)
}

// Dice of a real table are given beforehand, and asked for when they are used up.
func TestTerminalWithDice(t *testing.T) {
	plan := Plan{Game: ruled(t, "pig", "target: 10"), Chairs: []Chair{person("Anna"), robot()}, Seed: 1, Entered: true}
	out, err := typing(t, plan, Terminal{Dice: []string{"5"}}, "roll", "roll", "hint", "6", "hold")
	require.NoError(t, err)
	require.Contains(t, out, "What came, a die, as in 4 > ")
	require.Contains(t, out, "Anna won")
	_, err = typing(t, plan, Terminal{Dice: []string{"7"}}, "roll")
	require.ErrorContains(t, err, `--dice: "7" is not a die, as in 4`)

	plan = Plan{Game: ruled(t, "bank", "{players: 2, rounds: 1}"), Chairs: []Chair{person("Anna"), robot()}, Seed: 1,
		Entered: true}
	out, err = typing(t, plan, Terminal{Dice: []string{"4", "3", "5-5"}}, "pass", "pass", "7", "6", "5 2 1", "bank", "6,1", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Contains(t, out, "3-4")
	require.Contains(t, out, "What came, 2 dice, as in 2-6 or 26 > ")
	require.Contains(t, out, `"7" is not 2 dice, as in`, "a sum is no throw")
	require.NotContains(t, out, "1-1, 2 1-2")
}

// Dice are typed as they are read, other outcomes by name or number.
func TestEntered(t *testing.T) {
	dice := func(names ...string) (list []Choice) {
		for i, name := range names {
			list = append(list, Choice{Action: 10 + i, Name: name})
		}
		return list
	}
	two, six := dice("1-1", "1-2", "2-2", "3-4"), dice("1-1-1-1-1-1", "1-2-2-3-5-6")
	for _, c := range []struct {
		text     string
		outcomes []Choice
		want     int
	}{
		{"3 4", two, 13}, {"43", two, 13}, {"4,3", two, 13}, {" 3-4 ", two, 13}, {"2 2", two, 12},
		{"1 2 2 3 5 6", six, 11}, {"652231", six, 11}, {"5", dice("1", "2", "3", "4", "5", "6"), 14},
		{"10h", dice("9♥", "10♥"), 11}, {"2", dice("J", "Q"), 11}, {"3", dice("double", "3"), 11},
	} {
		got, err := Entered(c.text, c.outcomes)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
	for text, outcomes := range map[string][]Choice{
		"7": two, "3 4 4": two, "0 3": two, "3.4": two, "": two, "1": six, "9": dice("1", "2"),
	} {
		_, err := Entered(text, outcomes)
		require.ErrorContains(t, err, "as in", text)
	}
}

// A player who does not type in time has the fallback of the game.
func TestTerminalKeepsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := Plan{Game: ruled(t, "bank", "{players: 2, rounds: 1}"), Chairs: []Chair{person("Anna"), robot()},
			Timeout: 30 * time.Second}
		table, err := NewTable(plan, time.Now())
		require.NoError(t, err)
		in, typed := io.Pipe()
		defer typed.Close()
		var out strings.Builder
		require.NoError(t, (&Terminal{Table: table, Out: &out}).Play(t.Context(), in))
		require.Contains(t, out.String(), "(30 s, then pass) > ")
		require.Contains(t, out.String(), "Anna: pass (30s are over)")
	})
}

// What is typed means the one choice that it can mean.
func TestTyped(t *testing.T) {
	choices := []Choice{{Action: 7, Name: "play 10♥"}, {Action: 8, Name: "play 9♥"}, {Action: 9, Name: "2-5"},
		{Action: 10, Name: "pass"}}
	keeps := []Choice{{Action: 1, Name: "keep 5, roll"}, {Action: 2, Name: "keep 5-5-5, roll"},
		{Action: 3, Name: "keep 5-5-5, stop"}, {Action: 4, Name: "keep 1-5, roll"}}
	for text, want := range map[string]int{
		"keep 5": 1, "keep 5 roll": 1, "keep 5 5 5 stop": 3, "keep 1 5": 4, "KEEP 5-5-5, roll": 2,
	} {
		got, err := Typed(text, keeps)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	_, err := Typed("keep 5 5 5", keeps)
	require.ErrorContains(t, err, `"keep 5 5 5" can be keep 5-5-5, roll; keep 5-5-5, stop`)
	require.Equal(t, "1 keep 5, roll; 2 keep 5-5-5, roll", list(keeps[:2]))
	for text, want := range map[string]int{
		"10h": 7, "play 9H": 8, "2-5": 9, "pa": 10, "4": 10, "1": 7,
	} {
		got, err := Typed(text, choices)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, reason := range map[string]string{
		"p": `"p" can be play 10♥, play 9♥, pass`, "0": "0 is not in 1..4", "fold": "not a move here",
	} {
		_, err := Typed(text, choices)
		require.ErrorContains(t, err, reason)
	}
	require.Equal(t, "2-5, 2-5, 2-5, 2-5, 2-5, 2-5, 2-5, 2-5, and 1 more", names(slices.Repeat(choices[2:3], 9)))
}
