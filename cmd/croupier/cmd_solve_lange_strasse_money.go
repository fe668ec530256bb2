package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine"
	ls "croupier/games/lange-strasse/solve"
)

// trainMoney makes values of the money game and writes them to the file of --out.
func trainMoney(cmd *cobra.Command, o *solveLangeStrasseOptions) error {
	o.training.Seed = o.seed
	if err := o.training.Validate(); err != nil {
		return usage("%w", err)
	}
	say, end := o.report(cmd)
	values, err := ls.Train(cmd.Context(), o.training, func(p ls.TrainProgress) { say("%v", p) })
	end()
	if err != nil {
		return err
	}
	if err := writeOutput(o.out, nil, func(w io.Writer) error { return ls.WriteMoney(w, values) }); err != nil {
		return err
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, struct {
				Errors []ls.StageError `json:"errors"`
			}{values.Errors()})
		}
		fmt.Fprintln(w, "root mean square errors of the values, units:")
		for _, e := range values.Errors() {
			fmt.Fprintf(w, "%s: %.3f, of which %.3f differs between the ends of a turn\n", e.Standings, e.Error, e.Local)
		}
		return nil
	})
}

// coverMoney checks the intervals of the money player.
func coverMoney(ctx context.Context, game engine.Game, o *solveLangeStrasseOptions, stdout io.Writer) error {
	factory, err := ls.NewMoney(game)
	if err != nil {
		return err
	}
	coverage, err := ls.Cover(ctx, game, factory, o.cover, o.seed)
	if err != nil {
		return err
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return printJSON(w, coverage)
		}
		return coverage.Render(w)
	})
}

// compareMoney says where the money player departs from the turn optimum, and what exact values would win more.
func compareMoney(ctx context.Context, game engine.Game, o *solveLangeStrasseOptions, stdout io.Writer) error {
	factory, err := ls.NewMoney(game)
	if err != nil {
		return err
	}
	comparison, err := ls.Compare(ctx, game, factory, o.compare, o.seed)
	if err != nil {
		return err
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return printJSON(w, comparison)
		}
		return comparison.Render(w)
	})
}
