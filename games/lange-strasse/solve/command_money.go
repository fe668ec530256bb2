package solve

import (
	"context"
	"fmt"
	"io"

	"croupier/catalog"
	"croupier/engine"
)

// trainMoney makes values of the money game and writes them to the file of --out.
func (o *flags) trainMoney(ctx context.Context, c catalog.Call) error {
	o.training.Seed = o.seed
	if err := o.training.Validate(); err != nil {
		return catalog.Usage("%w", err)
	}
	say, end := c.Progress()
	values, err := Train(ctx, o.training, func(p TrainProgress) {
		say(float64(p.Iteration)/float64(p.Of), "%v", p)
	})
	end()
	if err != nil {
		return err
	}
	if err := c.Write(c.Out(), func(w io.Writer) error { return WriteMoney(w, values) }); err != nil {
		return err
	}
	result := struct {
		Errors []StageError `json:"errors"`
	}{values.Errors()}
	return c.Print(result, func(w io.Writer) error {
		fmt.Fprintln(w, "root mean square errors of the values, units:")
		for _, e := range result.Errors {
			fmt.Fprintf(w, "%s: %.3f, of which %.3f differs between the ends of a turn\n", e.Standings, e.Error, e.Local)
		}
		return nil
	})
}

// coverMoney checks the intervals of the money player.
func (o *flags) coverMoney(ctx context.Context, c catalog.Call, game engine.Game) error {
	factory, err := NewMoney(game)
	if err != nil {
		return err
	}
	say, end := c.Progress()
	coverage, err := Cover(ctx, game, factory, o.cover, o.seed, func(done, total int) {
		say(float64(done)/float64(total), "%d of %d decisions", done, total)
	})
	end()
	if err != nil {
		return err
	}
	return c.Print(coverage, coverage.Render)
}

// compareMoney reports where the money player departs from the turn optimum, and what exact values would win more.
func (o *flags) compareMoney(ctx context.Context, c catalog.Call, game engine.Game) error {
	factory, err := NewMoney(game)
	if err != nil {
		return err
	}
	say, end := c.Progress()
	comparison, err := Compare(ctx, game, factory, o.compare, o.seed, func(done, total int) {
		say(float64(done)/float64(total), "%d of %d games", done, total)
	})
	end()
	if err != nil {
		return err
	}
	return c.Print(comparison, comparison.Render)
}
