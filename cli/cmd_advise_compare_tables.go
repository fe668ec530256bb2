package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"croupier/catalog"
	"croupier/engine"
)

// compareTables compares the agents of a game at its tables, and prints who is the strongest at each.
func compareTables(ctx context.Context, o *compareOptions, usual engine.Game, names []string, out, warnings io.Writer,
) error {
	tables, err := tablesOf(o.catalog, usual)
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		return usage("%s is played at no other tables", usual.Spec().Name)
	}
	var found []*catalog.Comparison
	rows := "table\tstrongest\tagainst its hardest opponent\tequal play\n"
	for _, t := range tables {
		c, _, err := o.play(ctx, t.game, names, warnings)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		best, equal := c.Agents[0], "0"
		if c.Unit == catalog.ShareUnit {
			equal = fmt.Sprintf("%.3f", 1/float64(t.game.Spec().Seats))
		}
		found = append(found, c)
		rows += strings.Join([]string{t.name, best.Name, c.Describe(best.Worst), equal}, "\t") + "\n"
	}
	if o.out != "-" {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		io.WriteString(table, rows)
		if err := table.Flush(); err != nil || o.out == "" {
			return err
		}
	}
	return writeOutput(o.out, out, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		for _, c := range found {
			if err := encoder.Encode(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// namedTable is a way to play a game that people know by a name.
type namedTable struct {
	name string
	game engine.Game
}

// tablesOf returns the presets of a game, and its usual rules with one of the numbers that people choose changed, each
// once.
func tablesOf(games *catalog.Catalog, usual engine.Game) (list []namedTable, err error) {
	spec := usual.Spec()
	known := map[[8]byte]bool{engine.RulesHash(usual): true}
	add := func(name string, document []byte) error {
		game, err := games.New(spec.Name, document)
		if err != nil {
			return err
		}
		if hash := engine.RulesHash(game); !known[hash] {
			known[hash] = true
			list = append(list, namedTable{name, game})
		}
		return nil
	}
	if spec.Rules == nil {
		return nil, nil
	}
	for _, p := range spec.Rules.Presets {
		if err := add(p.Name, []byte(p.Document)); err != nil {
			return nil, err
		}
	}
	for _, r := range spec.Rules.Rules {
		for _, n := range r.Usual {
			var nested any = n
			for _, part := range slices.Backward(strings.Split(r.Key, ".")) {
				nested = map[string]any{part: nested}
			}
			document, err := json.Marshal(nested)
			if err == nil {
				err = add(fmt.Sprintf("%s: %d", r.Key, n), document)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
