package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"croupier/catalog"
	"croupier/engine"
	"croupier/policy"
	"croupier/solver"
)

// optimumCommand is the command of any game of perfect information that brings none along.
func optimumCommand(spec *engine.Spec) catalog.Command {
	return catalog.Command{
		Short: "Find best play of " + spec.Title,
		Long: "Solve " + spec.Name + ` finds best play by backward induction over all positions, and prints the value
of the game for seat 1, with the exploitability of best play, which is 0. Games for two are
solved that have at most --nodes positions and do not come back to one.

--estimate says how large the tree of the game is, without solving it: there are no more
positions than nodes of the tree, and usually far fewer.

With --json the result is
  {"value": 0.0, "exploitability": 0.0, "positions": 0, "seconds": 0.0}

--out writes best play, one row for each action at each position: the seat, one history
that leads there, the action and its name, the probability with which it is taken (the best
ones are equally likely), and what it is worth to the seat.

--agent AGENT measures an agent instead, exactly: what a best response gains against it,
averaged over both seats. An agent with a memory is measured on the whole tree, every node
of which counts for --nodes. With --json the result is
  {"agent": "main@12", "exploitability": 0.0}

Everything is in the unit of the game, ` + spec.Unit + ` a game.`,
		Example: fmt.Sprintf(`  croupier solve %[1]s
  croupier solve %[1]s --out %[1]s.csv
  croupier solve %[1]s --agent main@12 --run runs/evening`, spec.Name),
		Shared: catalog.SharedFlags{
			Out: "file for best play: JSON if it ends in .json, else CSV", Progress: true, Rules: spec.Rules != nil,
			Set:   spec.Rules != nil,
			Agent: "best responses", Solution: []string{"out", "estimate"},
		},
		New: newOptimum,
	}
}

// newOptimum declares the flags, and returns what a call does.
func newOptimum(f catalog.Flags) func(context.Context, catalog.Call) error {
	var o treeFlags
	o.add(f)
	return func(ctx context.Context, c catalog.Call) error {
		begin := time.Now()
		game, size, over, err := o.begin(ctx, c)
		if over {
			return err
		}
		if c.Agent() != "" {
			return o.exploit(ctx, c, game, size)
		}
		say, end := c.Progress()
		defer end()
		say(-1, "%s: about %s in its tree", game.Spec().Name, size)
		positions, err := solver.NewPositions(game, o.nodes)
		if err != nil {
			return tooLarge(err, size)
		}
		best := positions.Optimum()
		exploitability, err := positions.Exploitability(func() policy.Policy { return best.Policy() })
		if err != nil {
			return err
		}
		end()
		answer := solver.OptimumAnswer{Value: best.Value(), Exploitability: exploitability,
			Positions: positions.Nodes(), Seconds: time.Since(begin).Seconds()}
		if err := catalog.WriteList(c, solver.EntryColumns, best.Entries); err != nil {
			return err
		}
		return c.Print(answer, func(w io.Writer) error {
			return answer.Render(w, game.Spec().Name, game.Spec().Unit)
		})
	}
}
