package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"croupier/engine"
	game "croupier/games/bank"
	bank "croupier/games/bank/solve"
	"croupier/solver"
)

// solveBankOptions are the flags of croupier solve bank.
type solveBankOptions struct {
	solveFlags
	solveAgent
	size    int
	players int
	against string
	seat    int
	games   int
	seed    uint64
}

func newSolveBankCommand() *cobra.Command {
	o := solveBankOptions{size: bank.DefaultSize}
	cmd := &cobra.Command{
		Use:   "bank",
		Short: "Find the optimal play of BANK! for two, or the best response to a bot",
		Long: `Solve bank computes the optimum of BANK! for two players from the last round to the
first, over all point differences and all banks up to --size, without rounding. What
lies beyond is bounded, so the value is known to within error_bound. The value is the
expected return of seat 0, from -1 (it always loses) to 1 (it always wins).

With --json the result is
  {"players": 2, "rounds": 10, "repoll": true, "value": 0.0, "error_bound": 0.0}

--out writes the plan of each seat, one row for each round, role, stage and difference:
the seat; the round (from 1); the role: lone (the other has banked in this round), first
(both are active, and the other is asked after it) or second (the other has just
passed); the stage (1 and 2 for those rolls, 3 for all later ones); the difference, own
points less the other's; and the banks at which it banks, as ranges ("45-52 60-", the
last one open-ended).

With --against it instead computes the best response of the seat --seat to a bot in all
other seats, for any number of --players: value is what that seat gets. The bots must act
alike, so that they always have the same points: threshold(N) and rolls(K) do, and with
two players any bot does. The result then also has "against" and "seat". --simulate N
plays N games of the response through the engine, as a check, and adds "played" and the
half width of its 95 % interval, "played_within"; this takes larger tables.

--agent AGENT says instead what an agent wins against the optimum in a game for two: shares
of the win, so a draw is half. Agents are named as in croupier arena: main@12 is a frozen
version from --run, greedy:main@12 the same without drawing, file:PATH an exported network.
--simulate N games are played, half of them in each seat, and with repoll luck is taken out,
since the value of every decision is known: the fewer mistakes the agent makes, the narrower
is the interval that is printed. With --json the result is
  {"agent": "main@12", "win_probability": 0.0}`,
		Example: `  croupier solve bank
  croupier solve bank --set rules.repoll=false --json
  croupier solve bank --set rules.repoll=false --out bank.csv
  croupier solve bank --players 3 --against "threshold(100)"
  croupier solve bank --agent main@12 --run runs/evening`,
		Args: cobra.NoArgs,
	}
	o.solveFlags.add(cmd, "the plans")
	o.solveAgent.add(cmd, "the optimum")
	o.addRules(cmd)
	f := cmd.Flags()
	f.IntVar(&o.size, "size", o.size, fmt.Sprintf(
		"largest difference and bank in the tables, %d to %d, with --against to %d",
		bank.MinSize, bank.MaxSize, bank.MaxResponseSize))
	f.IntVar(&o.players, "players", 2, "number of players")
	f.StringVar(&o.against, "against", "", `bot in all other seats, like "threshold(100)", or random`)
	f.IntVar(&o.seat, "seat", 0, "with --against: the seat that answers")
	f.IntVar(&o.games, "simulate", 0, fmt.Sprintf(
		"with --against: games to play through the engine as a check; with --agent: games (%d)", agentGames))
	f.Uint64Var(&o.seed, "seed", 1, "with --simulate: seed of the games")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if err := cmp.Or(o.solveAgent.check(cmd, "against", "seat", "out"), o.check()); err != nil {
			return err
		}
		if cmd.Flags().Changed("players") {
			o.Set = append(o.Set, fmt.Sprintf("rules.players=%d", o.players))
		}
		g, err := o.game(cmd.Context(), "bank", "rules.players=2")
		if err != nil {
			return err
		}
		return solveBank(cmd, &o, g)
	})
	return cmd
}

// check refuses flags that make no sense together.
func (o *solveBankOptions) check() error {
	most := bank.MaxSize
	if o.against != "" {
		most = bank.MaxResponseSize
	}
	switch {
	case o.size < bank.MinSize || o.size > most:
		return usage("--size %d: it must be in %d..%d", o.size, bank.MinSize, most)
	case o.against != "" && o.out != "":
		return usage("--out: only the optimum has plans to write, not a response")
	case o.against == "" && (o.seat != 0 || o.games != 0 && o.agent == ""):
		return usage("--seat and --simulate need --against")
	case o.games < 0:
		return usage("--simulate %d: it must not be negative", o.games)
	}
	return nil
}

func solveBank(cmd *cobra.Command, o *solveBankOptions, g engine.Game) error {
	begin := time.Now()
	rules := g.Rules().(game.Rules)
	result := bank.Answer{Players: rules.Players, Rounds: rules.Rounds, Repoll: rules.Repoll}
	optimum, err := o.solve(cmd, g, &result)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped before the answer was found")
	}
	if err != nil {
		return err
	}
	if o.agent != "" {
		return o.playOptimum(cmd, g, optimum)
	}
	if err := writeList(&o.solveFlags, bank.Columns, optimum.Plans); err != nil {
		return err
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, result)
		}
		return result.Render(w, optimum, time.Since(begin))
	})
}

// solve computes the value in the answer. With --against the optimum is nil.
func (o *solveBankOptions) solve(cmd *cobra.Command, g engine.Game, s *bank.Answer) (*bank.Optimum, error) {
	say, end := o.report(cmd)
	defer end()
	progress := func(done, total int) { say("bank: %d of %d rounds", done, total) }
	if o.against == "" {
		optimum, err := bank.Solve(cmd.Context(), g, o.size, progress)
		if err == nil {
			s.Value, s.ErrorBound = optimum.Value()
		}
		return optimum, err
	}
	s.Against, s.Seat = o.against, &o.seat
	response, err := bank.Respond(cmd.Context(), g, o.seat, o.against, o.size, o.games > 0, progress)
	if err != nil {
		return nil, err
	}
	s.Value, s.ErrorBound = response.Value()
	if o.games == 0 {
		return nil, nil
	}
	mean, half, err := response.Simulate(cmd.Context(), o.games, o.seed)
	s.Played, s.PlayedWithin = &mean, &half
	return nil, err
}

// agentGames are played with an agent unless --simulate says otherwise: a few seconds for a
// network.
const agentGames = 40_000

// playOptimum says what the agent wins against the optimum.
func (o *solveBankOptions) playOptimum(cmd *cobra.Command, g engine.Game, optimum *bank.Optimum) error {
	player, err := agentsOf(g, o.run).Player(cmd.Context(), o.agent)
	if err != nil {
		return err
	}
	games := o.games
	if games == 0 {
		games = agentGames
	}
	m, err := optimum.Against(cmd.Context(), g, player.Policy, games, o.seed)
	if err != nil {
		return fmt.Errorf("agent %s: %w", o.agent, err)
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, solver.Won{Agent: o.agent, WinProbability: m.Wins})
		}
		return m.Render(w, o.agent, g.Rules().(game.Rules))
	})
}
