package kits

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewGamesHaveTheirName(t *testing.T) {
	for _, name := range Names() {
		l, found := Find(name)
		require.True(t, found)
		files := l.New("my-game")
		require.GreaterOrEqual(t, len(files), 3)
		require.True(t, strings.HasPrefix(files[0].Name, "my-game."))
		require.Regexp(t, `name\\?": \\?"my-game\\?"`, files[0].Text)
		require.NotRegexp(t, `"tic-tac-toe\\?"`, files[0].Text)
		require.NotContains(t, files[0].Text, "kits/", "the kit is in the folder of the game")
		require.Contains(t, files[0].Text, map[bool]string{true: `"game/croupier"`, false: files[1].Name}[name == "go"],
			"the source includes the kit")
		require.Contains(t, files[2].Text, "-o my-game.wasm "+map[bool]string{true: ".", false: files[0].Name}[name == "go"])
		require.Equal(t, l.Build("my-game"), strings.TrimSpace(strings.Split(files[2].Text, "\n")[4]))
	}
	_, found := Find("cobol")
	require.False(t, found)
}
