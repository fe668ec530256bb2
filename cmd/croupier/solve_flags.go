package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/engine"
	"croupier/settings"
)

// solveFlags are the flags that the subcommands of solve share.
type solveFlags struct {
	settings.Changes
	json     bool
	out      string
	progress bool
}

// add adds the flags; tables says what --out writes.
func (o *solveFlags) add(cmd *cobra.Command, tables string) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.StringVar(&o.out, "out", "", "file for "+tables+`: JSON if it ends in .json, else CSV`)
	f.BoolVar(&o.progress, "progress", false, "show progress on standard error even if it is no terminal")
}

// addRules adds the flags that change the rules.
func (o *solveFlags) addRules(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Rules, "rules", "", "YAML or JSON file with the game's rules")
	f.StringArrayVar(&o.Set, "set", nil, "a rule, as in rules.NAME=VALUE; may be repeated")
}

// game makes the game under the rules of the flags. The assignments come first: --rules
// and --set override them.
func (o *solveFlags) game(ctx context.Context, name string, assignments ...string) (engine.Game, error) {
	for _, s := range o.Set {
		if !strings.HasPrefix(s, "rules.") {
			return nil, usage("--set %s: solve takes only rules, as in rules.NAME=VALUE", s)
		}
	}
	c, err := configured(ctx, name, settings.Changes{Set: assignments})
	if err != nil {
		return nil, err
	}
	if err := o.Apply(ctx, c); err != nil {
		return nil, usage("%w", err)
	}
	game, err := c.NewGame()
	if err != nil {
		return nil, usage("%w", err)
	}
	return game, nil
}

// report returns say, which shows progress on standard error at most once a second, if it
// is a terminal or --progress asks for it, and end, which clears it from the terminal.
func (o *solveFlags) report(cmd *cobra.Command) (say func(format string, args ...any), end func()) {
	screen := newConsole(cmd.ErrOrStderr(), true)
	last := time.Now()
	say = func(format string, args ...any) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		if screen.live {
			screen.status([]string{fmt.Sprintf(format, args...)})
		} else if o.progress {
			fmt.Fprintf(screen, format+"\n", args...)
		}
	}
	return say, func() {
		if screen.live {
			screen.status(nil)
		}
	}
}

// writeList writes what list returns to the file of --out, if there is one: as JSON, or
// as a CSV file with a header and a row for each entry.
func writeList[T interface{ Cells() []string }](o *solveFlags, header []string, list func() []T) error {
	if o.out == "" {
		return nil
	}
	entries := list()
	return o.writeTables(entries, header, func(yield func(row []string) bool) {
		for _, e := range entries {
			if !yield(e.Cells()) {
				return
			}
		}
	})
}

// writeTables writes the file of --out: the document as JSON, or a CSV file with a header
// and the rows.
func (o *solveFlags) writeTables(document any, header []string, rows func(yield func(row []string) bool)) error {
	return writeOutput(o.out, nil, func(w io.Writer) error {
		if filepath.Ext(o.out) == ".json" {
			return printJSON(w, document)
		}
		return writeCSV(w, header, rows)
	})
}

func writeCSV(w io.Writer, header []string, rows func(yield func(row []string) bool)) error {
	table := csv.NewWriter(w)
	if err := table.Write(header); err != nil {
		return err
	}
	for row := range rows {
		if err := table.Write(row); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}
