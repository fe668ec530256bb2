package play

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/policy"
)

// cautious passes always.
type cautious struct{}

func (cautious) Reset()                                                {}
func (cautious) Choose(_ engine.State, legal []int, _ *engine.RNG) int { return legal[0] }

// family is a table of BANK! with persons and an agent at one terminal.
func family(t *testing.T, rules string) Plan {
	passer := Chair{Kind: Robot, Agent: Agent{Name: "cautious", Title: "Cautious",
		New: func() (policy.Policy, error) { return cautious{}, nil }}}
	return Plan{
		Game: ruled(t, "bank", rules), Undo: true, Seed: 7,
		Chairs: []Chair{person("Mum"), person("Dad"), passer, person("Anna")},
	}
}

// prompts returns what persons were asked.
func prompts(out string) []string {
	return regexp.MustCompile(`(?m)^.*?: .*; Enter: .*? > `).FindAllString(out, -1)
}

// Several persons are asked at once, by keys; nobody is asked while nothing can be lost.
func TestPersonsAreAskedTogether(t *testing.T) {
	plan := family(t, "{players: 4, rounds: 1}")
	plan.Entered = true
	dice := []string{"1-2", "1-3", "1-4", "1-5"}
	out, err := typing(t, plan, Terminal{Dice: dice}, "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Len(t, prompts(out), 1, out)
	require.Contains(t, out, "1-2, Mum: pass, Dad: pass")
	require.Contains(t, out, "roll 3 was 1-4")
	require.Contains(t, out, "Bank: 1 Mum, 2 Dad, 4 Anna; Enter: pass > ")
	require.NotContains(t, out, "You", "they look together")

	// Dad banks, so that the others are asked again; Enter rolls on.
	out, err = typing(t, plan, Terminal{Dice: dice}, "2", "", "", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Contains(t, out, "Mum: pass, Dad: bank")
	require.Contains(t, out, "Bank: 1 Mum, 4 Anna; Enter: pass > ")
	require.Contains(t, out, "roll 4 was 1-5")
	// Two bank in one answer, by number and by name; the last one after them.
	for _, both := range []string{"12", "1 2", "1,2", "mum dad"} {
		out, err = typing(t, plan, Terminal{Dice: dice}, both, "4", "quit")
		require.ErrorIs(t, err, ErrUnfinished)
		require.Regexp(t, `(?s)Mum: bank, .*Dad: bank.*Bank: 4 Anna; Enter: pass > .*Anna: bank`, out, both)
	}
	out, _ = typing(t, plan, Terminal{Dice: dice}, "3", "granny", "help", "state", "quit")
	require.Contains(t, out, `"3" is nobody who is asked: type the numbers or names of those who do it, or just Enter.`)
	require.Contains(t, out, `"granny" is nobody who is asked`)
	require.Contains(t, out, "Now: bank: 1 Mum, 2 Dad, 4 Anna; Enter: pass")
	require.Contains(t, out, "\nPosition: >0 0 0 0 | 1 | 3 | 1-4 | 12\n")
}

// A slip is taken back where all agree, together with what followed; another question is asked again as it was.
func TestPersonsAgreeOnTakingBack(t *testing.T) {
	plan := family(t, "{players: 4, rounds: 1}")
	out, err := typing(t, plan, Terminal{}, "undo", "4", "undo", "n", "undo", "y", "undo", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Contains(t, out, "Take back the newest answer of Mum, Dad, Anna, and all that followed? y: everybody agrees > "+
		"Nothing is taken back.")
	require.Contains(t, out, "everybody agrees > Taken back.")
	require.Equal(t, 2, strings.Count(out, "There is no decision of yours to take back."), "before the first, and after it")
	asked := prompts(out)
	require.Equal(t, asked[0], asked[len(asked)-1])

	plan = Plan{Game: ruled(t, "kuhn", ""), Chairs: []Chair{person("Anna"), person("Bert")}, Seed: 1, Undo: true}
	out, err = typing(t, plan, Terminal{}, "check", "undo", "y", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Contains(t, out, "the newest answer of Anna, and all")
	require.Equal(t, 2, strings.Count(out, "Anna, 1 check, 2 bet > "))
}

// On a screen the position stays in its place, and cards are covered until the next person has the screen.
func TestScreenOfSeveral(t *testing.T) {
	out, err := typing(t, family(t, "{players: 4, rounds: 1}"), Terminal{Screen: true}, "2", "quit")
	require.ErrorIs(t, err, ErrUnfinished)
	for _, page := range strings.Split(out, eraseScreen)[1:] {
		require.Regexp(t, "(?s)^.*\nRound 1 of 1, roll .*\nMum: .*\nBank: .*; Enter: pass > $", page)
		require.Less(t, strings.Count(page, "\n"), 20)
	}
	plan := Plan{Game: ruled(t, "kuhn", ""), Chairs: []Chair{person("Anna"), person("Bert")}, Seed: 1}
	out, err = typing(t, plan, Terminal{Screen: true}, "", "check", "", "bet", "", "call")
	require.NoError(t, err)
	pages := strings.Split(out, eraseScreen)[1:]
	require.Len(t, pages, 3)
	for i, name := range []string{"Anna", "Bert", "Anna"} {
		require.True(t, strings.HasPrefix(pages[i], "It is the turn of "+name+": pass the terminal on, then press Enter. "), pages[i])
		require.Contains(t, pages[i], name+", 1 ")
	}
	// A folded card stays covered at the end.
	out, err = typing(t, plan, Terminal{Screen: true}, "", "bet", "", "fold")
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(out[strings.LastIndex(out, "call > "):], "face down"), out)
}

// When time is up, all who did not answer pass.
func TestPersonsWhoDoNotAnswerPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := family(t, "{players: 4, rounds: 1}")
		plan.Timeout = 30 * time.Second
		table, err := NewTable(plan, time.Now())
		require.NoError(t, err)
		in, typed := io.Pipe()
		defer typed.Close()
		var out strings.Builder
		begun := time.Now()
		require.NoError(t, (&Terminal{Table: table, Out: &out}).Play(t.Context(), in))
		asked := prompts(out.String())
		require.NotEmpty(t, asked)
		require.Contains(t, asked[0], "; Enter: pass (30 s, then pass) > ")
		require.Equal(t, time.Duration(len(asked))*30*time.Second, time.Since(begun), "once for all")
		require.Equal(t, engine.Terminal, table.story.Player())
	})
}
