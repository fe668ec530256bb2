package cli

import (
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A game with real dice is followed to its end, with advice for one seat, and a hint for any.
func TestCompanion(t *testing.T) {
	folder := t.TempDir()
	status, out, errOut := croupier("roll\n6\nundo\n5\nhint\nhold\nhint\nroll\n1\n", "companion", "pig", "60 >42 | 18",
		"--names", "Anna,Bert", "--seat", "2", "--folder", folder)
	require.Equal(t, 1, status, "the input ends before the game")
	require.Contains(t, out, "Advice for Bert: roll. Roll is worth ")
	require.NotContains(t, out, "Advice for Anna")
	require.Contains(t, out, "What came, a die, as in 4 > 6")
	require.Contains(t, out, "Taken back.")
	require.Contains(t, out, "Bert made 23 points in this turn")
	require.Contains(t, out, "Advice of solver:optimal, exact.")
	require.Contains(t, errOut, "the game is not over")

	file := regexp.MustCompile(`croupier companion --continue "(.*)" --seat 2\n`).FindStringSubmatch(out)
	require.NotNil(t, file, out)
	status, out, errOut = croupier("hold\n", "companion", "--continue", file[1], "--seat", "2", "--folder", folder)
	require.Equal(t, 1, status, errOut)
	require.Contains(t, out, "Anna: 60 of 100 points\nBert: 65 of 100 points\n")
}

// A game that cannot be saved says so, and how it could.
func TestUnsavedGames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder where nobody can write is that of Linux")
	}
	t.Setenv("HOME", "/proc/nowhere")
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, args := range [][]string{{"companion", "pig"}, {"play", "pig", "--against", "random"}} {
		status, _, said := croupier("", args...)
		require.Equal(t, 1, status, args)
		require.Contains(t, said, "croupier: the game is not saved (--folder names another directory for it): ", args)
		require.Contains(t, said, "/proc/nowhere", args)
	}
}

func TestCompanionRefuses(t *testing.T) {
	for said, args := range map[string][]string{
		"Tysiąc hides cards, which companion needs open; \"croupier advise tysiac\" advises one seat without them": {"tysiac"},
		"no game is given: name GAME, or a saved game with --continue":                                             {},
		"--names: Pig has 2 seats, not 1":                                                                          {"pig", "--names", "Anna"},
		"--names: two players are called Anna":                                                                     {"pig", "--names", "Anna,Anna"},
		"--names: a person needs a name":                                                                           {"pig", "--names", "Anna,"},
		"--seat 3: the game has seats 1 to 2":                                                                      {"pig", "--seat", "3"},
		"POSITION: scores: no seat is marked with \">\" as the one to move":                                        {"pig", "3 4"},
		"--continue continues the game of its file: leave out pig":                                                 {"pig", "--continue", "x"},
	} {
		require.Equal(t, "croupier: "+said+"\n", refused(t, 2, append([]string{"companion"}, args...)...))
	}
}
