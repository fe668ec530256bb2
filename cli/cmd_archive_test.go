package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/catalog"
	"croupier/games/standard"
)

// The archive of a short training: what is listed can be shown, exported, replayed and reviewed.
func TestArchive(t *testing.T) {
	dir := trained(t)
	var listing archive.Listing
	list := func(args ...string) {
		t.Helper()
		out := succeed(t, "", append([]string{"archive", "list", "--json", "--run", dir}, args...)...)
		listing = archive.Listing{}
		require.NoError(t, json.Unmarshal([]byte(out), &listing))
	}
	list("--limit", "5")
	require.Len(t, listing.Games, 5)
	require.Zero(t, listing.Damaged)
	require.LessOrEqual(t, listing.Bytes, listing.LimitBytes)
	all := listing.Total
	list("--purpose", "arena")
	arena := listing.Total
	require.Positive(t, arena)
	list("--purpose", "training")
	require.Positive(t, listing.Total)
	require.Equal(t, all, arena+listing.Total)

	list("--purpose", "arena", "--limit", "1")
	loser := listing.Games[0].Agents[0].Name // of some game, who needs not be among those of every short run
	if listing.Games[0].Returns[0] > 0 {
		loser = listing.Games[0].Agents[1].Name
	}
	list("--purpose", "arena", "--agent", loser, "--result", "lost", "--sort", "longest", "--limit", "3")
	require.NotEmpty(t, listing.Games)
	id := listing.Games[0].ID.String()
	shown := succeed(t, "", "archive", "show", id, "--run", dir)
	require.Contains(t, shown, "Game "+id+" of kuhn, match ")
	require.Contains(t, shown, "chance: ")
	require.Regexp(t, `seat [12], `+regexp.QuoteMeta(loser)+`: (check|bet|call|fold)`, shown)
	var opened archive.Opened
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "archive", "show", id, "--run", dir, "--json")), &opened))
	require.Contains(t, succeed(t, opened.History, "replay", "-"), "1 game, ")

	status, exported, said := croupier("", "archive", "export", "--run", dir, "--purpose", "arena", "--limit", "3")
	require.Zero(t, status)
	require.Equal(t, fmt.Sprintf("croupier: 3 of %d games that fit; --limit 0 takes all\n", arena), said)
	require.Contains(t, succeed(t, exported, "replay", "-"), "3 games, ")
	require.Len(t, lines(succeed(t, "", "archive", "export", "--run", dir)), all, "no limit unless one is given")
	list("--limit", "0")
	require.Len(t, listing.Games, all)
	require.Equal(t, opened.History+"\n", succeed(t, "", "archive", "export", id, "--run", dir))
	file := filepath.Join(t.TempDir(), "games.jsonl")
	status, _, said = croupier("", "archive", "export", "--run", dir, "--limit", "2", "--out", file)
	require.Zero(t, status, said)
	require.Contains(t, succeed(t, "", "advise", "review", file, "--run", "none"), "solver:equilibrium")

	require.Contains(t, succeed(t, "", "archive", "review", "--run", dir, id, "--judge", "solver:equilibrium"), id+"  ")
	list("--sort", "worst")
	require.Len(t, listing.Games, 1)
	require.Equal(t, 1, listing.Reviewed)
	require.Equal(t, id, listing.Games[0].ID.String())
	require.Equal(t, "solver:equilibrium", listing.Games[0].Review.Judge)
	// Of three games one is judged already.
	rest := []string{"archive", "review", "--run", dir, "--judge", "solver:equilibrium", "--unjudged", "3"}
	judged := succeed(t, "", rest...)
	require.Len(t, lines(judged), 2)
	require.NotContains(t, judged, id+" ")
	require.Empty(t, succeed(t, "", rest...))
	require.Contains(t, refused(t, 2, append(rest, "--unjudged", "-1")...), "--unjudged -1")
	list("--sort", "worst")
	require.Len(t, listing.Games, 3)
	for _, g := range listing.Games {
		require.NotNil(t, g.Review.Mistakes)
	}
	told := succeed(t, "", "archive", "list", "--run", dir, "--sort", "worst")
	require.Contains(t, told, fmt.Sprintf("3 of %d games that fit; 3 of these reviewed\n", all))
	require.Contains(t, told, "of at most 256.0 MiB")
}

func TestArchiveRefuses(t *testing.T) {
	dir := trained(t)
	require.Contains(t, refused(t, 2, "archive"), "there are dataset, export, list, review, show")
	require.Contains(t, refused(t, 2, "archive", "list", "--run", dir, "--result", "won"), "say which")
	for _, command := range []string{"list", "export"} {
		require.Contains(t, refused(t, 2, "archive", command, "--run", dir, "--agent", "somebody"),
			`--agent: no game of the archive has it: unknown agent "somebody" of `)
	}
	require.Contains(t, refused(t, 2, "archive", "show", "12", "--run", dir), `invalid ID of a game "12"`)
	require.Contains(t, refused(t, 1, "archive", "show", "a99.1", "--run", dir), "there is no such game in the archive")
	require.Contains(t, refused(t, 1, "archive", "list", "--run", t.TempDir()), "holds no run")
}

// Games of a game that is not known here are listed: who played, how long, and what the seats gained.
func TestArchiveListsGamesThatAreNotKnown(t *testing.T) {
	dir, others := trained(t), catalog.New(catalog.Game{Name: "pig", New: standard.Games.Games()[0].New})
	var known, out strings.Builder
	o := archiveOptions{program: program{catalog: standard.Games}, run: dir, query: archive.Query{Limit: 3}}
	require.NoError(t, listArchive(t.Context(), &o, false, &known))
	o = archiveOptions{program: program{catalog: others}, run: dir, query: archive.Query{Limit: 3}}
	require.NoError(t, listArchive(t.Context(), &o, false, &out))
	require.Contains(t, out.String(), "returns (in the game's unit)")
	tail := func(text string) string { return text[strings.Index(text, "3 of "):] }
	require.Equal(t, tail(known.String()), tail(out.String()))
}
