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
		require.Len(t, files, 3)
		require.True(t, strings.HasPrefix(files[0].Name, "my-game."))
		require.Contains(t, files[0].Text, `\"name\": \"my-game\"`)
		require.NotContains(t, files[0].Text, `\"tic-tac-toe\"`)
		require.Contains(t, files[0].Text, files[1].Name, "the source includes the kit")
		require.Contains(t, files[2].Text, "-o my-game.wasm "+files[0].Name)
		require.Equal(t, l.Build("my-game"), strings.TrimSpace(strings.Split(files[2].Text, "\n")[4]))
	}
	_, found := Find("cobol")
	require.False(t, found)
}
