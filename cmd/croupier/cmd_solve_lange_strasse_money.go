package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine"
	"croupier/internal/texttable"
	ls "croupier/solver/langestrasse"
)

// trainMoney makes values of the money game and writes them to the file of --out.
func trainMoney(cmd *cobra.Command, o *solveLangeStrasseOptions) error {
	o.training.Seed = o.seed
	if err := o.training.Validate(); err != nil {
		return usage("%v", err)
	}
	say, end := o.report(cmd)
	values, err := ls.Train(cmd.Context(), o.training, func(p ls.TrainProgress) {
		if p.Iteration == 0 {
			say("fitted to %d turns of games between turn optima: error %.3f units", p.Samples, p.Loss)
			return
		}
		say("iteration %d of %d: one turn changes values by %.4f units, targets by %.4f; %d turns kept, error of the fit %.4f",
			p.Iteration, p.Of, p.Residual, p.Correction, p.Samples, p.Loss)
	})
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
		_, err := fmt.Fprintf(w, "values are within %.3f units (root mean square) of what their own way to play wins\n", values.Error())
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
		t := texttable.New(1, 2, 3, 4, 5, 6, 7)
		t.AppendHeader([]any{"situation", "decisions", "different", "stops", "rolls on", "other dice", "points given up", "units won"})
		for _, d := range differences {
			share := func(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(d.Decisions, 1))) }
			t.AppendRow([]any{d.Situation, d.Decisions, share(d.Different()), share(d.Stops), share(d.Rolls), share(d.Dice),
				fmt.Sprintf("%.0f", d.Points), fmt.Sprintf("%.3f", d.Units)})
		}
		_, err := fmt.Fprintln(w, t.Render())
		return err
	})
}
