package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"croupier/catalog"
	"croupier/engine"
)

// compareTables compares the agents of a game at its tables, and prints who is the strongest at each.
func compareTables(ctx context.Context, o *compareOptions, usual engine.Game, names []string, out, warnings io.Writer,
) error {
	tables, err := o.catalog.Tables(usual)
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		return usage("%s is played at no other tables", usual.Spec().Name)
	}
	var found []*catalog.Comparison
	rows := "table\tstrongest\tagainst its hardest opponent\tequal play\n"
	for _, t := range tables {
		c, _, err := o.play(ctx, t.Game, names, warnings)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		best, equal := c.Agents[0], "0"
		if c.Unit == catalog.ShareUnit {
			equal = fmt.Sprintf("%.3f", 1/float64(t.Game.Spec().Seats))
		}
		found = append(found, c)
		rows += strings.Join([]string{t.Name, best.Name, c.Describe(best.Worst), equal}, "\t") + "\n"
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
