package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
)

// played runs croupier play with lines of input, and a folder for games that is the test's own.
func played(t *testing.T, folder, input string, args ...string) (status int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"play", "--folder", folder}, args...)
	status = installed.run(context.Background(), args, strings.NewReader(input), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// Every game is played from a pipe to its end, by numbers, and kept.
// Before a game begins it is said that no strong agent knows its rules.
func TestPlayTellsWhereOnlyBotsPlay(t *testing.T) {
	play := func(rules string) string {
		_, stdout, stderr := croupier("", "play", "bank", "--rules", rulesFile(t, rules), "--against", "expert", "--seed", "1",
			"--folder", t.TempDir())
		return stdout + stderr
	}
	require.Regexp(t, `^Note: no strong agent knows these rules: .*; hints come from the bot leader-chaser\.`,
		play("rounds: 999"))
	require.NotContains(t, play("players: 2"), "no strong agent")
}

func TestPlayEveryGameFromAPipe(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			folder := t.TempDir()
			status, out, errOut := played(t, folder, strings.Repeat("1\n", 20_000), entry.Name, "--against", "beginner",
				"--seed", "4")
			require.Equal(t, 0, status, errOut)
			require.Contains(t, out, "The game is over: You ")
			require.NotContains(t, out, `"game":`, "positions are in words")
			status, out, _ = played(t, folder, "", "--stats")
			require.Equal(t, 0, status)
			require.Regexp(t, entry.Name+` +against Beginner +1 `, out)
		})
	}
}

// The words that others rely on.
func TestPlayPigByWords(t *testing.T) {
	folder := t.TempDir()
	status, out, errOut := played(t, folder, strings.Repeat("roll\nHO\n", 500), "pig", "--seed", "3", "--against",
		"beginner", "--review")
	require.Equal(t, 0, status, errOut)
	require.Contains(t, out, "The game is over: You won (100 points), Beginner lost")
	require.Regexp(t, `You: accuracy \d+ %, \d+ mistakes? in \d+ decisions?`, out)
	_, out, _ = played(t, folder, "", "--stats", "--json")
	require.Contains(t, out, `"reviewed": 1`)
	status, _, _ = played(t, folder, "", "--forget")
	require.Equal(t, 0, status)
	_, out, _ = played(t, folder, "", "--stats")
	require.Contains(t, out, "There are no games yet")
}

// Input that ends too early leaves a game that continues where it was.
func TestPlayIsSavedAndGoesOn(t *testing.T) {
	folder := t.TempDir()
	status, out, errOut := played(t, folder, "roll\n", "pig", "--seed", "3", "--against", "beginner")
	require.Equal(t, 1, status)
	require.Equal(t, "croupier: the game is not over\n", errOut)
	command := regexp.MustCompile(`croupier play --continue "(.*)"`).FindStringSubmatch(out)
	require.NotNil(t, command, out)
	last := regexp.MustCompile(`You made \d+ points in this turn`).FindAllString(out, -1)
	status, out, errOut = played(t, folder, "state\n"+strings.Repeat("roll\nhold\n", 500), "--continue", command[1])
	require.Equal(t, 0, status, errOut)
	require.Contains(t, out[:600], last[len(last)-1])
	require.Contains(t, out, "The game is over")
}

func TestPlayCommands(t *testing.T) {
	status, out, _ := played(t, t.TempDir(), "help\nhint\nroll\nundo\nundo\nsteal\nquit\n", "pig", "--seed", "3")
	require.Equal(t, 1, status)
	for _, want := range []string{
		"what each move is worth", "roll *", "win probability", "Taken back.",
		"There is no decision of yours to take back.", `"steal" is not a move here; there are roll, hold`,
	} {
		require.Contains(t, out, want)
	}
}

// What is illegal is answered with the rule.
func TestPlaySaysWhyNot(t *testing.T) {
	_, out, _ := played(t, t.TempDir(), "raise\nraise\nraise\nraise\nquit\n", "leduc", "--seed", "1", "--against", "loose")
	require.NotContains(t, out, `"raise" is not a move here; there are`)
}

// With real dice chance is what people say.
func TestPlayWithRealDice(t *testing.T) {
	_, out, _ := played(t, t.TempDir(), "roll\n6\nroll\n", "pig", "--dice", "5,4", "--against", "person")
	require.Contains(t, out, "Player 1 made 5 points")
	_, out, _ = played(t, t.TempDir(), "roll\nroll\nroll\n6\nquit\n", "pig", "--dice", "5,4", "--against", "person")
	require.Contains(t, out, "Player 1 made 15 points")
	status, _, errOut := played(t, t.TempDir(), "roll\n", "pig", "--dice", "7", "--against", "person")
	require.Equal(t, 1, status)
	require.Contains(t, errOut, `--dice: "7" is not a die, as in 4`)
	for _, dice := range []string{"5-2", "5,2", "25", "5 2"} {
		_, out, _ = played(t, t.TempDir(), "", "bank", "--dice", dice, "--against", "person,person")
		require.Contains(t, out, "2-5", dice)
	}
}

// Persons at one terminal have names.
func TestPlayNamesPersons(t *testing.T) {
	_, out, _ := played(t, t.TempDir(), "\n", "bank", "--seed", "1", "--against", "person:Mum,person,beginner")
	require.Contains(t, out, "Bank: 1 Player 1, 2 Mum, 3 Player 3; Enter: pass (30 s, then pass) > ")
	_, out, _ = played(t, t.TempDir(), "\n", "bank", "--seed", "1", "--against", "person:Mum,beginner", "--name", "Eva")
	require.Contains(t, out, "Bank: 1 Eva, 2 Mum; Enter: pass")
}

func TestPlayRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"chess", "unknown game"},
		{"pig --seat 3", "--seat 3: Pig has seats 1 to 2"},
		{"pig --against nobody", `--against: unknown agent "nobody" of pig`},
		{"pig --against casual,casual", "--against: Pig has 2 seats, not 3"},
		{"pig --continue /nowhere", "leave out pig"},
		{"pig --against person:", "--against: person:: a person needs a name"},
		{"bank --against person:Dad,person:Dad", "two persons are called Dad: --name and --against name them"},
	} {
		status, _, errOut := played(t, t.TempDir(), "", strings.Fields(c.args)...)
		require.Equal(t, 2, status, c.args)
		require.Contains(t, errOut, c.want)
	}
	file := filepath.Join(t.TempDir(), "game.json")
	for _, document := range []string{"", "{", `{"history": []}`, `{"seats": [{}]}`,
		`{"history": {"game": "pig", "history": [9]}, "seats": [{"person": "A"}, {"person": "B"}]}`} {
		require.NoError(t, os.WriteFile(file, []byte(document), 0o600))
		status, _, errOut := played(t, t.TempDir(), "", "--continue", file)
		require.Equal(t, 2, status, document)
		require.NotContains(t, errOut, "panic")
	}
}

// The help has the levels.
func TestPlayHelpListsLevels(t *testing.T) {
	_, out, _ := played(t, t.TempDir(), "", "--help")
	require.Regexp(t, `(?s)tysiac +beginner \(random\),.* expert \(search:trained\)`, out)
}
