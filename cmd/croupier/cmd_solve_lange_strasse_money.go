package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine"
	ls "croupier/solver/langestrasse"
)

// trainMoney makes values of the money game and writes them to the file of --out.
func trainMoney(cmd *cobra.Command, o *solveLangeStrasseOptions) error {
	o.training.Seed = o.seed
	if err := o.training.Validate(); err != nil {
		return usage("%v", err)
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
				Error float64 `json:"error"`
			}{values.Error()})
		}
		_, err := fmt.Fprintf(w, "values are within %.3f units (root mean square) of what play by them wins\n",
			values.Error())
		return err
	})
}

// compareMoney says where the money player departs from the turn optimum.
func compareMoney(ctx context.Context, game engine.Game, o *solveLangeStrasseOptions, stdout io.Writer) error {
	factory, err := ls.NewMoney(game)
	if err != nil {
		return err
	}
	differences, err := ls.Compare(ctx, game, factory, o.compare, o.seed)
	if err != nil {
		return err
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return printJSON(w, differences)
		}
		return ls.RenderDifferences(w, differences)
	})
}
