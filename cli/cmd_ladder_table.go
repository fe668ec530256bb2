package cli

import (
	"context"
	"io"
	"os"
	"strings"

	"croupier/catalog"
	"croupier/engine"
	"croupier/league/rating"
	"croupier/messages"
	"croupier/settings"
)

// showTable prints what versions of a run got at one of its tables, which the name or a file of rules says.
func showTable(ctx context.Context, games *catalog.Catalog, dir string, ladder *messages.Ladder, named string,
	out io.Writer) error {
	table, err := ladderTable(ctx, games, dir, ladder, named)
	if err != nil {
		return err
	}
	return rating.RenderTable(out, ladder, table)
}

func ladderTable(ctx context.Context, games *catalog.Catalog, dir string, ladder *messages.Ladder, named string,
) (*messages.LadderTable, error) {
	if len(ladder.Tables) == 0 {
		return nil, usage("--rules: %s has been measured at no other tables than its own: a run that trains on a family of "+
			"rules is (croupier train %s --family), unless league.tables is 0", dir, ladder.Game)
	}
	var names []string
	for i := range ladder.Tables {
		if strings.EqualFold(ladder.Tables[i].Name, named) {
			return &ladder.Tables[i], nil
		}
		names = append(names, ladder.Tables[i].Name)
	}
	if _, err := os.Stat(named); err != nil {
		return nil, usage("--rules: %.80q is neither a table of the run nor a file; its tables are %s", named,
			strings.Join(names, "; "))
	}
	run, err := settings.Read(games, dir)
	if err != nil {
		return nil, err
	}
	game, err := settings.GameUnder(ctx, games, run.Game, named)
	if err != nil {
		return nil, usage("--rules: %w", err)
	}
	if table := ladder.TableOf(game); table != nil {
		return table, nil
	}
	if own, err := run.NewGame(); err == nil && engine.RulesHash(own) == engine.RulesHash(game) {
		return nil, usage("--rules %s: these are the rules of the ladder itself: leave out --rules", named)
	}
	version := "greedy:main@1"
	if best, found := ladder.Best(); found {
		version = best.Name
	}
	return nil, usage("--rules %s: versions are not measured under these rules, but at %s; to compare there:\n"+
		"  croupier advise compare %s %s %s --rules %s --run %s", named, strings.Join(names, "; "), ladder.Game, version,
		ladder.Tables[0].Against, quoted(named), quoted(dir))
}
