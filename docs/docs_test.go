package docs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// All documents are in the program, the map first, each with a name and a title of its own.
func TestPages(t *testing.T) {
	pages := Pages()
	require.Equal(t, "index", pages[0].Name)
	require.Greater(t, len(pages), 40)
	names := map[string]bool{}
	for _, p := range pages {
		require.NotEmpty(t, p.Title, p.Name)
		require.NotContains(t, p.Title, "#", p.Name)
		require.False(t, names[p.Name], p.Name)
		names[p.Name] = true
	}
	require.True(t, names["guide/play"] && names["explain/algorithms/ppo"])
}

// A page is found by its name, or by the last part of it, which several may share.
func TestFind(t *testing.T) {
	pages := []Page{New("guide/play", "# Playing\n"), New("lab/play", "# Plays\n"), New("index", "# The map\n")}
	names := func(name string) (found []string) {
		for _, p := range Find(pages, name) {
			found = append(found, p.Name)
		}
		return found
	}
	require.Equal(t, []string{"guide/play"}, names("guide/play"))
	require.Equal(t, []string{"guide/play", "lab/play"}, names("play"))
	require.Equal(t, []string{"index"}, names("index"))
	require.Empty(t, names("plays"))
	require.Equal(t, "The map", pages[2].Title)
}

// In a terminal a page has no pictures, fences and links; those to other pages are listed, each once.
func TestPlain(t *testing.T) {
	p := New("guide/play", "# Playing\n\n![a board](../images/board.png)\nSee [replays](replay.md#open), "+
		"[replay.md](replay.md), [Pig](../../games/pig/README.md) and\n[the site](https://example.org).\n\n```sh\ncroupier play\n```\n")
	text, others := p.Plain()
	require.Equal(t, "# Playing\n\n\nSee replays, guide/replay, Pig and\nthe site (https://example.org).\n\ncroupier play\n", text)
	require.Equal(t, []string{"guide/replay", "games/pig"}, others)
	text, others = New("games/pig", "[rules](../../docs/guide/play.md)").Plain()
	require.Equal(t, "rules", text)
	require.True(t, slices.Equal([]string{"guide/play"}, others))
}
