package solve

import (
	"context"
	"fmt"
	"io"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/pig"
	"croupier/policy"
	"croupier/solver"
)

// answer is what croupier solve pig prints.
type answer struct {
	FirstPlayer float64 `json:"first_player_win_probability"`
}

// command is croupier solve pig.
var command = catalog.Command{
	Short: "Find the optimal play of Pig",
	Long: `Solve pig finds, by value iteration, the probability that the first player wins when
both play optimally.

With --json the result is
  {"first_player_win_probability": 0.0}

--out writes one row for each pair of scores: own and other score at the beginning of
a turn, the probability of winning from there, and the turn totals at which to roll, as
ranges ("0-21 27-27"); at all other totals holding is best.

--agent AGENT says instead what an agent wins against the optimum, exactly, from what it
does in every position. Agents are named as in croupier arena: main@12 is a frozen version
from --run, greedy:main@12 the same without drawing, file:PATH an exported network. An
agent with a memory has no single answer to a position and is refused, as is one that
draws at random without telling its probabilities; croupier arena plays games of it. With
--json the result, averaged over the seats, is
  {"agent": "main@12", "win_probability": 0.0}`,
	Example: `  croupier solve pig --json
  croupier solve pig --set rules.target=50 --out pig.csv
  croupier solve pig --agent "hold(20)"
  croupier solve pig --agent greedy:main@12 --run runs/evening --json`,
	Shared: catalog.SharedFlags{
		Out: "file for the optimal turns: JSON if it ends in .json, else CSV", Progress: true, Rules: true, Set: true,
		Agent: "the optimum", Solution: []string{"out"},
	},
	New: func(catalog.Flags) func(context.Context, catalog.Call) error { return run },
}

func run(ctx context.Context, c catalog.Call) error {
	game, err := c.Game(ctx, nil, nil)
	if err != nil {
		return err
	}
	var policies func() policy.Policy
	if c.Agent() != "" { // an agent that there is not is refused before anything is solved
		if policies, err = c.Policies(ctx, game); err != nil {
			return err
		}
	}
	say, end := c.Progress()
	optimum, err := Solve(ctx, game, func(done, total int) {
		say(float64(done)/float64(total), "pig: %d of %d sums", done, total)
	})
	end()
	if err != nil {
		return err
	}
	if policies != nil {
		return playOptimum(ctx, c, game, policies, optimum)
	}
	if err := catalog.WriteList(c, TurnColumns, optimum.Turns); err != nil {
		return err
	}
	result := answer{optimum.FirstPlayer()}
	return c.Print(result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "pig to %d\nthe first player wins with probability %.6f\n",
			game.Rules().(pig.Rules).Target, result.FirstPlayer)
		return err
	})
}

// playOptimum reports what the agent of a call wins against the optimum.
func playOptimum(
	ctx context.Context, c catalog.Call, game engine.Game, policies func() policy.Policy, optimum *Optimum,
) error {
	m, err := optimum.Against(ctx, game, policies)
	if err != nil {
		return fmt.Errorf("agent %s: %w", c.Agent(), err)
	}
	return c.Print(solver.Won{Agent: c.Agent(), WinProbability: m.Mean()}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "pig to %d, %s against the optimum: wins with probability %.6f\n"+
			"(exactly; going first %.6f, going second %.6f)\n",
			game.Rules().(pig.Rules).Target, c.Agent(), m.Mean(), m.First, m.Second)
		return err
	})
}
